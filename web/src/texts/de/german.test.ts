import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

const ENGLISH = join(import.meta.dirname, '..')
/** The same in all languages. */
const NEUTRAL = ['locale.ts', 'times.ts']
/** Words that both languages write alike, and names. */
const ALIKE = [
  'Administrator',
  'CSV',
  'Claim',
  'Claude',
  'Cursor',
  'Details',
  'Excel',
  'JSON',
  'Index',
  'Sandbox',
  'Link',
  'Markdown',
  'Name',
  'Organisation',
  'PDF',
  'Person',
  'PowerPoint',
  'Python',
  'Start',
  'Status',
  'System',
  'Text',
  'Token',
  'TypeScript',
  'VS Code',
  'Webhooks',
  'Word',
  'cURL',
  'curl',
  'https://hooks.example.com/millrace',
  'English',
  'Deutsch',
  '0 s',
  'Amazon Bedrock',
  'Anthropic',
  'Azure OpenAI',
  'Cohere',
  'JSON',
  'Together',
  'Voyage',
  'YAML',
  'all-minilm-l6-v2',
]

const filesIn = (directory: string) =>
  readdirSync(directory).filter((name) => /^[a-z-]+\.ts$/.test(name) && !NEUTRAL.includes(name))

describe('the German texts', () => {
  test('they are complete', () => {
    assert.deepEqual(filesIn(import.meta.dirname), filesIn(ENGLISH))
  })

  for (const name of filesIn(import.meta.dirname)) {
    test(`they translate every text of ${name}`, async () => {
      const english = leaves(await import(join(ENGLISH, name)))
      const german = leaves(await import(join(import.meta.dirname, name)))
      // German has more, where the service writes in English.
      assert.deepEqual(
        [...english.keys()].filter((path) => !german.has(path)),
        [],
      )
      const untranslated = [...german].filter(
        ([path, text]) => text === english.get(path) && !ALIKE.includes(text) && hasWords(text),
      )
      assert.deepEqual(untranslated, [])
    })
  }
})

/** Not only values in a function such as `${workflow}, ${at}`. */
function hasWords(text: string): boolean {
  return /\p{L}/u.test(text.replaceAll(/\$\{[^}]*\}/g, ''))
}

/** Texts by path; of a function its quoted parts. */
function leaves(value: unknown, path = ''): Map<string, string> {
  if (typeof value === 'function')
    return new Map([[path, (String(value).match(/(['"`]).*?\1/gs) ?? []).join(' ')]])
  if (typeof value !== 'object' || value === null) return new Map([[path, String(value)]])
  return new Map(Object.entries(value).flatMap(([name, each]) => [...leaves(each, `${path}.${name}`)]))
}
