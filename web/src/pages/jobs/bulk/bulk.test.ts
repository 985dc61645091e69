import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '../../../service/types.ts'
import { bulkOf, isSelectable } from './bulk.ts'

// Only the fields that bulk actions read.
const job = (more: { failed?: number; held_back?: number; status?: string; job_type?: string }) =>
  ({
    ...{ status: 'COMPLETED', kind: 'content', job_type: 'persistent', held_back: 0, ...more },
    counts: { failed: more.failed ?? 0 },
  }) as Job

test('it offers an action only for ended jobs that need it', () => {
  const jobs = [
    job({ failed: 2 }),
    job({ failed: 1, held_back: 30 }),
    job({ failed: 9, status: 'IN_PROGRESS' }),
    job({ failed: 4, job_type: 'ephemeral' }),
    job({}),
  ]
  assert.deepEqual(jobs.map(isSelectable), [true, true, false, false, false])
  const retry = bulkOf(jobs, 'retry')
  assert.deepEqual([retry.jobs.length, retry.documents], [2, 3])
  const approve = bulkOf(jobs, 'approve')
  assert.deepEqual([approve.jobs.length, approve.documents], [1, 30])
})
