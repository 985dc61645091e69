import { forEachLimited } from '../../concurrency.ts'
import { AppError } from '../../errors.ts'
import { ModelRefusal } from '../models/exchange.ts'

/** What became of asking about one thing after the other. `again`: some of it may be had the next time. */
export type EnrichmentContext<T> = {
  results: (T | null)[]
  failures: string[]
  left: string[]
  again: boolean
}

/** Under way at once for one document; the exchange bounds what all of them ask of a provider. */
const AT_ONCE = 4
/** An endpoint that is down is not asked a thousand times for one document, with all the patience for each. */
const FAILURES_IN_A_ROW = 3
/** Each is paid for, and whoever writes a page decides how many there are: a long one has some hundred. */
export const MOST_QUESTIONS = 1000

/** One thing's failure is its own: the others are asked about, until the endpoint is plainly down. */
export async function askEach<T>(
  tasks: ((signal: AbortSignal) => Promise<T | null>)[],
  signal: AbortSignal,
): Promise<EnrichmentContext<T>> {
  const results: (T | null)[] = tasks.map(() => null)
  const failures: string[] = []
  let inARow = 0
  let again = false
  const end = Math.min(tasks.length, MOST_QUESTIONS)
  const left = Array.from({ length: tasks.length - end }, () => LEFT)

  await forEachLimited(tasks.slice(0, end).entries(), AT_ONCE, async ([index, task]) => {
    if (inARow >= FAILURES_IN_A_ROW) {
      failures.push(failures[0] ?? '')
      return
    }
    try {
      results[index] = await task(signal)
      if (results[index] === null) failures.push('its answer could not be read')
      inARow = 0
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof AppError)) throw error
      failures.push(error.message)
      // A refusal is about this one thing, and will be one tomorrow; anything else may pass.
      if (error instanceof ModelRefusal) return
      again = true
      inARow++
    }
  })
  signal.throwIfAborted()
  return { results, failures, left, again }
}

const LEFT = `of one document ${MOST_QUESTIONS.toLocaleString('en')} things are asked about`
