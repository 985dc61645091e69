import type { z } from 'zod'
import * as wire from '../responses.ts'
import type { WikiRequest, WikiTransport } from './transport.ts'

/** The server's maximum; above it some endpoints silently return 25. */
export const PAGE = '250'

export type ListRequest = Omit<WikiRequest<never>, 'response'>

/** Reads whole lists into arrays; only for short or bounded lists. */
export function listReaders({ ask, askAll }: WikiTransport) {
  async function all<T extends z.ZodType>(
    question: Omit<WikiRequest<never>, 'response'>,
    item: T,
    signal: AbortSignal,
  ) {
    const rows: z.output<T>[] = []
    for await (const response of askAll({ ...question, response: wire.listOf(item) }, signal))
      rows.push(...response.results)
    return rows
  }

  /** Lists of people and groups use offsets; their `next` may be missing. */
  async function byOffset<T extends z.ZodType>(
    question: Omit<WikiRequest<never>, 'response'>,
    item: T,
    signal: AbortSignal,
  ) {
    const rows: z.output<T>[] = []
    for (;;) {
      const query = { ...question.query, start: String(rows.length), limit: '200' }
      const response = await ask({ ...question, query, response: wire.listOf(item) }, signal)
      rows.push(...response.results)
      const full = response.results.length >= Math.min(200, response.limit ?? 200)
      if (response.results.length === 0 || (!full && !response._links?.next)) return rows
    }
  }

  return { all, byOffset }
}
