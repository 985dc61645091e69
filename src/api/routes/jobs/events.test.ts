import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ZERO_COUNTS } from '../../../store/jobs/job-documents.ts'
import type { Progress } from '../../../store/jobs/job-progress.ts'
import { progressOf } from './events.ts'

describe('the progress of a run', () => {
  const states = { ...ZERO_COUNTS, pending: 30, in_progress: 20, new: 50 }
  const progressWith = (more: Partial<Progress>) => {
    const job = {
      ...{ status: 'IN_PROGRESS', listed: true, settings: { nodes: [] }, warnings: [] },
      ...{ removed: 0, held_back: 0, step_ms: {} },
    }
    return progressOf({
      // Only the fields that `progressOf` reads.
      job: job as unknown as Progress['job'],
      states,
      stages: [{ stage: 'read', state: 'in_progress', documents: 20 }],
      toProcess: 100,
      documentsPerSecond: 0,
      elementsPerSecond: 0,
      averagePerSecond: 0,
      ...more,
    })
  }

  test('estimates the end from the recent rate, or from the average if nothing ended recently', () => {
    assert.equal(progressWith({ documentsPerSecond: 5, averagePerSecond: 1 }).eta_seconds, 10)
    assert.equal(progressWith({ averagePerSecond: 2 }).eta_seconds, 25)
    assert.equal(progressWith({}).eta_seconds, null)
  })

  test('counts nodes and documents consistently', () => {
    const { found, node_stats } = progressWith({})
    assert.equal(found, 100)
    assert.deepEqual(
      node_stats.map(({ ready, in_progress, success, failure }) => ready + in_progress + success + failure),
      [100, 100],
    )
  })
})
