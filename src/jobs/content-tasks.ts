import type { Database } from '../store/database.ts'
import { numberTasks } from '../store/jobs/jobs.ts'
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
  if (suspects > 0) await sendSuspectTasks(transaction, { engine, jobId, suspects })
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

/** Tasks that process documents whose process died one by one, so that the next death tells which of them it was. */
async function sendSuspectTasks(
  transaction: Database,
  { engine, jobId, suspects }: { engine: TaskQueue; jobId: string; suspects: number },
): Promise<void> {
  const count = Math.ceil(suspects / SMALL_CLAIM)
  const first = await numberTasks(transaction, jobId, count)
  const tasks = Array.from({ length: count }, (_, at): TaskData['content'] => {
    return { jobId, number: first + at, claims: 1, alone: true }
  })
  await engine.sendAll('content', tasks, transaction)
}
