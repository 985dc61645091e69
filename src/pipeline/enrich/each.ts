import { forEachLimited } from '../../concurrency.ts'
import { AppError } from '../../errors.ts'
import { ModelRefusal } from '../models/exchange.ts'

/** `mayRetry`: the next run may succeed. */
type TaskResults<T> = {
  results: (T | null)[]
  failures: string[]
  skipped: string[]
  mayRetry: boolean
}

/** Requests at a time per document; the exchange limits them per provider. */
const CONCURRENCY = 4
/** After this, an endpoint counts as down and gets no more requests for the document. */
const MAX_CONSECUTIVE_FAILURES = 3
/** Each request costs money and a page's author decides their number; a long page has about 100. */
const MAX_MODEL_REQUESTS = 1000

/** A failure affects one task only, until the endpoint counts as down. */
export async function askEach<T>(
  tasks: ((signal: AbortSignal) => Promise<T | null>)[],
  signal: AbortSignal,
): Promise<TaskResults<T>> {
  const results: (T | null)[] = tasks.map(() => null)
  const failures: string[] = []
  let consecutiveFailures = 0
  let mayRetry = false
  const end = Math.min(tasks.length, MAX_MODEL_REQUESTS)
  const skipped = Array.from({ length: tasks.length - end }, () => TOO_MANY)

  await forEachLimited(tasks.slice(0, end).entries(), CONCURRENCY, async ([index, task]) => {
    if (consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) {
      failures.push(failures[0] ?? '')
      return
    }
    try {
      results[index] = await task(signal)
      if (results[index] === null) failures.push('the answer is unusable')
      consecutiveFailures = 0
    } catch (error) {
      signal.throwIfAborted()
      // The next run repeats the whole document once there are tokens again.
      if (!(error instanceof AppError) || error.code === 'model_tokens_used_up') throw error
      failures.push(error.message)
      // A refusal concerns one request and would repeat; other failures may be temporary.
      if (error instanceof ModelRefusal) return
      mayRetry = true
      consecutiveFailures++
    }
  })
  signal.throwIfAborted()
  return { results, failures, skipped, mayRetry }
}

const TOO_MANY = `a document gets at most ${MAX_MODEL_REQUESTS.toLocaleString('en')} model requests`
