import { sql } from 'kysely'
import type { DocumentRef } from '../../document.ts'
import { accessHash, hashOfJson } from '../../document-hashes.ts'
import {
  type Access,
  bothAccesses,
  readAccess,
  type StoredAccess,
  storeAccess,
} from '../../permissions/levels.ts'
import type { Database } from '../database.ts'
import { storableJson } from '../storable.ts'

/** Documents with the same key are below the same permission levels. */
export function setKey(access: Access): string {
  return access.set ? hashOfJson(access.set) : accessHash(access)
}

type ReadSets = { refs: DocumentRef[]; isNewest: boolean; asOf: Date }
type ChangedSet = { key: string; hash: string; access: StoredAccess }

/**
 * The ids of all sets of these documents, and how many sets changed. Other documents of a set may have changed too: until
 * a listing shows them, they are only for those whom the old and the new permissions admit.
 */
export async function putSets(
  db: Database,
  workflowId: string,
  { refs, isNewest, asOf }: ReadSets,
): Promise<{ ids: Map<string, string>; changed: number }> {
  const byKey = new Map(refs.map(({ access }) => [setKey(access), access]))
  const read = async () => {
    const { rows } = await sql<{ id: string; key: string; hash: string; as_of: Date }>`
      select id, key, hash, as_of from permission_sets
      where workflow_id = ${workflowId}::uuid and key = any(${[...byKey.keys()]}::text[])
    `.execute(db)
    return new Map(rows.map((row) => [row.key, row]))
  }
  const before = await read()
  const changed = [...byKey].flatMap(([key, access]): ChangedSet[] => {
    const hash = accessHash(access)
    const set = before.get(key)
    if (set && (set.hash === hash || !isNewest || set.as_of > asOf)) return []
    return [{ key, hash, access: storeAccess(access) }]
  })
  if (changed.length === 0) return { ids: idsOf(before), changed: 0 }
  const updated = changed.filter(({ key }) => before.has(key))
  await setAside(db, workflowId, updated)
  await sql`
    insert into permission_sets as s (workflow_id, key, access, hash, as_of)
    select ${workflowId}::uuid, d.key, d.access, d.hash, ${asOf}::timestamptz
    from jsonb_to_recordset(${storableJson(changed)}::jsonb) as d(key text, access jsonb, hash text)
    on conflict (workflow_id, key) do update set
      access = excluded.access, hash = excluded.hash, revision = s.revision + 1, as_of = excluded.as_of
  `.execute(db)
  return { ids: idsOf(await read()), changed: updated.length }
}

function idsOf(sets: Map<string, { id: string }>): Map<string, string> {
  return new Map([...sets].map(([key, { id }]) => [key, id]))
}

/** Sets that admit more than before get another row, and documents move there as they are listed. */
async function setAside(db: Database, workflowId: string, changed: ChangedSet[]): Promise<void> {
  if (changed.length === 0) return
  const byKey = new Map(changed.map((set) => [set.key, set]))
  const { rows } = await sql<{ id: string; key: string; access: StoredAccess }>`
    select id, key, access from permission_sets
    where workflow_id = ${workflowId}::uuid and key = any(${[...byKey.keys()]}::text[])
  `.execute(db)
  const aside = rows.flatMap(({ id, key, access: old }) => {
    const { hash: newHash, access: wanted } = byKey.get(key) as ChangedSet
    const access = bothAccesses(old, wanted)
    const hash = accessHash(readAccess(access))
    return hash === newHash ? [] : [{ id, access, hash }]
  })
  if (aside.length === 0) return
  await sql`
    update permission_sets as s set key = s.key || ' ' || s.id, access = d.access, hash = d.hash,
      revision = s.revision + case when s.hash = d.hash then 0 else 1 end
    from jsonb_to_recordset(${storableJson(aside)}::jsonb) as d(id bigint, access jsonb, hash text)
    where s.id = d.id
  `.execute(db)
}

/** Call it after a complete listing, in a transaction that has called `lockWanted`. */
export async function deleteUnusedSets(transaction: Database, workflowId: string): Promise<void> {
  await sql`
    delete from permission_sets as s where workflow_id = ${workflowId}::uuid
      and not exists (select from wanted_documents as w where w.set_id = s.id)
  `.execute(transaction)
}
