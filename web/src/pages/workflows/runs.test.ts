import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Job } from '../../service/types.ts'
import { jobsOf, runsOf, summaryOf } from './runs.ts'

const counts = {
  discovered: 3,
  new: 3,
  changed: 0,
  unchanged: 0,
  skipped: 0,
  failed: 0,
  removed: 0,
  permissions_only: 0,
}

function job(minute: number, more: Partial<Job> = {}): Job {
  return {
    id: String(minute),
    workflow_id: 'w',
    workflow_name: 'W',
    status: 'COMPLETED',
    created_at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
    runtime: 'PT12.5S',
    input_file_ids: null,
    output_node_files: null,
    job_type: 'persistent',
    processing_status: 'SUCCESS',
    found: 3,
    counts,
    kind: 'content',
    held_back: 0,
    incomplete: null,
    started_by: { kind: 'person', name: 'Ada' },
    ...more,
  }
}

describe('the bars of the last runs', () => {
  test('shows at most thirty runs, the newest last', () => {
    const jobs = jobsOf(
      [...Array(40).keys()].map((minute) => job(minute)).concat(job(99, { workflow_id: 'x' })),
      'w',
    )
    const runs = runsOf(jobs)
    assert.equal(runs.length, 30)
    assert.equal(jobs[0]?.id, '39')
    assert.match(runs.at(-1)?.label ?? '', /39.*Successful, 13 s$/)
  })

  test('has higher bars for longer runs, and marks a run that has not started', () => {
    const [waiting, done] = runsOf([job(2), job(1, { processing_status: 'SCHEDULED', runtime: null })])
    assert.equal(Math.round((done?.value ?? 0) ** 2), 12_500)
    assert.equal(waiting?.value, 0)
    assert.match(waiting?.label ?? '', /not started/)
  })

  test('marks runs that completed with errors', () => {
    const withErrors = { status: 'COMPLETED', processing_status: 'COMPLETED_WITH_ERRORS' } as const
    const [held, failed, successful] = runsOf([
      job(3),
      job(2, { ...withErrors, counts: { ...counts, failed: 2 } }),
      job(1, { ...withErrors, held_back: 40 }),
    ])
    assert.deepEqual([held?.tone, failed?.tone, successful?.tone], ['warning', 'warning', 'good'])
    assert.match(held?.label ?? '', /Completed with errors, 40 held back, 13 s$/)
    assert.match(failed?.label ?? '', /Completed with errors, 2 failed, 13 s$/)
  })

  test('has a summary in one sentence', () => {
    assert.equal(
      summaryOf([job(1), job(2), job(3, { processing_status: 'FAILED' })]),
      'The last 3 runs: 2 successful, 1 failed',
    )
  })
})
