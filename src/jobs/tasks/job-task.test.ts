import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../errors.ts'
import { closed } from '../../pipeline/partition/reading/reader-pool.ts'
import type { Database } from '../../store/database.ts'
import type { JobRow } from '../../store/jobs/jobs.ts'
import { cancelled } from '../job-outcome.ts'
import { runJobTask } from './job-task.ts'

/** No query is sent within the first second. */
const db = {} as Database
const job = { id: 'j' } as JobRow

describe('a task that fails', () => {
  const takenOver = new AppError('taken_over', 'another task has these documents')

  test('it ends without a failure if the job was stopped', async () => {
    assert.deepEqual(await run(cancelled('j'), { mayBeTakenOver: false }), ['left'])
  })

  test('it ends without a failure if another task continues its work', async () => {
    assert.deepEqual(await run(takenOver, { mayBeTakenOver: true }), ['left'])
  })

  test('it runs again if no other task continues its work, then fails', async () => {
    assert.deepEqual(await run(takenOver, { mayBeTakenOver: false }), ['again'])
    assert.deepEqual(await run(takenOver, { mayBeTakenOver: false, tries: 3 }), ['taken_over', 'done'])
  })

  test('it runs again elsewhere if the service closes', async () => {
    assert.deepEqual(await run(closed({ filename: 'a.pdf' }), { mayBeTakenOver: true }), ['again'])
  })
})

type Run = { mayBeTakenOver: boolean; tries?: number }

/** The code that it failed with, if any, and how it ended. */
async function run(error: AppError, { mayBeTakenOver, tries = 1 }: Run): Promise<string[]> {
  const failures: string[] = []
  const { signal } = new AbortController()
  const ended = runJobTask(db, job, {
    attempt: { id: 't', tries, lastTry: false, signal },
    work: () => Promise.reject(error),
    fail: async (failure) => void failures.push((failure as AppError).code),
    mayBeTakenOver,
  })
  const outcome = await ended.catch((thrown) => {
    assert.equal(thrown, error)
    return 'again'
  })
  return [...failures, outcome]
}
