import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { ANONYMOUS } from '../../access.ts'
import type { Person } from '../../connectors/connector.ts'
import { parseNodes, plan } from '../../pipeline/nodes.ts'
import { readConnectorIn } from '../../store/connectors.ts'
import { type WorkflowRow, workflowsUsing } from '../../store/workflows.ts'
import { recordAudit } from '../../store/workspaces.ts'
import { type ApiContext, type App, callerOf, isId } from '../context.ts'
import { invalid, notFound } from '../errors.ts'

/** Somebody waits for the answer: a wiki that wants to be left alone is not waited for. */
const PATIENCE_MS = 3_000

/** Search as a person: the permission filter is always on, and each time is audited. */
export function searchRoutes(app: App, { resources, connections }: ApiContext): void {
  const { db } = resources
  // Long enough that a person's searches ask the wiki once, short enough that leaving a group shows soon.
  const memberships = new LRUCache<string, { groups: string[]; classes: string[] }>({
    max: 10_000,
    ttl: 5 * 60_000,
  })

  async function groupsOf(user: string, workflows: WorkflowRow[], signal: AbortSignal) {
    const groups = new Set<string>()
    let classes: Set<string> | undefined
    for (const sourceId of new Set(workflows.flatMap((workflow) => workflow.source_id ?? []))) {
      const key = `${sourceId}\n${user}`
      let found = memberships.get(key)
      if (!found) {
        const source = await connections.openSource(sourceId, { patienceMs: PATIENCE_MS })
        try {
          found = await source.groupsOf(user, signal)
        } finally {
          await source.close()
        }
        memberships.set(key, found)
      }
      for (const group of found.groups) groups.add(group)
      // Ids say whose they are; a class is of no wiki in particular, so it has to be true in every one that is here.
      classes = new Set(found.classes).intersection(classes ?? new Set(found.classes))
    }
    return { groups: [...groups], classes: [...(classes ?? []), ANONYMOUS] }
  }

  /** Groups that were given stand for the wiki's; a class still has to be proved by it. */
  async function personOf(
    as: z.infer<typeof asPerson>,
    workflows: WorkflowRow[],
    signal: AbortSignal,
  ): Promise<Person> {
    if (!as.user) return { groups: as.groups ?? [], classes: [ANONYMOUS] }
    const looked = await groupsOf(as.user, workflows, signal)
    return { user: as.user, groups: as.groups ?? looked.groups, classes: looked.classes }
  }

  async function vectorOf(
    query: string,
    workflows: WorkflowRow[],
    { dims, signal }: { dims: number | null; signal: AbortSignal },
  ) {
    const model = workflows
      .map((workflow) => plan(parseNodes(workflow.nodes)).embed?.model)
      .find((name) => name !== undefined)
    if (!model || dims === null) return undefined
    const embedder = resources.embedder(model)
    if (embedder.dims !== dims) return undefined
    const [vector] = await embedder.embed([query], signal)
    return vector && Array.from(vector)
  }

  const schema = {
    tags: ['destinations'],
    params: z.object({ id: z.string() }),
    body,
    response: { 200: answer },
  }
  app.post('/destinations/:id/search', { schema }, async (request) => {
    const { workspaceId, keyId } = callerOf(request)
    const { query, as, size, from, filters } = request.body
    if (!as.user && !as.groups)
      throw invalid(['body', 'as'], 'a person is needed: a user, or groups', 'missing')
    const { id } = request.params
    const destination = isId(id)
      ? await readConnectorIn(db, workspaceId, { kind: 'destination', id })
      : undefined
    if (!destination) throw notFound('Destination')

    const signal = AbortSignal.timeout(30_000)
    const workflows = await workflowsUsing(db, destination.id)
    const person = await personOf(as, workflows, signal)
    await recordAudit(db, {
      workspaceId,
      actor: `key:${keyId}`,
      action: 'search_as',
      subject: { destination: id, as, query },
    })
    const opened = await connections.openDestination(destination.id)
    try {
      const vector = await vectorOf(query, workflows, { dims: await opened.dims(signal), signal })
      return await opened.search(
        {
          query,
          as: person,
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
}

const asPerson = z.strictObject({
  user: z.string().min(1).optional(),
  groups: z.array(z.string()).max(10_000).optional(),
})

const body = z.strictObject({
  query: z.string().trim().min(1, 'a query is needed').max(1000),
  as: asPerson,
  size: z.number().int().min(1).max(100).default(10),
  from: z.number().int().min(0).max(1000).default(0),
  filters: z
    .strictObject({ space_key: z.string().optional(), labels: z.array(z.string()).optional() })
    .optional(),
})

const answer = z.object({
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

function definedOf(filters: { space_key?: string | undefined; labels?: string[] | undefined }) {
  return {
    ...(filters.space_key ? { space_key: filters.space_key } : {}),
    ...(filters.labels ? { labels: filters.labels } : {}),
  }
}
