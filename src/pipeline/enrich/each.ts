import { AppError } from '../../errors.ts'
import { ModelRefusal } from '../models/exchange.ts'

/** `mayRetry`: the next run may succeed where this one failed. */
export type TaskResults<T> = {
  results: (T | null)[]
  failures: string[]
  left: string[]
  mayRetry: boolean
}

/** Requests at a time per document; the exchange limits them per provider. */
const AT_ONCE = 4
/** After this, an endpoint counts as down and gets no more requests for the document. */
const FAILURES_IN_A_ROW = 3
/** Each request costs money and a page's author decides their number; a long page has about 100. */
export const MOST_QUESTIONS = 1000

/** A failure affects one task only, until the endpoint counts as down. */
export async function askEach<T>(
  tasks: ((signal: AbortSignal) => Promise<T | null>)[],
  signal: AbortSignal,
): Promise<TaskResults<T>> {
  const results: (T | null)[] = tasks.map(() => null)
  const failures: string[] = []
  let inARow = 0
  let mayRetry = false
  let next = 0
  const end = Math.min(tasks.length, MOST_QUESTIONS)
  const left = Array.from({ length: tasks.length - end }, () => LEFT)

  async function work(): Promise<void> {
    while (next < end) {
      const index = next++
      if (inARow >= FAILURES_IN_A_ROW) {
        failures.push(failures[0] ?? '')
        continue
      }
      try {
        results[index] = await tasks[index]!(signal)
        if (results[index] === null) failures.push('the answer is unusable')
        inARow = 0
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof AppError)) throw error
        failures.push(error.message)
        // A refusal is permanent for this task; other errors may pass.
        if (error instanceof ModelRefusal) continue
        mayRetry = true
        inARow++
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  signal.throwIfAborted()
  return { results, failures, left, mayRetry }
}

const LEFT = `a document gets at most ${MOST_QUESTIONS.toLocaleString('en')} model requests`
