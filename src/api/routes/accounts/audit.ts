import { stringify } from 'csv-stringify/sync'
import { z } from 'zod'
import { invalid } from '../../../errors.ts'
import {
  AUDIT_CURSOR,
  type AuditPart,
  type AuditRow,
  listAudit,
  listAuditActors,
} from '../../../store/accounts/audit-log.ts'
import { type ApiContext, type App, callerOf } from '../../http/context.ts'
import { neutralized } from '../../http/csv.ts'

const EXPORT_ROWS = 100_000
const EXPORT_PAGE = 1000
const MAX_EXPORTS = 2
/** What one request may search, in parts of the log and in time. */
const MAX_PARTS = 5
const SEARCH_MS = 3_000

export function auditRoutes(app: App, { reads }: ApiContext): void {
  const config = { allows: 'administrator', keys: false } as const
  const tags = ['audit']

  app.get(
    '/audit',
    { config, schema: { tags, querystring, response: { 200: z.union([page, z.string()]) } } },
    async (request, reply) => {
      const { cursor = null, limit, format } = request.query
      const { workspaceId } = callerOf(request)
      const filter = filterOf(request.query)
      const read = (before: string | null, rows: number) =>
        reads.run(workspaceId, (db) => listAudit(db, workspaceId, { ...filter, before, limit: rows }))
      if (format === 'json') {
        const { rows, next } = await readPage(read, cursor, limit)
        return { items: rows.map(toItem), next }
      }
      const write = format === 'csv' ? csvLines : jsonLines
      const lines = await reads.stream(
        { workspaceId, name: 'exports of the audit log', streams: MAX_EXPORTS },
        exportLines(read, cursor, write),
      )
      return reply
        .header('content-disposition', `attachment; filename="audit.${format}"`)
        .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
        .serializer(String)
        .send(lines as never)
    },
  )

  app.get(
    '/audit/actors',
    { config, schema: { tags, response: { 200: z.array(actorShape) } } },
    async (request) => {
      const { workspaceId } = callerOf(request)
      return reads.run(workspaceId, (db) => listAuditActors(db, workspaceId))
    },
  )
}

type ReadPart = (before: string | null, rows: number) => Promise<AuditPart>

/** Reads on where a filter matches little, but not without end. */
async function readPage(read: ReadPart, cursor: string | null, limit: number): Promise<AuditPart> {
  const rows: AuditRow[] = []
  const until = Date.now() + SEARCH_MS
  let next = cursor
  for (let parts = 0; parts < MAX_PARTS && (parts === 0 || Date.now() < until); parts++) {
    const part = await read(next, limit - rows.length)
    rows.push(...part.rows)
    next = part.next
    if (next === null || rows.length === limit) break
  }
  return { rows, next }
}

async function* exportLines(
  read: ReadPart,
  cursor: string | null,
  format: (rows: AuditRow[], isFirst: boolean) => string,
): AsyncGenerator<string> {
  let [next, left, isFirst] = [cursor, EXPORT_ROWS, true]
  do {
    const part = await read(next, Math.min(left, EXPORT_PAGE))
    const text = format(part.rows, isFirst)
    if (text) yield text
    next = part.next
    left -= part.rows.length
    isFirst = false
  } while (next !== null && left > 0)
}

const time = z.iso.datetime({ offset: true })
const querystring = z.object({
  cursor: z.string().regex(AUDIT_CURSOR, 'cursor should be the `next` of another response').optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  action: z.string().max(2000).optional().describe('Comma-separated, such as create_source,delete_source'),
  actor: z.string().max(200).optional().describe('Such as person:ID or key:ID; GET /audit/actors lists them'),
  from: time.optional().describe('Entries at this time or later'),
  to: time.optional().describe('Entries before this time'),
  text: z.string().max(200).optional().describe('In the name of the actor, the action or the subject'),
  format: z.enum(['json', 'csv', 'jsonl']).default('json').describe('csv and jsonl: at most 100,000 entries'),
})

const actorShape = z.object({ actor: z.string(), name: z.string().nullable() })

const page = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      at: z.string(),
      actor: z.string(),
      actor_name: z.string().nullable(),
      action: z.string(),
      subject: z.string(),
      details: z.record(z.string(), z.unknown()).describe('Ids and names of the subject, as they were then'),
    }),
  ),
  next: z.string().nullable(),
})

function filterOf({ action, actor, from, to, text }: z.infer<typeof querystring>) {
  const actions = action?.split(',').flatMap((name) => (name.trim() ? [name.trim()] : []))
  if (from && to && from > to && Date.parse(from) > Date.parse(to))
    throw invalid(['query', 'from'], 'from should be before to')
  return {
    actions: actions && actions.length > 0 ? actions : null,
    actor: actor || null,
    from: from ? new Date(from) : null,
    to: to ? new Date(to) : null,
    text: text?.trim() || null,
  }
}

function toItem({ id, at, actor, actor_name, action, subject }: AuditRow) {
  return {
    id,
    at: at.toISOString(),
    actor,
    actor_name,
    action,
    subject: describeSubject(subject),
    details: subject,
  }
}

/** `email: ada@acme.example, role: viewer`; nested or ambiguous values stay JSON. */
function describeSubject(subject: object): string {
  return Object.entries(subject)
    .map(([name, value]) => `${name}: ${isPlain(value) ? value : JSON.stringify(value)}`)
    .join(', ')
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' && !/[,:"\n]/.test(value)
}

function jsonLines(rows: AuditRow[]): string {
  return rows
    .map((row) => {
      const { at, actor, actor_name, action, details } = toItem(row)
      return `${JSON.stringify({ at, actor, actor_name, action, subject: details })}\n`
    })
    .join('')
}

function csvLines(rows: AuditRow[], isFirst: boolean): string {
  const cells = rows.map((row) => {
    const { at, actor, actor_name, action, subject } = toItem(row)
    return [at, actor, actor_name ?? '', action, subject].map(neutralized)
  })
  const header = isFirst ? [['at', 'actor', 'actor_name', 'action', 'subject']] : []
  return stringify([...header, ...cells], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ })
}
