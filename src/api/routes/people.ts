import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { workflowsUsing } from '../../store/workflows/workflows.ts'
import { type ApiContext, type App, callerOf } from '../context.ts'
import { withDeadline } from '../deadline.ts'
import { destinationIn } from '../destination.ts'
import { PATIENCE_MS } from '../memberships.ts'

// A person is typing: a slower response is no help.
const TIMEOUT_MS = 10_000

type Found = { id: string; name: string | null }

/** People to search as; for members who may search. */
export function peopleRoutes(app: App, { resources: { db, log }, connections }: ApiContext): void {
  const known = new LRUCache<string, Found[]>({ max: 1000, ttl: 5 * 60_000 })

  /** Empty if the source has no people to find. */
  async function ofSource(sourceId: string, text: string, signal: AbortSignal): Promise<Found[]> {
    const key = `${sourceId}\n${text.toLowerCase()}`
    const remembered = known.get(key)
    if (remembered) return remembered
    const source = await connections.openSource(sourceId, { patienceMs: PATIENCE_MS })
    try {
      const found = (await source.people?.find(text, signal)) ?? []
      known.set(key, found)
      return found
    } finally {
      await source.close()
    }
  }

  app.get(
    '/destinations/:id/people',
    {
      config: { allows: 'administrator', keys: true },
      schema: {
        tags: ['destinations'],
        params: z.object({ id: z.string() }),
        querystring: z.strictObject({ query: z.string().trim().max(200).default('') }),
        response: { 200: z.object({ people: z.array(personShape) }) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { query } = request.query
      const destination = await destinationIn(db, callerOf(request).workspaceId, id)
      const workflows = await workflowsUsing(db, destination.id)
      const sources = [...new Set(workflows.flatMap((workflow) => workflow.source_id ?? []))]
      return withDeadline(reply, { ms: TIMEOUT_MS, doing: 'looking for people' }, async (signal) => {
        const found = await Promise.all(
          sources.map((sourceId) =>
            ofSource(sourceId, query, signal).catch((error: unknown) => {
              log.debug({ err: error, source_id: sourceId }, 'a source could not be asked for people')
              return []
            }),
          ),
        )
        const byId = new Map(found.flat().map((person) => [person.id, person]))
        return { people: [...byId.values()] }
      })
    },
  )
}

const personShape = z.object({ id: z.string(), name: z.string().nullable() })
