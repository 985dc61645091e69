import { z } from 'zod'
import { swapOf } from '../../../connectors/capabilities.ts'
import type { Swap } from '../../../connectors/destination.ts'
import { notFound } from '../../../errors.ts'
import { withDestination } from '../../../jobs/connections.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { deleteReplacedIndex, replacedIndexes } from '../../../store/ledger/ledgers.ts'
import { withWorkflowLock } from '../../../store/workflows/workflow-lock.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { destinationIn } from './connector-in.ts'

/** Indexes that swaps replaced; they stay until a request deletes them. */
export function replacedIndexRoutes(app: App, { resources, connections }: ApiContext): void {
  const { db } = resources

  const withSwap = <T>(destinationId: string, work: (swap: Swap) => Promise<T>) =>
    withDestination(connections, destinationId, (destination) => work(swapOf(destination)))

  app.get(
    '/destinations/:id/generations',
    {
      config: { allows: 'viewer', keys: true },
      schema: { params: idParams, response: { 200: z.array(replacedIndexShape) } },
    },
    async (request, reply) => {
      const { id } = await destinationIn(db, callerOf(request).workspaceId, request.params.id)
      const replaced = await replacedIndexes(db, id)
      if (replaced.length === 0) return []
      return withDeadline(reply, { doing: 'listing replaced indexes' }, async (signal) => {
        const existing = await withSwap(id, (swap) => swap.existing(replaced, signal))
        return existing.map(({ name, elements, aliases }) => {
          const at = replaced.find((row) => row.name === name)?.replaced_at
          return { name, elements, aliases, replaced_at: at?.toISOString() ?? '' }
        })
      })
    },
  )

  app.delete(
    '/destinations/:id/generations/:name',
    {
      config: { allows: 'developer', keys: true },
      schema: {
        params: z.object({ id: z.string(), name: z.string() }),
        response: { 200: z.object({ deleted: z.string() }) },
      },
    },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const { name } = request.params
      const { id } = await destinationIn(db, workspaceId, request.params.id)
      const replaced = (await replacedIndexes(db, id)).find((row) => row.name === name)
      if (!replaced) throw notFound('Replaced index')
      const isDropped = await withDeadline(reply, { doing: 'deleting an index' }, (signal) =>
        withSwap(id, (swap) =>
          // A run may be about to move the alias.
          withWorkflowLock(db, replaced.workflow_id, async (lease) => {
            const dropped = await swap.drop(replaced, signal)
            await lease.transaction((transaction) => deleteReplacedIndex(transaction, id, name))
            return dropped
          }),
        ),
      )
      if (!isDropped) throw notFound('Replaced index')
      const subject = { destination: id, index: name }
      await recordAudit(db, { workspaceId, actor, action: 'delete_index', subject })
      return { deleted: name }
    },
  )
}

const replacedIndexShape = z.object({
  name: z.string(),
  elements: z.number(),
  aliases: z.array(z.string()).describe('Aliases that point to it; an index with an alias cannot be deleted'),
  replaced_at: z.string(),
})
