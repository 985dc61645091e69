import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { estimateRun } from './run-estimate.ts'

const spaces = [
  { key: 'ENG', name: 'Engineering', documents: 231 },
  { key: 'HR', name: 'People', documents: 40 },
  { key: '~ada', name: 'Ada', documents: null },
]

describe('the estimate of a first run', () => {
  test('it counts what the limits leave out', () => {
    assert.deepEqual(estimateRun(spaces, null, { scopes: 2, documents: 150 }), {
      scopes: 2,
      documents: 190,
      leftOut: 81,
      scopesLeftOut: 1,
      unknown: 1,
      needed: 231,
    })
  })

  test('it counts only chosen scopes', () => {
    const { scopes, documents, leftOut, unknown } = estimateRun(spaces, ['HR', 'gone'], {
      scopes: null,
      documents: 150,
    })
    assert.deepEqual([scopes, documents, leftOut, unknown], [1, 40, 0, 0])
    assert.equal(estimateRun([], null, { scopes: null, documents: null }).needed, 0)
  })
})
