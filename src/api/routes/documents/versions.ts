import type { Database } from '../../../store/database.ts'
import { listVersions, readPastPermissions, type VersionRow } from '../../../store/ledger/versions.ts'
import type { DocumentVersion } from '../../shapes/document.ts'
import type { WorkflowAndDocument } from './document-in.ts'
import type { VersionPermissions } from './permission-changes.ts'

/** Newest first. A document without history has the version of the ledger. */
export async function documentVersions(
  db: Database,
  { workflow, found }: WorkflowAndDocument,
  recordId: string,
): Promise<DocumentVersion[]> {
  const rows = await listVersions(db, workflow.id, recordId)
  if (rows.length > 0)
    return rows.map((row, at) => ({ ...versionOf(row), changed: changedSince(rows[at + 1], row) }))
  const { written } = found
  if (!written || written.skipped || written.version === '') return []
  const seenAt = new Date(written.updated_at).toISOString()
  return [{ id: '0', version: written.version, seen_at: seenAt, job_id: null, changed: [] }]
}

export function versionOf({ id, version, seen_at: seenAt, job_id }: VersionRow) {
  return { id, version, seen_at: seenAt.toISOString(), job_id }
}

function changedSince(before: VersionRow | undefined, row: VersionRow): DocumentVersion['changed'] {
  if (!before) return []
  return [
    ...(before.version === row.version ? [] : (['text'] as const)),
    ...(before.permissions_id === row.permissions_id ? [] : (['permissions'] as const)),
    ...(before.place === row.place ? [] : (['place'] as const)),
  ]
}

export type VersionPair = { from: VersionRow; to: VersionRow }

/** Undefined if one of them does not exist. */
export async function findPair(
  db: Database,
  of: { workflowId: string; recordId: string },
  { from, to }: { from: string; to: string },
): Promise<VersionPair | undefined> {
  const rows = await listVersions(db, of.workflowId, of.recordId)
  const [older, newer] = [rows.find(({ id }) => id === from), rows.find(({ id }) => id === to)]
  return older && newer ? { from: older, to: newer } : undefined
}

export async function permissionsOf(
  db: Database,
  workflowId: string,
  { from, to }: VersionPair,
): Promise<{ from: VersionPermissions; to: VersionPermissions }> {
  const found = await readPastPermissions(db, workflowId, [from.permissions_id, to.permissions_id])
  const at = (id: string) => found.get(id) ?? { levels: [] }
  return { from: at(from.permissions_id), to: at(to.permissions_id) }
}
