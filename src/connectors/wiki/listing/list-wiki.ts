import { AppError } from '../../../errors.ts'
import type { Warning } from '../../../report.ts'
import type { ListingPage, ListingStart } from '../../source.ts'
import type { AccountProof } from '../account-proof.ts'
import type { Space } from '../client.ts'
import { createListingRun, type ListedWiki, listSpace } from './list-space.ts'
import type { Selection } from './spaces.ts'

/** Spaces that are loaded at the same time. */
const CONCURRENT_SPACES = 3

type Listing = ListedWiki & {
  proof: AccountProof
  selected(signal: AbortSignal): Promise<Selection>
  from: ListingStart | undefined
}

/** A batch is yielded only when it is proved, because the job changes permissions as batches arrive. */
export async function* listWiki(
  { selected, from, proof, ...wiki }: Listing,
  outer: AbortSignal,
): AsyncGenerator<ListingPage> {
  // Stops pending spaces when one fails or the consumer stops.
  const stop = new AbortController()
  const signal = AbortSignal.any([outer, stop.signal])
  try {
    const { spaces, warnings } = await selected(signal)
    for (const warning of warnings) yield { kind: 'warning', warning }
    const run = createListingRun(wiki, signal)
    const unlisted = spaces.filter(({ key }) => !from?.ended.has(key))
    const pending: { space: Space; nextBatch: NextBatch<ListingPage[]> }[] = []
    const failures: AppError[] = []
    while (unlisted.length > 0 || pending.length > 0) {
      for (const space of unlisted.splice(0, CONCURRENT_SPACES - pending.length)) {
        const batches = listSpace(run, { space, after: from?.after.get(space.key) }, signal)
        pending.push({ space, nextBatch: readAhead(batches, proof.mark) })
      }
      const { space, nextBatch } = pending[0]!
      const outcome = await provedBatch(nextBatch, proof, signal).catch(errorUnlessFatal)
      if (outcome instanceof AppError) {
        // The other spaces are listed; this one has no `end`.
        failures.push(outcome)
        yield { kind: 'warning', warning: notListedWarning(space, outcome) }
      }
      if (outcome === null || outcome instanceof AppError) pending.shift()
      else
        for (const page of outcome) {
          // There is no request here that would stop on cancellation.
          outer.throwIfAborted()
          yield page
        }
    }
    outer.throwIfAborted()
    if (failures.length === spaces.length && failures[0]) throw failures[0]
    if (failures.length === 0) yield { kind: 'complete' }
  } finally {
    stop.abort()
  }
}

type NextBatch<T> = () => Promise<{ batch: T; mark: number } | null>

/** Loads one batch while the caller handles the one before; null after the last. */
function readAhead<T>(batches: AsyncGenerator<T>, mark: () => number): NextBatch<T> {
  const load = () => {
    const batch = batches.next().then((result) => ({ ...result, mark: mark() }))
    batch.catch(() => {})
    return batch
  }
  let loading = load()
  return async () => {
    const { value, done, mark } = await loading
    if (done) return null
    loading = load()
    return { batch: value, mark }
  }
}

/** One proof covers all batches that were read before it, also those of other spaces. */
async function provedBatch<T>(
  nextBatch: NextBatch<T>,
  { mark, prove }: AccountProof,
  signal: AbortSignal,
): Promise<T | null> {
  const next = await nextBatch().catch(async (error) => {
    const failure = errorUnlessFatal(error)
    // Signed out, a space may be missing: that is no failure of the space.
    await prove(mark(), signal)
    throw failure
  })
  if (!next) return null
  await prove(next.mark, signal)
  return next.batch
}

function errorUnlessFatal(error: unknown): AppError {
  if (error instanceof AppError && !error.endsJob) return error
  throw error
}

function notListedWarning({ key, name }: Space, error: AppError): Warning {
  return { code: 'space_not_listed', message: `space ${key} (${name}) could not be listed: ${error.message}` }
}
