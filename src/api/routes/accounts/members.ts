import { z } from 'zod'
import { auditRoleChange } from '../../../accounts/audit-role-change.ts'
import { type Caller, FULL_KEY_ROLE, isAtLeast, type Role } from '../../../accounts/roles.ts'
import { AppError, notFound } from '../../../errors.ts'
import { countEnabledKeys } from '../../../store/accounts/keys.ts'
import { changeMember, listMembers, type Member, readMember } from '../../../store/accounts/members.ts'
import { type AccountsContext, type App, callerOf, isId } from '../../http/context.ts'
import { announceNext, listQuery, rangeOf } from '../../http/list-page.ts'
import { roleShape } from '../../shapes/account.ts'

const tags = ['workspaces']
const config = { allows: 'administrator', keys: false } as const
const workspaceParams = z.object({ workspace_id: z.string() })
const params = workspaceParams.extend({ user_id: z.string() })

export function memberRoutes(app: App, { resources, keys }: AccountsContext): void {
  const { db } = resources
  async function find(workspaceId: string, userId: string): Promise<Member> {
    const member = isId(userId) ? await readMember(db, workspaceId, userId) : undefined
    if (!member) throw notFound('Member')
    return member
  }

  async function change({ workspaceId, actor }: Caller, member: Member, update: RoleUpdate): Promise<void> {
    const { role, disable_keys: requested } = update
    // Keys act as a developer. A person who demotes themselves cannot keep theirs.
    const isOwn = actor === `person:${member.user_id}`
    const disablesKeys = (requested || isOwn) && !(role && isAtLeast(role, FULL_KEY_ROLE))
    const result = await changeMember(db, workspaceId, { userId: member.user_id, role, disablesKeys })
    if (result.outcome === 'not_a_member') throw notFound('Member')
    if (result.outcome === 'last_administrator') throw lastAdministrator(`${member.name} is`)
    for (const { id } of result.disabled) keys.forget(id)
    await auditRoleChange(db, { workspaceId, actor, member, role, disabled: result.disabled })
  }

  app.get(
    '/workspaces/:workspace_id/members',
    {
      config,
      schema: {
        tags,
        params: workspaceParams,
        querystring: z.object(listQuery),
        response: { 200: z.array(memberShape) },
      },
    },
    async (request, reply) => {
      const { rows, next } = await listMembers(db, callerOf(request).workspaceId, rangeOf(request.query))
      announceNext(request, reply, next)
      return rows.map(toMember)
    },
  )

  app.put(
    '/workspaces/:workspace_id/members/:user_id',
    { config, schema: { tags, params, body: roleChange, response: { 200: memberShape } } },
    async (request) => {
      const caller = callerOf(request)
      const member = await find(caller.workspaceId, request.params.user_id)
      await change(caller, member, request.body)
      return toMember({ ...member, role: request.body.role })
    },
  )

  app.delete(
    '/workspaces/:workspace_id/members/:user_id',
    {
      config,
      schema: {
        tags,
        params,
        querystring: z.object({ disable_keys: disableKeysInQuery }),
        response: { 200: z.object({}) },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const member = await find(caller.workspaceId, request.params.user_id)
      await change(caller, member, { role: null, ...request.query })
      return {}
    },
  )

  app.get(
    '/workspaces/:workspace_id/members/:user_id/keys',
    { config, schema: { tags, params, response: { 200: z.array(workingKeysShape) } } },
    async (request) => {
      const { workspaceId, id: administratorId } = callerOf(request)
      const member = await find(workspaceId, request.params.user_id)
      return countEnabledKeys(db, { creatorId: member.user_id, administratorId })
    },
  )
}

type RoleUpdate = { role: Role | null; disable_keys: boolean }

/** By default, a role below developer disables the member's keys. */
const disableKeys = z.boolean().default(true)
const roleChange = z.strictObject({ role: roleShape, disable_keys: disableKeys })
const disableKeysInQuery = z
  .enum(['true', 'false'])
  .default('true')
  .transform((text) => text === 'true')

export function lastAdministrator(whoIs: string, of = 'this workspace'): AppError {
  return new AppError('not_possible', `${whoIs} the last administrator of ${of}`, {
    fix: 'Make another member an administrator first',
  })
}

/** One count per workspace that the caller administers. */
const workingKeysShape = z.object({ workspace_id: z.string(), workspace: z.string(), keys: z.number() })

const memberShape = z.object({
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  role: roleShape,
  joined_at: z.string(),
})

function toMember(member: Member): z.infer<typeof memberShape> {
  return { ...member, joined_at: member.joined_at.toISOString() }
}
