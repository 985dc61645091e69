import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serviceConnectors } from './registry.ts'
import { typeInformation } from './type-information.ts'

const SHOWN = new Set(['title', 'about', 'description', 'text', 'system', 'scope', 'document'])
/** The same in both languages. */
const ALIKE = new Set(['Wiki (Confluence)', 'PostgreSQL', 'Token', 'Port', 'Index', 'Filter (CQL)'])

describe('the German of a connector type', () => {
  for (const type of [...serviceConnectors.sources, ...serviceConnectors.destinations])
    test(`it is complete for ${type.type}`, () => {
      const english = textsOf(typeInformation(type))
      const german = textsOf(typeInformation(type, 'de'))
      assert.deepEqual([...german.keys()], [...english.keys()])
      const same = [...german].filter(([path, text]) => text === english.get(path) && !ALIKE.has(text))
      assert.deepEqual(same, [])
    })
})

/** Snippets are the same in all languages. */
function textsOf(value: unknown, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null) return new Map()
  return new Map(
    Object.entries(value).flatMap(([name, each]): [string, string][] => {
      if (typeof each !== 'string') return [...textsOf(each, `${path}.${name}`)]
      return SHOWN.has(name) && !/(snippets|shortens)\.\d$/.test(path) ? [[`${path}.${name}`, each]] : []
    }),
  )
}
