import { z } from 'zod'
import { AppError } from '../../../errors.ts'
import { stopJob } from '../../../jobs/job-outcome.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { closeWorkspace, deleteWorkspace, isLastWorkspace } from '../../../store/accounts/delete-workspace.ts'
import { workspacesOf } from '../../../store/accounts/members.ts'
import { dropSandbox } from '../../../store/sandbox/sandbox.ts'
import { type AccountsContext, type App, callerOf } from '../../http/context.ts'

/** Indexes keep their elements. A failure half way leaves a workspace that can be deleted again. */
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
      const { workspaceId, id: personId, actor } = callerOf(request)
      if (await isLastWorkspace(db, workspaceId)) throw lastWorkspace()
      const all = await workspacesOf(db, personId)
      const name = all.find(({ id }) => id === workspaceId)?.name ?? ''
      const subject = { workspace: workspaceId, name }
      const { keyIds, jobIds } = await closeWorkspace(db, workspaceId)
      for (const id of keyIds) keys.forget(id)
      for (const id of jobIds) await stopJob(db, id)
      await dropSandbox(db, workspaceId)
      if (!(await deleteWorkspace(db, workspaceId))) throw lastWorkspace()
      request.log.info({ workspace_id: workspaceId, actor }, 'workspace deleted')
      // Its own audit log is gone, so the other workspaces of this administrator keep the entry.
      const others = all.filter(({ id, role }) => id !== workspaceId && role === 'administrator')
      for (const { id } of others)
        await recordAudit(db, { workspaceId: id, actor, action: 'delete_workspace', subject })
      return {}
    },
  )
}

function lastWorkspace(): AppError {
  return new AppError('not_possible', 'this is the only workspace of the account', {
    fix: 'Create another workspace first; a personal account always keeps its workspace',
  })
}
