import { z } from 'zod'
import { type AnyOf, BARE, personTokens } from '../../access.ts'
import { levelsOf } from '../../connectors/capabilities.ts'
import type { Level } from '../../connectors/connector.ts'
import { recordAudit } from '../../store/accounts/audit.ts'
import { findDocuments } from '../../store/ledger/documents.ts'
import { type WorkflowRow, workflowsUsing } from '../../store/workflows/workflows.ts'
import { type ApiContext, type App, callerOf } from '../context.ts'
import { withDeadline } from '../deadline.ts'
import { destinationIn } from '../destination.ts'
import { notFound } from '../errors.ts'
import { asPerson, type Memberships, PATIENCE_MS, requirePerson, type SourcePerson } from '../memberships.ts'

const TIMEOUT_MS = 30_000

/** Why a person can or cannot read a document. Audited like a search. */
export function explainRoutes(
  app: App,
  { resources: { db }, connections }: ApiContext,
  memberships: Memberships,
): void {
  async function known(workflows: WorkflowRow[], recordId: string) {
    for (const workflow of workflows) {
      const entry = (await findDocuments(db, { workflowId: workflow.id }, [recordId])).get(recordId)
      if (entry && workflow.source_id) return { entry, sourceId: workflow.source_id }
    }
    throw notFound('Document')
  }

  app.post(
    '/destinations/:id/explain',
    {
      config: { allows: 'administrator', keys: true },
      schema: {
        tags: ['destinations'],
        params: z.object({ id: z.string() }),
        body: z.strictObject({ record_id: z.string().min(1).max(1000), as: asPerson }),
        response: { 200: explanationShape },
      },
    },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const { record_id: recordId, as } = request.body
      requirePerson(as)
      const { id } = request.params
      const destination = await destinationIn(db, workspaceId, id)
      const workflows = await workflowsUsing(db, destination.id)
      return withDeadline(
        reply,
        { ms: TIMEOUT_MS, doing: 'reading the permissions of a document' },
        async (signal) => {
          const reader = await memberships.readerOf(as, destination.id, signal)
          await recordAudit(db, {
            workspaceId,
            actor,
            action: 'explain_as',
            subject: { destination: id, as, record_id: recordId },
          })
          const { entry, sourceId } = await known(workflows, recordId)
          const source = await connections.openSource(sourceId, { patienceMs: PATIENCE_MS })
          try {
            return explanation(await levelsOf(source)(entry, signal), reader.within(sourceId))
          } finally {
            await source.close()
          }
        },
      )
    },
  )
}

const explanationShape = z.object({
  allowed: z.boolean(),
  operation: z.literal('read'),
  chain: z.array(
    z.object({
      level: z.enum(['space', 'ancestor', 'page']),
      id: z.string(),
      title: z.string(),
      rule: z.string(),
      satisfied: z.boolean(),
      by: z.string().nullable(),
      as_of: z.string(),
    }),
  ),
})

type Explanation = z.infer<typeof explanationShape>

/** Uses the groups and classes of a search. */
export function explanation(levels: Level[], person: SourcePerson): Explanation {
  const tokens = personTokens(person, BARE)
  const chain = levels.map((level) => {
    const { level: kind, id, title, asOf } = level
    return { level: kind, id, title, ...judged(level, tokens), as_of: asOf.toISOString() }
  })
  return { allowed: chain.length > 0 && chain.every((each) => each.satisfied), operation: 'read', chain }
}

// A scope can name thousands; `by` has the one that matters.
const MAX_NAMED = 50

function judged(
  level: Level,
  tokens: string[],
): Pick<Explanation['chain'][number], 'rule' | 'satisfied' | 'by'> {
  if ('unread' in level) return { rule: `could not be read: ${level.unread}`, satisfied: false, by: null }
  if (!level.who) return { rule: 'not restricted here', satisfied: true, by: null }
  const named = entries(level.who)
  const held = new Set(named)
  const by = tokens.find((token) => held.has(token)) ?? null
  return { rule: inWords(named), satisfied: by !== null, by }
}

function entries({ users, groups, classes }: AnyOf): string[] {
  const people = [...users].map((user) => `user:${user}`)
  return [...people, ...personTokens({ groups, classes }, BARE)].sort()
}

function inWords(named: string[]): string {
  if (named.length === 0) return 'readable by no one'
  const shown = named.slice(0, MAX_NAMED).join(', ')
  const more = named.length > MAX_NAMED ? ` and ${named.length - MAX_NAMED} more` : ''
  return `readable by ${shown}${more}`
}
