import { z } from 'zod'
import { searchOf } from '../../connectors/capabilities.ts'
import { plan, storedNodes } from '../../pipeline/nodes.ts'
import { recordAudit } from '../../store/accounts/audit.ts'
import { type WorkflowRow, workflowsUsing } from '../../store/workflows/workflows.ts'
import { type ApiContext, type App, callerOf } from '../context.ts'
import { withDeadline } from '../deadline.ts'
import { destinationIn } from '../destination.ts'
import { asPerson, type Memberships, type PersonQuery, requirePerson } from '../memberships.ts'

const TIMEOUT_MS = 30_000

/** Search as a person: always filtered, always audited. */
export function searchRoutes(
  app: App,
  { resources, connections }: ApiContext,
  memberships: Memberships,
): void {
  const { db } = resources

  async function vectorOf(
    query: string,
    workflows: WorkflowRow[],
    { dims, signal }: { dims: number | null; signal: AbortSignal },
  ) {
    const embed = workflows.map((workflow) => plan(storedNodes(workflow)).embed).find((each) => each !== null)
    if (!embed || dims === null) return undefined
    const { runners } = resources
    // Without its endpoint only words are searched.
    if (embed.subtype !== 'local' && !runners.configured[embed.subtype]) return undefined
    const embedder = await runners.embedder(embed)
    if (embedder.dims !== dims) return undefined
    const [vector] = embedder.query
      ? [await embedder.query(query, signal)]
      : await embedder.embed([query], signal)
    return vector && Array.from(vector)
  }

  const config = { allows: 'administrator', keys: true } as const
  const schema = {
    tags: ['destinations'],
    params: z.object({ id: z.string() }),
    body,
    response: { 200: resultsShape },
  }
  app.post('/destinations/:id/search', { config, schema }, async (request, reply) => {
    const { workspaceId, actor } = callerOf(request)
    const { query, as, size, from, filters } = request.body
    requirePerson(as)
    const { id } = request.params
    const destination = await destinationIn(db, workspaceId, id)

    return withDeadline(reply, { ms: TIMEOUT_MS, doing: 'the search' }, async (signal) => {
      const workflows = await workflowsUsing(db, destination.id)
      const { tokens } = await memberships.readerOf(as, destination.id, signal)
      await recordAudit(db, {
        workspaceId,
        actor,
        action: 'search_as',
        subject: { destination: id, as: auditedPerson(as), query },
      })
      const opened = await connections.openDestination(destination.id)
      try {
        const search = searchOf(opened)
        const vector = await vectorOf(query, workflows, { dims: await search.dims(signal), signal })
        return await search.query(
          {
            query,
            tokens,
            size,
            from,
            ...(filters ? { filters: definedOf(filters) } : {}),
            ...(vector ? { vector } : {}),
          },
          signal,
        )
      } finally {
        await opened.close()
      }
    })
  })
}

const word = z.string().max(255, 'at most 255 characters')
const body = z.strictObject({
  query: z.string().trim().min(1, 'a query is needed').max(1000),
  as: asPerson,
  size: z.number().int().min(1).max(100).default(10),
  from: z.number().int().min(0).max(1000).default(0),
  filters: z
    .strictObject({
      space_key: word.optional(),
      labels: z.array(word).max(100, 'at most 100 labels').optional(),
    })
    .optional(),
})

const resultsShape = z.object({
  total: z.number(),
  hits: z.array(
    z.object({
      record_id: z.string(),
      element_id: z.string(),
      score: z.number(),
      text: z.string(),
      highlight: z.string().nullable(),
      title: z.string().nullable(),
      url: z.string().nullable(),
      granted_by: z.array(z.string()),
    }),
  ),
})

// Keeps audit entries short enough to read.
const MAX_AUDITED_GROUPS = 20

/** Above the limit, records only how many groups there are. */
function auditedPerson({ groups, ...as }: PersonQuery): object {
  if (!groups) return as
  return { ...as, groups: groups.length > MAX_AUDITED_GROUPS ? groups.length : groups }
}

function definedOf(filters: { space_key?: string | undefined; labels?: string[] | undefined }) {
  return {
    ...(filters.space_key ? { space_key: filters.space_key } : {}),
    ...(filters.labels ? { labels: filters.labels } : {}),
  }
}
