import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { jobsOf, millisecondsOf, runsOf, summaryOf } from './runs.ts'
import type { Job } from './types.ts'

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
    ...more,
  }
}

describe('the strip of last runs', () => {
  test('shows thirty at most, the newest at the end', () => {
    const jobs = jobsOf(
      [...Array(40).keys()].map((minute) => job(minute)).concat(job(99, { workflow_id: 'x' })),
      'w',
    )
    const runs = runsOf(jobs)
    assert.equal(runs.length, 30)
    assert.equal(jobs[0]?.id, '39')
    assert.match(runs.at(-1)?.label ?? '', /39.*Completed, 13 s$/)
  })

  test('is the higher the longer a run took, and says of one that has not begun that it has not', () => {
    const [waiting, done] = runsOf([job(2), job(1, { status: 'SCHEDULED', runtime: null })])
    assert.equal(Math.round((done?.value ?? 0) ** 2), 12_500)
    assert.equal(waiting?.value, 0)
    assert.match(waiting?.label ?? '', /not started/)
  })

  test('is told in one sentence', () => {
    assert.equal(
      summaryOf([job(1), job(2), job(3, { status: 'FAILED' })]),
      'The last 3 runs: 2 completed, 1 failed',
    )
    assert.equal(millisecondsOf('PT0.0S'), 0)
    assert.equal(millisecondsOf(null), undefined)
  })
})
