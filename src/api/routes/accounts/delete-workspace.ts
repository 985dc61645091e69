import { z } from 'zod'
import { AppError } from '../../../errors.ts'
import { stopJob } from '../../../jobs/job-outcome.ts'
import { closeWorkspace } from '../../../store/accounts/delete-workspace.ts'
import { type AccountsContext, type App, callerOf } from '../../http/context.ts'

/** Indexes keep their elements. Workers delete the rows of a closed workspace. */
export function deleteWorkspaceRoute(app: App, { resources, keys }: AccountsContext): void {
  const { db } = resources

  app.delete(
    '/workspaces/:workspace_id',
    {
      config: { allows: 'administrator', keys: false },
      schema: {
        tags: ['workspaces'],
        params: z.object({ workspace_id: z.string() }),
        response: { 200: z.object({}) },
      },
    },
    async (request) => {
      const { workspaceId, actor } = callerOf(request)
      const closed = await closeWorkspace(db, { workspaceId, actor })
      if (!closed)
        throw new AppError('not_possible', 'this is the only workspace of the account', {
          fix: 'Create another workspace first; a personal account always keeps its workspace',
        })
      for (const id of closed.keyIds) keys.forget(id)
      for (const id of closed.jobIds) await stopJob(db, id)
      request.log.info({ workspace_id: workspaceId, name: closed.name, actor }, 'workspace deleted')
      return {}
    },
  )
}
