import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { indexBodies } from '../docs/index-bodies.ts'
import { withTables } from '../docs/tables.ts'
import { localConnectors, serviceConnectors } from '../src/connectors/registry.ts'

const docs = join(import.meta.dirname, '../docs')
const pages = Object.fromEntries(
  globSync('**/*.md', { cwd: docs }).map((path) => [path, readFileSync(join(docs, path), 'utf8')]),
)

describe('tables of the documentation', () => {
  for (const [path, text] of Object.entries(pages))
    if (text.includes('<!-- table: '))
      test(`they are current in ${path}`, () => {
        assert.equal(text, withTables(text), 'run `npm run docs` and commit the result')
      })

  for (const [name, body] of Object.entries(indexBodies()))
    test(`the body of an index is current in ${name}`, () => {
      assert.equal(readFileSync(join(docs, 'index-bodies', name), 'utf8'), body, 'run `npm run docs`')
    })

  test('they list the settings of every connector, on its own page', () => {
    for (const { type, docs: page } of [...serviceConnectors.sources, ...serviceConnectors.destinations])
      assert.ok(pages[page.replace('docs/', '')]?.includes(`<!-- table: ${type} of service -->`), type)
    const folder = localConnectors.destination('folder')
    assert.ok(pages['millrace-ingest.md']?.includes(`<!-- table: ${folder?.type} of millrace-ingest -->`))
  })

  test('they show type, default, meaning and other names of a field', () => {
    const page = pages['connectors/wiki.md'] ?? ''
    assert.match(
      page,
      /\| `max_num_of_spaces` \| whole number, 1 or more \| no \| `500` \| If there are more/,
    )
    assert.match(page, /\| `token` \| secret text \| to sign in \| – \| .*Also accepted as `api_token`\./)
  })

  for (const [path, text] of Object.entries(pages))
    test(`rows have as many cells as their header in ${path}`, () => {
      assert.deepEqual(unevenRows(text), [])
    })

  test('a table without a definition is an error', () => {
    assert.throws(() => withTables('<!-- table: nothing -->\n<!-- end -->'), TypeError)
    assert.deepEqual(unevenRows('| a | b |\n|---|---|\n| `x \\| y` | 1 |\n| `x | y` | 1 |'), [
      '| `x | y` | 1 |',
    ])
  })
})

/** Renderers drop the cells that are too many. */
function unevenRows(text: string): string[] {
  let columns = 0
  return text
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .split('\n')
    .filter((line, index, lines) => {
      if (!line.startsWith('|')) columns = 0
      else if (/^\|[ :|-]+\|$/.test(lines[index + 1] ?? '') && columns === 0) columns = cellsOf(line)
      return line.startsWith('|') && columns > 0 && cellsOf(line) !== columns
    })
}

function cellsOf(row: string): number {
  return row.replaceAll('\\|', '').split('|').length - 2
}
