import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { LIST_CURSOR, type ListRange } from '../../store/keyset.ts'

/** The most entries of one response, and the default. */
const MAX_LIST = 1000

const cursor = z
  .string()
  .describe('`x-next-cursor` of the previous response; it is absent at the end of the list')

/** Query parameters of every list. */
export const listQuery = {
  limit: z.coerce.number().int().min(1).max(MAX_LIST).default(MAX_LIST),
  cursor: cursor.regex(LIST_CURSOR, 'cursor should be the x-next-cursor of another response').optional(),
}

/** For lists whose order the request chooses: the cursor is a number of entries. */
export const offsetQuery = {
  limit: z.coerce.number().int().min(1).max(100).optional(),
  cursor: cursor.regex(/^\d{1,9}$/, 'cursor should be the x-next-cursor of another response').optional(),
}

/** For lists in the order of a text, such as a record id; its entries are small. */
export const textQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(10_000).default(10_000),
  cursor: cursor
    .max(3000)
    .regex(/^[\w-]+$/, 'cursor should be the x-next-cursor of another response')
    .optional(),
})

export function toTextCursor(text: string): string {
  return Buffer.from(text).toString('base64url')
}

export function textRangeOf({ limit, cursor }: z.infer<typeof textQuery>): ListRange {
  return { limit, cursor: cursor === undefined ? null : Buffer.from(cursor, 'base64url').toString() }
}

export function rangeOf({ limit, cursor }: { limit: number; cursor?: string | undefined }): ListRange {
  return { limit, cursor: cursor ?? null }
}

/** In headers, because clients of the platform API expect a bare array. */
export function announceNext(request: FastifyRequest, reply: FastifyReply, next: string | null): void {
  if (next === null) return
  const query = new URLSearchParams(request.url.split('?')[1] ?? '')
  query.set('cursor', next)
  // Relative, so that it also holds below the path of a reverse proxy.
  reply.header('x-next-cursor', next).header('link', `<?${query}>; rel="next"`)
}
