import type { z } from 'zod'
import * as wire from '../answers.ts'
import type { WikiRequest, WikiTransport } from './transport.ts'

/** The server's maximum; above it some endpoints silently return 25. */
export const PAGE = '250'

export type ListRequest = Omit<WikiRequest<never>, 'answer'>

/** Reads whole lists into arrays; only for short or bounded lists. */
export function listReaders({ ask, askAll }: WikiTransport) {
  async function all<T extends z.ZodType>(
    question: Omit<WikiRequest<never>, 'answer'>,
    item: T,
    signal: AbortSignal,
  ) {
    const rows: z.output<T>[] = []
    for await (const answer of askAll({ ...question, answer: wire.listOf(item) }, signal))
      rows.push(...answer.results)
    return rows
  }

  /** Lists of people and groups use offsets; their `next` may be missing. */
  async function byOffset<T extends z.ZodType>(
    question: Omit<WikiRequest<never>, 'answer'>,
    item: T,
    signal: AbortSignal,
  ) {
    const rows: z.output<T>[] = []
    for (;;) {
      const query = { ...question.query, start: String(rows.length), limit: '200' }
      const answer = await ask({ ...question, query, answer: wire.listOf(item) }, signal)
      rows.push(...answer.results)
      const full = answer.results.length >= Math.min(200, answer.limit ?? 200)
      if (answer.results.length === 0 || (!full && !answer._links?.next)) return rows
    }
  }

  return { all, byOffset }
}
