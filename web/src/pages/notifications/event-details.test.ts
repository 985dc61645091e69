import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detailsOf } from './event-details.ts'

const event = (event_type: string, payload: Record<string, unknown>) =>
  detailsOf({ id: '1', event_type, workflow_id: null, payload, created_at: '', is_read: false })
const job = { job_id: 'j', workflow_id: 'w', workflow_name: 'Nightly' }

test('it says what each event is about', () => {
  const counts = { new: 1200, changed: 0, removed: 2, failed: 1, unchanged: 7 }
  const completed = { ...job, processing_status: 'COMPLETED_WITH_ERRORS', counts, incomplete: null }
  assert.deepEqual(event('job.completed', { job: completed }), {
    state: 'COMPLETED_WITH_ERRORS',
    label: 'Run completed',
    link: { kind: 'job', id: 'j', name: 'Nightly' },
    text: '1,200 new, 2 removed, 1 failed',
    incomplete: null,
  })
  const incomplete = { documents: 81, limits: [] }
  const cut = event('job.completed', { job: { ...job, processing_status: 'SUCCESS', incomplete } })
  assert.deepEqual([cut.state, cut.incomplete], ['warning', incomplete])
  assert.equal(event('job.completed', { job }).text, 'nothing changed')
  assert.equal(
    event('deletions.held_back', { job, held_back: 26 }).text,
    '26 documents left the source and wait for approval',
  )
  const connector = { connector_id: 'c', kind: 'source', name: 'Docs' }
  assert.deepEqual(event('connector.failing', { connector, failures: 3, error_code: 'source_failed' }), {
    state: 'FAILURE',
    label: 'Connector failing',
    link: { kind: 'source', id: 'c', name: 'Docs' },
    text: '3 failures in a row. Last error: The source failed',
    incomplete: null,
  })
})

test('it survives events that it does not know', () => {
  assert.deepEqual(event('moon.full', {}), {
    ...{ state: 'moon.full', label: 'moon.full', link: null, text: '', incomplete: null },
  })
})
