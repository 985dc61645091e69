import type { z } from 'zod'
import * as wire from '../responses.ts'
import type { WikiRequest, WikiTransport } from './transport.ts'

/** The server's maximum; above it some endpoints silently return 25. */
export const PAGE_SIZE = '250'

export type ListRequest = Omit<WikiRequest<never>, 'response'>

/** Reads lists; `all` and `byOffset` are for short or bounded ones. */
export function listReaders({ send, sendPaged }: WikiTransport) {
  async function* pages<T extends z.ZodType>(
    request: ListRequest,
    item: T,
    signal: AbortSignal,
  ): AsyncGenerator<z.output<T>[]> {
    for await (const { results } of sendPaged({ ...request, response: wire.listOf(item) }, signal))
      yield results
  }

  async function all<T extends z.ZodType>(request: ListRequest, item: T, signal: AbortSignal) {
    return (await Array.fromAsync(pages(request, item, signal))).flat()
  }

  /** Lists of people and groups use offsets; their `next` may be missing. */
  async function byOffset<T extends z.ZodType>(request: ListRequest, item: T, signal: AbortSignal) {
    const rows: z.output<T>[] = []
    for (;;) {
      const query = { ...request.query, start: String(rows.length), limit: '200' }
      const response = await send({ ...request, query, response: wire.listOf(item) }, signal)
      rows.push(...response.results)
      const isFull = response.results.length >= Math.min(200, response.limit ?? 200)
      if (response.results.length === 0 || (!isFull && !response._links?.next)) return rows
    }
  }

  return { pages, all, byOffset }
}
