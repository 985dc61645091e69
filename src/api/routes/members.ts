import { z } from 'zod'
import type { Caller, Role } from '../../accounts/roles.ts'
import { AppError } from '../../errors.ts'
import { recordAudit } from '../../store/audit.ts'
import { changeMember, listMembers, type Member } from '../../store/members.ts'
import { roleShape } from '../account-shapes.ts'
import { type AccountsContext, type App, callerOf, isId } from '../context.ts'
import { notFound } from '../errors.ts'

/** Who belongs to a workspace, and as what. */
export function memberRoutes(app: App, { resources }: AccountsContext): void {
  const { db } = resources
  const tags = ['workspaces']
  const config = { allows: 'administrator', keys: false } as const

  async function find(workspaceId: string, userId: string): Promise<Member> {
    const members = isId(userId) ? await listMembers(db, workspaceId) : []
    const member = members.find(({ user_id }) => user_id === userId.toLowerCase())
    if (!member) throw notFound('Member')
    return member
  }

  async function change({ workspaceId, actor }: Caller, member: Member, role: Role | null): Promise<void> {
    const outcome = await changeMember(db, workspaceId, { userId: member.user_id, role })
    if (outcome === 'not_there') throw notFound('Member')
    if (outcome === 'last_administrator') {
      throw new AppError('not_possible', `${member.name} is the last administrator of this workspace`, {
        fix: 'Make somebody else an administrator first',
      })
    }
    const action = role ? 'change_role' : 'remove_member'
    const subject = { member: member.email, was: member.role, ...(role ? { role } : {}) }
    await recordAudit(db, { workspaceId, actor, action, subject })
  }

  const ofWorkspace = z.object({ workspace_id: z.string() })
  app.get(
    '/workspaces/:workspace_id/members',
    { config, schema: { tags, params: ofWorkspace, response: { 200: z.array(memberShape) } } },
    async (request) => (await listMembers(db, callerOf(request).workspaceId)).map(answer),
  )

  const params = ofWorkspace.extend({ user_id: z.string() })
  const body = z.strictObject({ role: roleShape })
  app.put(
    '/workspaces/:workspace_id/members/:user_id',
    { config, schema: { tags, params, body, response: { 200: memberShape } } },
    async (request) => {
      const caller = callerOf(request)
      const member = await find(caller.workspaceId, request.params.user_id)
      await change(caller, member, request.body.role)
      return answer({ ...member, role: request.body.role })
    },
  )

  app.delete(
    '/workspaces/:workspace_id/members/:user_id',
    { config, schema: { tags, params, response: { 200: z.object({}) } } },
    async (request) => {
      const caller = callerOf(request)
      await change(caller, await find(caller.workspaceId, request.params.user_id), null)
      return {}
    },
  )
}

const memberShape = z.object({
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  role: roleShape,
  joined_at: z.string(),
})

function answer(member: Member): z.infer<typeof memberShape> {
  return { ...member, joined_at: member.joined_at.toISOString() }
}
