import { within } from '../concurrency.ts'
import type { ReadOutcome } from '../connectors/source.ts'

type TimedReading = { outcomes: AsyncGenerator<ReadOutcome>; wasStopped(): boolean }

/** A document that is already in memory arrives within this time. */
const AT_HAND_MS = 500

/**
 * Reads until `endsAt`, then takes only documents at hand and stops at the first one it would wait for. It always waits
 * for one, so that every slice makes progress.
 */
export function readUntil(
  endsAt: number,
  read: (signal: AbortSignal) => AsyncIterable<ReadOutcome>,
  signal: AbortSignal,
): TimedReading {
  let isStopped = false

  async function* outcomes(): AsyncGenerator<ReadOutcome> {
    const stop = new AbortController()
    const iterator = read(AbortSignal.any([signal, stop.signal]))[Symbol.asyncIterator]()
    try {
      let result: IteratorResult<ReadOutcome> | null = await iterator.next()
      while (result && !result.done) {
        yield result.value
        result = await within(iterator.next(), Math.max(AT_HAND_MS, endsAt - performance.now()))
      }
      isStopped = result === null
    } finally {
      if (isStopped) stop.abort(new Error('the time of the slice is over'))
      await iterator.return?.().catch(() => {})
    }
  }
  return { outcomes: outcomes(), wasStopped: () => isStopped }
}
