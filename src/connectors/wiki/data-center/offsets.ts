import type { z } from 'zod'
import { AppError } from '../../../errors.ts'
import * as wire from '../answers.ts'
import type { ListRequest } from '../transport/lists.ts'
import type { WikiTransport } from '../transport/transport.ts'

const LIMIT = 200
/** Windows without a single row, one after the other: 20,000 rows that the account may not see. */
const MOST_EMPTY = 100
/** How often a list may shift under the reader before it is given up. */
const MOST_SHIFTS = 20

/**
 * A list by `start` and `limit`, to its certain end. Such a list moves while it is read: a row that is deleted in
 * front pulls an unread one into the part that was read already. So each window begins with the last row of the
 * one before, and where nothing known shows up in it the reader goes back. The server's own next link counts too
 * few at times, is there where nothing follows, or is missing where something does: it is only asked whether
 * there is more.
 */
export async function* readWindows<T extends z.ZodType<{ id: string }>>(
  { ask, site }: Pick<WikiTransport, 'ask' | 'site'>,
  { item, ...question }: ListRequest & { item: T },
  signal: AbortSignal,
): AsyncGenerator<{ rows: z.output<T>[]; base: string | null }> {
  const seen = new Set<string>()
  let [start, overlaps, shifts, empty] = [0, false, 0, 0]
  const givenUp = (why: string) => new AppError('source_misread', `${question.doing}: ${site.name} ${why}`)
  for (;;) {
    const query = { ...question.query, start: String(start), limit: String(LIMIT) }
    const answer = await ask({ ...question, query, answer: wire.listOf(item) }, signal)
    const { results } = answer
    if (overlaps && !results.some(({ id }) => seen.has(id))) {
      if (++shifts > MOST_SHIFTS) throw givenUp('changes its list faster than it can be read')
      start = Math.max(0, start - LIMIT)
      overlaps = start > 0
      continue
    }
    const rows = results.filter(({ id }) => !seen.has(id))
    for (const { id } of rows) seen.add(id)
    if (rows.length > 0) yield { rows, base: answer._links?.base ?? null }

    const linked = startIn(answer._links?.next)
    const full = results.length >= Math.min(LIMIT, answer.limit ?? LIMIT)
    if (linked === null && !full) return
    if (rows.length > 0 || (full && results.length > 1)) {
      overlaps = results.length > 1
      start += Math.max(1, results.length - 1)
    } else {
      // Only what was known, or nothing: either the end, or a stretch that the account may not see.
      if (linked === null || linked <= start) return
      if (++empty > MOST_EMPTY) throw givenUp('says again and again that there is more, and shows nothing')
      overlaps = false
      start = Math.min(linked, start + LIMIT)
    }
    if (rows.length > 0) empty = 0
  }
}

function startIn(link: string | null | undefined): number | null {
  const start = /[?&]start=(\d+)/.exec(link ?? '')?.[1]
  return start === undefined ? null : Number(start)
}
