import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rankOf, rankScores } from './ranks.ts'

test('it computes the share of pages among ten hits and their rank', () => {
  const hits = ['a', 'a', 'b'].map((record_id) => ({ record_id }))
  assert.deepEqual([rankOf('a', hits), rankOf('b', hits), rankOf('c', hits)], [0, 2, null])
  assert.deepEqual(rankScores([0, 1, null, 10]), { recall_at_10: 0.5, mrr: 0.375 })
  assert.deepEqual(rankScores([]), { recall_at_10: 0, mrr: 0 })
})
