import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { incompleteOf, limitWarning, missingWarning } from './report.ts'

test('it names dropped macros with their documents, the most frequent first', () => {
  const names = [
    { name: 'jira', documents: 3 },
    { name: 'children', documents: 1200 },
    { name: 'include', documents: 3 },
  ]
  const missing = { code: 'macros_dropped', count: 1206, documents: 1201, message: 'one of them', names }
  assert.deepEqual(missingWarning(missing), {
    code: 'macros_dropped',
    message:
      'Content of other pages or systems is left out: children (1,200 documents), include (3), jira (3)',
    documents: 1201,
  })
  const many = Array.from({ length: 23 }, (_, at) => ({ name: `m${at}`, documents: 1 }))
  assert.match(missingWarning({ ...missing, names: many }).message, /^.*: m0 \(1 document\), .*, and 3 more$/)
})

test('it sums up missing parts in one line with an example', () => {
  const message = 'cat.png: the source responds with 404'
  assert.deepEqual(missingWarning({ code: 'images_missing', count: 5, documents: 3, message }), {
    code: 'images_missing',
    message: `5 images on 3 pages could not be included; the pages are written without them. One of them: ${message}`,
    documents: 3,
  })
  assert.equal(
    missingWarning({ code: 'images_missing', count: 1, documents: 1, message }).message,
    `1 image on 1 page could not be included; the page is written without it. ${message}`,
  )
  assert.match(
    missingWarning({ code: 'names_missing', count: 2, documents: 1, message }).message,
    /^2 names on 1 page could not be included/,
  )
  assert.equal(
    missingWarning({ code: 'constructor', count: 1200, documents: 1, message }).message,
    `1,200 parts of 1 document could not be included; the document is written without them. One of them: ${message}`,
  )
})

test('it sums up what limits left out, once for each scope', () => {
  const cut = (scope: string, leftOut: number | null) => ({
    code: 'documents_left_out',
    message: `${scope} ${leftOut}`,
    limit: { kind: 'documents_per_scope' as const, setting: 'max', scope, left_out: leftOut, noun: 'page' },
  })
  // An interrupted listing counted the first space twice.
  const warnings = [cut('A', 4), cut('A', 5), cut('B', 7), limitWarning('file_too_large', 2)]
  const incomplete = incompleteOf(warnings, 's')
  assert.equal(incomplete?.documents, 14)
  assert.deepEqual(
    incomplete.limits.map(({ kind, scope, left_out, source_id }) => [kind, scope, left_out, source_id]),
    [
      ['documents_per_scope', 'A', 5, 's'],
      ['documents_per_scope', 'B', 7, 's'],
      ['file_size', null, 2, 's'],
    ],
  )
  assert.equal(incompleteOf([...warnings, cut('C', null)], 's')?.documents, null)
  assert.equal(incompleteOf([{ code: 'listing_broken', message: 'x' }], 's'), null)
})

test('it names no route of the API in warnings and advice', async () => {
  for await (const file of glob('src/{jobs,ingest,pipeline,store,workflows}/**/*.ts')) {
    if (file.endsWith('.test.ts')) continue
    const text = await readFile(file, 'utf8')
    assert.doesNotMatch(
      text,
      /\/api\/v1|approve_deletions|failed-files|['"`\s](GET|POST|PUT|DELETE) \//,
      file,
    )
  }
})
