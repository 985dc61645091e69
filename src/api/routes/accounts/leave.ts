import { z } from 'zod'
import { auditRoleChange } from '../../../accounts/audit-role-change.ts'
import { AppError, notFound } from '../../../errors.ts'
import {
  changeMember,
  leaveOrganisation,
  organisationOf,
  workspacesOf,
} from '../../../store/accounts/members.ts'
import { type AccountsContext, type App, callerOf, personOf } from '../../http/context.ts'
import { lastAdministrator } from './members.ts'

/** Leaving disables a person's keys. The last administrator cannot leave. */
export function leaveRoutes(app: App, { resources, keys }: AccountsContext): void {
  const { db } = resources
  const tags = ['workspaces']
  const body = z.strictObject({}).nullish()
  const response = { 200: z.object({}) }

  app.post(
    '/workspaces/:workspace_id/leave',
    {
      config: { allows: 'reader', keys: false },
      schema: { tags, params: z.object({ workspace_id: z.string() }), body, response },
    },
    async (request) => {
      const { workspaceId, actor, id: userId, role } = callerOf(request)
      const { email } = personOf(request)
      await refusePersonal(userId)
      const result = await changeMember(db, workspaceId, { userId, role: null, disablesKeys: true })
      if (result.outcome === 'not_a_member') throw notFound('Workspace')
      if (result.outcome === 'last_administrator') throw lastAdministrator('you are')
      const { disabled } = result
      for (const { id } of disabled) keys.forget(id)
      const member = { user_id: userId, email, role }
      await auditRoleChange(db, { workspaceId, actor, member, role: null, disabled })
      return {}
    },
  )

  app.post(
    '/organisation/leave',
    { config: { allows: 'person', keys: false }, schema: { tags, body, response } },
    async (request) => {
      const { id: userId, email } = personOf(request)
      const organisation = await refusePersonal(userId)
      const roles = new Map((await workspacesOf(db, userId)).map(({ id, role }) => [id, role]))
      const result = await leaveOrganisation(db, organisation.id, userId)
      if (result.outcome === 'last_administrator')
        throw lastAdministrator('you are', result.workspace ?? 'the organisation')
      for (const { workspaceId, disabled } of result.left) {
        for (const { id } of disabled) keys.forget(id)
        const member = { user_id: userId, email, role: roles.get(workspaceId) ?? 'viewer' }
        await auditRoleChange(db, { workspaceId, actor: `person:${userId}`, member, role: null, disabled })
      }
      return {}
    },
  )

  async function refusePersonal(userId: string): Promise<{ id: string }> {
    const organisation = await organisationOf(db, userId)
    if (!organisation) throw notFound('Organisation')
    if (organisation.tier === 'business') return organisation
    throw new AppError('not_possible', 'a personal account has one workspace, and you are its only member')
  }
}
