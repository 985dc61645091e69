import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../errors.ts'
import type { ConnectorRow } from '../store/connectors/connectors.ts'
import { foundIdOf } from './archive-file.ts'
import { documentId, inDestinations } from './backend-documents.ts'
import { mergeResults } from './merge-results.ts'
import type { SearchHit, SearchResults } from './shapes/search.ts'

const first = { id: '11111111-0000-4000-8000-000000000000' }
const second = { id: '22222222-0000-4000-8000-000000000000' }

const hit = (recordId: string, more: Partial<SearchHit> = {}): SearchHit => ({
  ...{ record_id: recordId, element_id: 'e', score: 1, text: `text of ${recordId}`, highlight: null },
  ...{ highlights: [], title: recordId, url: null, version: null, date_modified: null, space_key: null },
  ...{ filetype: null, page_number: null, path_in_archive: null, granted_by: [] },
  ...more,
})
const found = (hits: SearchHit[], more: Partial<SearchResults> = {}): SearchResults => ({
  ...{ total: hits.length, total_relation: 'eq', incomplete: false, unknown_document: 0, hidden: [] },
  ...{ hits, next: null },
  ...more,
})

describe('results of several destinations', () => {
  test('it merges them by rank and names a document once', () => {
    const merged = mergeResults(
      [
        { destination: first, results: found([hit('a/1'), hit('a/2'), hit('a/3')]) },
        { destination: second, results: found([hit('a/2'), hit('b/1')]) },
      ],
      4,
    )
    assert.deepEqual(
      merged.documents.map(({ id }) => id),
      ['11111111:a/1', '22222222:a/2', '22222222:b/1', '11111111:a/3'],
    )
  })

  test('it keeps the files of one archive apart, with their paths', () => {
    const file = (path: string) => hit('a/1', { title: 'plans.zip', path_in_archive: path })
    const merged = mergeResults([{ destination: first, results: found([file('x.txt'), file('y.txt')]) }], 5)
    assert.deepEqual(
      merged.documents.map(({ id, title }) => [id, title]),
      [
        ['11111111:a/1!/x.txt', 'plans.zip: x.txt'],
        ['11111111:a/1!/y.txt', 'plans.zip: y.txt'],
      ],
    )
  })

  test('it shows what matches as plain text', () => {
    const highlights = ['The &quot;<mark>mill</mark>&quot; &lt;mark&gt; &amp;amp; more']
    const passages = [{ element_id: 'f', score: 1, text: '', highlights: ['a second <mark>mill</mark>'] }]
    const results = found([hit('a/1', { highlights, passages }), hit('a/2')])
    assert.deepEqual(
      mergeResults([{ destination: first, results }], 5).documents.map(({ text }) => text),
      ['The "mill" <mark> &amp; more … a second mill', 'text of a/2'],
    )
  })

  test('it says what is left out', () => {
    const hidden = [{ workflow_id: 'w', scope: 's', reason: 'stale' as const, proved_at: null }]
    const { notes } = mergeResults(
      [{ destination: first, results: found([], { incomplete: true, hidden }) }],
      5,
    )
    assert.deepEqual(notes, [
      'There may be more documents; narrow the search.',
      '1 space was left out, because its permissions are too old.',
    ])
  })
})

describe('the id of a document', () => {
  const rows = [first, second] as ConnectorRow[]
  const ask = async ({ id }: ConnectorRow, { recordId, path = '-' }: { recordId: string; path?: string }) =>
    `${id.slice(0, 4)} ${recordId} ${path}`

  test('it leads to its destination', async () => {
    assert.equal(await inDestinations(documentId(second, 'site/1:2'), rows, ask), '2222 site/1:2 -')
    const file = documentId(first, foundIdOf({ record_id: 'site/1', path_in_archive: 'a!/b.txt' }))
    assert.equal(await inDestinations(file, rows, ask), '1111 site/1 a!/b.txt')
  })

  for (const id of ['', 'x', 'site/1', '33333333:site/1', '1111:site/1', '11111111:', ':site/1'])
    test(`it leads nowhere as ${JSON.stringify(id)}`, async () => {
      assert.equal(await inDestinations(id, rows, ask), null)
    })

  test('it hides the difference between a missing and an unreadable document', async () => {
    const id = documentId(first, 'site/1')
    const missing = async () => Promise.reject(new AppError('not_found', 'Document not found'))
    assert.equal(await inDestinations(id, rows, missing), null)
    const failing = async () => Promise.reject(new AppError('destination_unreachable', 'away'))
    await assert.rejects(inDestinations(id, rows, failing), { code: 'destination_unreachable' })
  })
})
