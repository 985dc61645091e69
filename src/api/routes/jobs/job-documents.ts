import { z } from 'zod'
import {
  DOCUMENT_SORTS,
  documentTotals,
  listDocuments,
  scopesOfJob,
} from '../../../store/jobs/document-pages.ts'
import { type JobDocumentRow, listFailed } from '../../../store/jobs/job-documents.ts'
import type { DocumentState } from '../../../store/schema.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { announceNext, textQuery, textRangeOf, toTextCursor } from '../../http/list-page.ts'
import { documentsShape } from '../../shapes/resources.ts'
import { cursorAt, cursorPosition } from './document-cursor.ts'
import { findJob } from './jobs.ts'

/** Outcomes of documents. */
export function jobDocumentRoutes(app: App, { resources: { db }, reads }: ApiContext): void {
  const failed = z.object({ failed_files: z.array(z.object({ document: z.string(), error: z.string() })) })
  app.get(
    '/jobs/:id/failed-files',
    {
      config: { allows: 'viewer', keys: true },
      schema: { params: idParams, querystring: textQuery, response: { 200: failed } },
    },
    async (request, reply) => {
      const job = await findJob(db, callerOf(request).workspaceId, request.params.id)
      const { rows, next } = await reads.run(job.workspace_id, (transaction) =>
        listFailed(transaction, job.id, textRangeOf(request.query)),
      )
      announceNext(request, reply, next && toTextCursor(next))
      return { failed_files: rows }
    },
  )

  app.get(
    '/jobs/:id/documents',
    {
      config: { allows: 'viewer', keys: true },
      schema: { params: idParams, querystring: documentQuery, response: { 200: documentsShape } },
    },
    async (request) => {
      const job = await findJob(db, callerOf(request).workspaceId, request.params.id)
      const { state, error, warning, title, space_key: scope, cursor, limit } = request.query
      const filters = { error, warning, scope, title }
      const order = { by: request.query.sort_by, direction: request.query.sort_direction }
      const from = cursor ? cursorPosition(cursor, order) : undefined
      // One more than the limit shows whether there is another page.
      const page = { ...filters, state, from, order }
      const [rows, totals, scopes] = await reads.run(job.workspace_id, (transaction) =>
        Promise.all([
          listDocuments(transaction, job.id, { ...page, limit: limit + 1 }),
          documentTotals(transaction, job.id, filters),
          scopesOfJob(transaction, job),
        ]),
      )
      const shown = from?.backwards ? rows.slice(-limit) : rows.slice(0, limit)
      const [first, last] = [shown[0], shown.at(-1)]
      const hasMore = rows.length > limit
      const [hasBefore, hasAfter] = from?.backwards ? [hasMore, true] : [from !== undefined, hasMore]
      return {
        items: shown.map(toDocument),
        totals,
        scopes,
        next: last && hasAfter ? cursorAt(order, last, false) : null,
        previous: first && hasBefore ? cursorAt(order, first, true) : null,
      }
    },
  )
}

const states = [
  'pending',
  'in_progress',
  'new',
  'changed',
  'permissions_only',
  'unchanged',
  'skipped',
  'failed',
  'removed',
] as const satisfies DocumentState[]

// PostgreSQL has no NUL in texts.
const filterText = z
  .string()
  .max(1000)
  .regex(/^[^\0]*$/)
  .optional()

// Strict, since only our page calls it: a mistyped name is an error.
const documentQuery = z.strictObject({
  state: z.enum(states).optional(),
  error: filterText,
  warning: filterText.describe('The code of a warning that the document has'),
  title: filterText.describe('A part of the title, in any case'),
  space_key: filterText,
  sort_by: z.enum(DOCUMENT_SORTS).default('record_id'),
  sort_direction: z.enum(['asc', 'desc']).default('asc'),
  cursor: z.string().max(10_000).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
})

export function problemsOf({ error_code: code, error_message: message, warnings }: JobDocumentRow) {
  return {
    ...(code ? { error: { code, message: message ?? '' } } : {}),
    ...(warnings && warnings.length > 0 ? { warnings } : {}),
  }
}

function toDocument(row: JobDocumentRow): z.infer<typeof documentsShape>['items'][number] {
  return {
    record_id: row.record_id,
    title: row.title,
    url: row.url,
    state: row.state === 'deferred' ? 'pending' : row.state,
    attempts: row.attempts,
    elements: row.elements,
    ...problemsOf(row),
    updated_at: row.updated_at.toISOString(),
  }
}
