import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { recordAudit } from '../../store/audit.ts'
import { readConnectorIn } from '../../store/connectors.ts'
import { workflowsUsing } from '../../store/workflows.ts'
import { refuseWhileRunning } from '../../workflows/repair.ts'
import { type ApiContext, type App, callerOf, isId } from '../context.ts'
import { notFound } from '../errors.ts'
import { within } from '../within.ts'

const LONGEST_MS = 30_000

/** The indexes behind a destination's alias: the one that is searched, and those that swaps have left. */
export function indexRoutes(app: App, { resources, connections }: ApiContext): void {
  const { db } = resources
  const tags = ['destinations']

  async function find(workspaceId: string, id: string) {
    const row = isId(id) ? await readConnectorIn(db, workspaceId, { kind: 'destination', id }) : undefined
    if (!row) throw notFound('Destination')
    return row
  }

  app.get(
    '/destinations/:id/indexes',
    {
      config: { allows: 'viewer', keys: true },
      schema: { tags, params: z.object({ id: z.string() }), response: { 200: z.array(indexShape) } },
    },
    async (request, reply) => {
      const destination = await find(callerOf(request).workspaceId, request.params.id)
      return within(reply, { ms: LONGEST_MS, doing: 'listing the indexes' }, async (signal) => {
        const opened = await connections.openDestination(destination.id)
        try {
          const generations = await opened.generations(signal)
          return generations.map(({ name, isCurrent, elements }) => ({ name, current: isCurrent, elements }))
        } finally {
          await opened.close()
        }
      })
    },
  )

  app.delete(
    '/destinations/:id/indexes/:name',
    {
      config: { allows: 'developer', keys: true },
      schema: {
        tags,
        params: z.object({ id: z.string(), name: z.string() }),
        response: { 200: z.object({ deleted: z.string() }) },
      },
    },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const { id, name } = request.params
      const destination = await find(workspaceId, id)
      // A run may be filling it.
      await refuseWhileRunning(db, await workflowsUsing(db, destination.id))
      await within(reply, { ms: LONGEST_MS, doing: 'deleting an index' }, async (signal) => {
        const opened = await connections.openDestination(destination.id)
        try {
          const found = (await opened.generations(signal)).find((each) => each.name === name)
          if (!found) throw notFound('Index')
          if (found.isCurrent)
            throw new AppError(
              'in_use',
              `${name} is what searches see; only an index that was replaced can go`,
            )
          await opened.discard(name.slice(String(destination.config.index_name).length + 1), signal)
        } finally {
          await opened.close()
        }
      })
      const subject = { destination: id, index: name }
      await recordAudit(db, { workspaceId, actor, action: 'delete_index', subject })
      return { deleted: name }
    },
  )
}

const indexShape = z.object({ name: z.string(), current: z.boolean(), elements: z.number() })
