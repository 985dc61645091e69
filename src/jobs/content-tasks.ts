import type { Database } from '../store/database.ts'
import { numberTasks } from '../store/jobs/jobs.ts'
import type { TaskData, TaskQueue } from './engine.ts'

/** Documents that a task claims: the first tasks of a job claim few, so that small jobs use all workers. */
const SMALL_CLAIM = 50
const LARGE_CLAIM = 150
const FIRST_TASKS = 8

/** Sends enough tasks for the waiting documents, in the transaction that recorded them. */
export async function sendContentTasks(
  transaction: Database,
  { engine, jobId, documents }: { engine: TaskQueue; jobId: string; documents: number },
): Promise<void> {
  if (documents === 0) return
  const first = await numberTasks(transaction, jobId, Math.ceil(documents / SMALL_CLAIM))
  const tasks: TaskData['content'][] = []
  for (let left = documents, number = first; left > 0; number++) {
    const claims = number < FIRST_TASKS ? SMALL_CLAIM : LARGE_CLAIM
    tasks.push({ jobId, number, claims })
    left -= claims
  }
  await engine.sendAll('content', tasks, transaction)
}
