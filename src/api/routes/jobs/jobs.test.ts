import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type StateCounts, ZERO_COUNTS } from '../../../store/jobs/job-documents.ts'
import type { JobRow } from '../../../store/jobs/jobs.ts'
import { answerDetails } from './jobs.ts'

describe('the node counts of a job', () => {
  const sums = (status: JobRow['status'], states: Partial<StateCounts>) => {
    const nodes = [{ id: 'n', name: 'Partitioner', type: 'partition', subtype: 'auto', settings: null }]
    // Only what the answer is made from.
    const job = { id: 'j', status, settings: { nodes }, warnings: [], removed: 0 } as unknown as JobRow
    return answerDetails(job, { ...ZERO_COUNTS, ...states }).node_stats.map(
      ({ ready, in_progress, success, failure }) => ready + in_progress + success + failure,
    )
  }

  test('add up to what came to each node while it runs', () => {
    assert.deepEqual(sums('IN_PROGRESS', { pending: 3, in_progress: 2, new: 4, failed: 1 }), [10, 10, 10])
    assert.deepEqual(sums('COMPLETED', { new: 4, unchanged: 5, permissions_only: 2, skipped: 1 }), [12, 4, 6])
  })

  test('still hold what was not reached when it is stopped', () => {
    assert.deepEqual(sums('STOPPED', { new: 4, failed: 1, skipped: 5 }), [10, 10, 10])
  })
})
