import { stringify } from 'csv-stringify/sync'
import { z } from 'zod'
import { type AuditRow, listAudit, listAuditActors } from '../../../store/accounts/audit.ts'
import { type AccountsContext, type App, callerOf } from '../../context.ts'
import { neutralized } from '../../csv.ts'
import { invalid } from '../../errors.ts'

const EXPORT_ROWS = 100_000
const EXPORT_PAGE = 1000

/** Entries are never changed or removed. */
export function auditRoutes(app: App, { resources }: AccountsContext): void {
  const { db } = resources
  const config = { allows: 'administrator', keys: false } as const
  const tags = ['audit']

  app.get(
    '/audit',
    { config, schema: { tags, querystring, response: { 200: z.union([page, z.string()]) } } },
    async (request, reply) => {
      const { cursor, limit, format } = request.query
      const { workspaceId } = callerOf(request)
      const filter = filterOf(request.query)
      const pageOf = (before: string | null, rows: number) =>
        listAudit(db, workspaceId, { ...filter, before, limit: rows })
      if (format === 'json') {
        const rows = await pageOf(cursor ?? null, limit + 1)
        const shown = rows.slice(0, limit)
        return { items: shown.map(toItem), next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null }
      }
      const all: AuditRow[] = []
      for (let before = cursor ?? null; all.length < EXPORT_ROWS; before = all.at(-1)?.id ?? null) {
        const rows = await pageOf(before, EXPORT_PAGE)
        all.push(...rows)
        if (rows.length < EXPORT_PAGE) break
      }
      return reply
        .header('content-disposition', `attachment; filename="audit.${format}"`)
        .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
        .serializer(String)
        .send(format === 'csv' ? toCsv(all) : toLines(all))
    },
  )

  app.get(
    '/audit/actors',
    { config, schema: { tags, response: { 200: z.array(actorShape) } } },
    async (request) => listAuditActors(db, callerOf(request).workspaceId),
  )
}

const time = z.iso.datetime({ offset: true })
const querystring = z.object({
  cursor: z
    .string()
    .regex(/^\d{1,18}$/, 'cursor should be the `next` of another response')
    .optional(),
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
    ...{ id, at: at.toISOString(), actor, actor_name, action },
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

function toLines(rows: AuditRow[]): string {
  return rows
    .map((row) => {
      const { at, actor, actor_name, action, details } = toItem(row)
      return `${JSON.stringify({ at, actor, actor_name, action, subject: details })}\n`
    })
    .join('')
}

function toCsv(rows: AuditRow[]): string {
  const cells = rows.map((row) => {
    const { at, actor, actor_name, action, subject } = toItem(row)
    return [at, actor, actor_name ?? '', action, subject].map(neutralized)
  })
  const options = { record_delimiter: '\r\n', quoted_match: /[\r\n]/ }
  return stringify([['at', 'actor', 'actor_name', 'action', 'subject'], ...cells], options)
}
