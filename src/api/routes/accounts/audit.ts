import { z } from 'zod'
import { listAudit } from '../../../store/accounts/audit.ts'
import { type AccountsContext, type App, callerOf } from '../../context.ts'

/** Entries are never changed or removed. */
export function auditRoutes(app: App, { resources }: AccountsContext): void {
  const { db } = resources
  const querystring = z.object({
    cursor: z
      .string()
      .regex(/^\d{1,18}$/, 'cursor should be the `next` of another response')
      .optional(),
    limit: z.coerce.number().int().min(1).max(500).default(50),
  })
  app.get(
    '/audit',
    {
      config: { allows: 'administrator', keys: false },
      schema: { tags: ['audit'], querystring, response: { 200: page } },
    },
    async (request) => {
      const { cursor, limit } = request.query
      const rows = await listAudit(db, callerOf(request).workspaceId, {
        before: cursor ?? null,
        limit: limit + 1,
      })
      const shown = rows.slice(0, limit)
      return {
        items: shown.map(({ at, actor, actor_name, action, subject }) => ({
          at: at.toISOString(),
          actor,
          actor_name,
          action,
          subject: describeSubject(subject),
        })),
        next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
      }
    },
  )
}

const page = z.object({
  items: z.array(
    z.object({
      at: z.string(),
      actor: z.string(),
      actor_name: z.string().nullable(),
      action: z.string(),
      subject: z.string(),
    }),
  ),
  next: z.string().nullable(),
})

/** `email: ada@acme.example, role: viewer`; nested or ambiguous values stay JSON. */
function describeSubject(subject: object): string {
  return Object.entries(subject)
    .map(([name, value]) => `${name}: ${isPlain(value) ? value : JSON.stringify(value)}`)
    .join(', ')
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' && !/[,:"\n]/.test(value)
}
