import { recordAudit, recordInAllWorkspaces } from '../store/accounts/audit.ts'
import { deleteAllLinksOf } from '../store/accounts/identities.ts'
import { deleteInvitationsBy } from '../store/accounts/invitations.ts'
import { disableAllKeysOf } from '../store/accounts/keys.ts'
import { deletePasswordResetsBy } from '../store/accounts/password-resets.ts'
import { deletePassword, type PersonRow } from '../store/accounts/people.ts'
import type { Database } from '../store/database.ts'

/**
 * Someone else may know the password, so this also ends the resets, keys, invitations and linked
 * accounts. Cached keys work five more seconds.
 */
export async function revokePasswordAccess(tx: Database, { id, email }: PersonRow): Promise<void> {
  await deletePassword(tx, id)
  await deletePasswordResetsBy(tx, id)
  await deleteAllLinksOf(tx, id)
  const actor = `person:${id}`
  for (const { workspace_id: workspaceId, ...key } of await disableAllKeysOf(tx, id)) {
    const subject = { key: key.id, name: key.name }
    await recordAudit(tx, { workspaceId, actor, action: 'disable_key', subject })
  }
  for (const { workspace_id: workspaceId, email: invited } of await deleteInvitationsBy(tx, id))
    await recordAudit(tx, { workspaceId, actor, action: 'take_back_invitation', subject: { email: invited } })
  await recordInAllWorkspaces(tx, id, { action: 'end_password', subject: { member: email } })
}
