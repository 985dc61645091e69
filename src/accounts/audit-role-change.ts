import { recordAudit } from '../store/accounts/audit.ts'
import type { Database } from '../store/database.ts'
import type { Role } from './roles.ts'

export type RoleChange = {
  workspaceId: string
  actor: `key:${string}` | `person:${string}`
  member: { user_id: string; email: string; role: Role }
  /** Null if the membership ended. */
  role: Role | null
  /** The member's keys that were disabled with the change. */
  disabled: { id: string; name: string }[]
}

/** Records a demotion or removal, and each key it disabled. */
export async function auditRoleChange(db: Database, change: RoleChange): Promise<void> {
  const { workspaceId, actor, member, role, disabled } = change
  const isOwn = actor === `person:${member.user_id}`
  const action = role ? 'change_role' : isOwn ? 'leave_workspace' : 'remove_member'
  const subject = {
    member: member.email,
    was: member.role,
    ...(role ? { role } : {}),
    ...(disabled.length > 0 ? { keys_disabled: disabled.length } : {}),
  }
  for (const { id, name } of disabled)
    await recordAudit(db, { workspaceId, actor, action: 'disable_key', subject: { key: id, name } })
  await recordAudit(db, { workspaceId, actor, action, subject })
}
