import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Incomplete, incompleteText } from './incomplete.ts'

type Limit = Incomplete['limits'][number]

const limit = (kind: Limit['kind'], noun: string, left_out: number | null): Limit => ({
  ...{ kind, noun, left_out, setting: 'max', scope: null, source_id: 's' },
})

test('it says how much a limit left out, or that more was left out', () => {
  const text = (documents: number | null, ...limits: Limit[]) => incompleteText({ documents, limits })
  const pages = (leftOut: number | null) => limit('documents_per_scope', 'page', leftOut)
  assert.equal(text(81, pages(80), pages(1)), 'Incomplete: 81 pages left out')
  assert.equal(text(1, pages(1)), 'Incomplete: 1 page left out')
  assert.equal(text(2, limit('file_size', 'file', 2)), 'Incomplete: 2 files left out')
  assert.equal(text(3, pages(1), limit('file_size', 'file', 2)), 'Incomplete: 3 documents left out')
  assert.equal(text(null, limit('scopes', 'space', 3)), 'Incomplete: 3 spaces left out')
  assert.equal(text(null, limit('scopes', 'space', 3), pages(null)), 'Incomplete: more pages left out')
})
