import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { variableNames } from './environment.ts'

const root = join(import.meta.dirname, '..')
const documents = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'web/*.md'], { cwd: root }).filter(
  (path) => path !== 'CHANGELOG.md' && !path.includes('node_modules'),
)

/** Read by `millrace-mcp`, the demo and the tests. */
const ofOtherPrograms = new Set([
  'MILLRACE_URL',
  'MILLRACE_TOKEN',
  'MILLRACE_PERSON_TOKEN',
  'MILLRACE_DEMO_SEARCH_URL',
  'MILLRACE_SCREENS',
])

/** Variables of an example that is not about the service are `$NAME` or `process.env.NAME`. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/(?<!\$|process\.env\.|os\.environ\[")\bMILLRACE_[A-Z_]+…?/g)].map(([name]) => name)

const isKnown = (name: string): boolean =>
  name.endsWith('…')
    ? variableNames.some((variable) => variable.startsWith(name.slice(0, -1)))
    : variableNames.includes(name) ||
      variableNames.includes(name.replace(/_FILE$/, '')) ||
      ofOtherPrograms.has(name)

describe('the documentation of settings', () => {
  test('docs/settings.md lists every setting', () => {
    const page = readFileSync(join(root, 'docs/settings.md'), 'utf8')
    for (const name of variableNames) {
      const [, provider = ''] = /^(MILLRACE_[A-Z]+_(?:OPENAI_)?)/.exec(name) ?? []
      assert.ok(page.includes(`| \`${name}\` |`) || page.includes(`\`${provider}…\``), name)
    }
  })

  for (const document of documents)
    test(`it knows every variable that ${document} names`, () => {
      const names = namesIn(readFileSync(join(root, document), 'utf8'))
      assert.deepEqual(
        names.filter((name) => !isKnown(name)),
        [],
      )
    })

  test('it finds names, and unknown ones', () => {
    assert.ok(documents.length > 20)
    const text = '`MILLRACE_ROLE=api`, MILLRACE_OPENAI_…, MILLRACE_ROL, $MILLRACE_KEY and MILLRACE_OPNAI_…'
    assert.deepEqual(
      namesIn(text).filter((name) => !isKnown(name)),
      ['MILLRACE_ROL', 'MILLRACE_OPNAI_…'],
    )
  })
})
