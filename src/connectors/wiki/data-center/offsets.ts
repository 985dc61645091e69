import type { z } from 'zod'
import { AppError } from '../../../errors.ts'
import { IdSet } from '../id-set.ts'
import * as wire from '../responses.ts'
import type { ListRequest } from '../transport/lists.ts'
import type { WikiTransport } from '../transport/transport.ts'

const LIMIT = 200
/** Consecutive empty windows; 100 are 20,000 rows that the account may not see. */
const MAX_EMPTY_WINDOWS = 100
/** How often the list may shift before reading fails. */
const MAX_SHIFTS = 20

/**
 * Reads a list by `start` and `limit`; the server's next link is unreliable. A deleted row moves later rows to lower
 * offsets, so each window repeats the last row of the one before, and the reader goes back if no row is known.
 */
export async function* readWindows<T extends z.ZodType<{ id: string }>>(
  { send, site }: Pick<WikiTransport, 'send' | 'site'>,
  { item, ...request }: ListRequest & { item: T },
  signal: AbortSignal,
): AsyncGenerator<{ rows: z.output<T>[]; base: string | null }> {
  const seen = new IdSet()
  let [start, overlaps, shifts, empty] = [0, false, 0, 0]
  const failure = (message: string) =>
    new AppError('source_misread', `${request.doing}: ${site.name} ${message}`)
  for (;;) {
    const query = { ...request.query, start: String(start), limit: String(LIMIT) }
    const response = await send({ ...request, query, response: wire.listOf(item) }, signal)
    const { results } = response
    if (overlaps && !results.some(({ id }) => seen.has(id))) {
      if (++shifts > MAX_SHIFTS) throw failure('changes its list faster than it can be read')
      start = Math.max(0, start - LIMIT)
      overlaps = start > 0
      continue
    }
    const rows = results.filter(({ id }) => !seen.has(id))
    for (const { id } of rows) seen.add(id)
    if (rows.length > 0) yield { rows, base: response._links?.base ?? null }

    const nextStart = startIn(response._links?.next)
    const isFull = results.length >= Math.min(LIMIT, response.limit ?? LIMIT)
    if (nextStart === null && !isFull) return
    if (rows.length > 0 || (isFull && results.length > 1)) {
      overlaps = results.length > 1
      start += Math.max(1, results.length - 1)
    } else {
      // Nothing new: the end, or rows the account may not see.
      if (nextStart === null || nextStart <= start) return
      if (++empty > MAX_EMPTY_WINDOWS) throw failure('keeps announcing more rows but returns none')
      overlaps = false
      start = Math.min(nextStart, start + LIMIT)
    }
    if (rows.length > 0) empty = 0
  }
}

function startIn(link: string | null | undefined): number | null {
  const start = /[?&]start=(\d+)/.exec(link ?? '')?.[1]
  return start === undefined ? null : Number(start)
}
