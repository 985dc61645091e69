import type { Database } from '../../store/database.ts'
import { numberTasks } from '../../store/jobs/jobs.ts'
import type { TaskData, TaskQueue } from './engine.ts'

/** Documents that a task claims: the first tasks of a job claim few, so that small jobs use all workers. */
const SMALL_CLAIM = 50
const LARGE_CLAIM = 150
const FIRST_TASKS = 8

type NewDocuments = { engine: TaskQueue; jobId: string; documents: number; suspects?: number }

/** Sends enough tasks for the waiting documents, in the transaction that recorded them. */
export async function sendContentTasks(
  transaction: Database,
  { engine, jobId, documents, suspects = 0 }: NewDocuments,
): Promise<void> {
  // One task for all of them: it works on a few at a time, so that the next death tells which of them it was.
  if (suspects > 0) {
    const number = await numberTasks(transaction, jobId, 1)
    await engine.sendAll('content', [{ jobId, number, claims: 1, alone: true }], transaction)
  }
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
