import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ZERO_COUNTS } from '../../../store/jobs/job-documents.ts'
import type { Progress } from '../../../store/jobs/job-progress.ts'
import { progressOf } from './events.ts'

describe('the progress of a run', () => {
  const states = { ...ZERO_COUNTS, pending: 30, in_progress: 20, new: 50 }
  const told = (more: Partial<Progress>) => {
    const job = { status: 'IN_PROGRESS', listed: true, settings: { nodes: [] }, removed: 0, held_back: 0 }
    return progressOf({
      // Only what the answer is made from.
      job: job as unknown as Progress['job'],
      states,
      toWork: 100,
      documentsPerSecond: 0,
      elementsPerSecond: 0,
      averagePerSecond: 0,
      ...more,
    })
  }

  test('is guessed by the pace of late, and by that of the whole run where nothing ended lately', () => {
    assert.equal(told({ documentsPerSecond: 5, averagePerSecond: 1 }).eta_seconds, 10)
    assert.equal(told({ averagePerSecond: 2 }).eta_seconds, 25)
    assert.equal(told({}).eta_seconds, null)
  })

  test('counts the nodes at the same moment as the documents', () => {
    const { found, node_stats } = told({})
    assert.equal(found, 100)
    assert.deepEqual(
      node_stats.map(({ ready, in_progress, success, failure }) => ready + in_progress + success + failure),
      [100, 100],
    )
  })
})
