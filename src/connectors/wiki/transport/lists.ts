import type { z } from 'zod'
import * as wire from '../answers.ts'
import type { WikiRequest, WikiTransport } from './transport.ts'

/** The server's cap for lists; above it some endpoints silently fall back to 25. */
export const PAGE = '250'

export type ListRequest = Omit<WikiRequest<never>, 'answer'>

/** Whole lists in one array; for those that are never long, or asked for by a bounded number of ids. */
export function wholeLists({ ask, askAll }: WikiTransport) {
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

  /** Lists of people and groups go by offset, and their `next` may be missing where there is more. */
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
