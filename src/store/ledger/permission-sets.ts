import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import type { DocumentRef } from '../../document.ts'
import { accessHash, hashOfJson } from '../../document-hashes.ts'
import { intersectAccess } from '../../permissions/intersect-access.ts'
import { type Access, readAccess, type StoredAccess, storeAccess } from '../../permissions/levels.ts'
import type { Database } from '../database.ts'
import { storableJson } from '../storable.ts'

/** Documents with the same key are below the same permission levels. */
export function setKey(access: Access): string {
  return access.set ? hashOfJson(access.set) : accessHash(access)
}

type ReadSets = { refs: DocumentRef[]; isNewest: boolean; asOf: Date }
type PutSets = {
  /** By key. */
  ids: Map<string, string>
  changed: number
  /** Keys of sets of which a later reading is stored; their documents keep its permissions. */
  outdated: Set<string>
}
type ChangedSet = { key: string; hash: string; access: StoredAccess }

/**
 * The ids of all sets of these documents, and how many sets changed. Other documents of a set may have changed too: until
 * a listing shows them, only people whom both the old and the new permissions admit may read them.
 */
export async function putSets(
  db: Database,
  workflowId: string,
  { refs, isNewest, asOf }: ReadSets,
): Promise<PutSets> {
  const byKey = new Map(refs.map(({ access }) => [setKey(access), access]))
  const read = async () => {
    const { rows } = await sql<{ id: string; key: string; hash: string; as_of: Date }>`
      select id, key, hash, as_of from permission_sets
      where workflow_id = ${workflowId}::uuid and key = any(${[...byKey.keys()]}::text[])
    `.execute(db)
    return new Map(rows.map((row) => [row.key, row]))
  }
  const before = await read()
  const outdated = new Set<string>()
  const changed = [...byKey].flatMap(([key, access]): ChangedSet[] => {
    const hash = accessHash(access)
    const set = before.get(key)
    if (set?.hash === hash) return []
    if (set && (!isNewest || set.as_of > asOf)) {
      outdated.add(key)
      return []
    }
    return [{ key, hash, access: storeAccess(access) }]
  })
  if (changed.length === 0) return { ids: idsOf(before), changed: 0, outdated }
  const updated = changed.filter(({ key }) => before.has(key))
  await setAside(db, workflowId, updated)
  await sql`
    insert into permission_sets as s (workflow_id, key, access, hash, as_of)
    select ${workflowId}::uuid, d.key, d.access, d.hash, ${asOf}::timestamptz
    from jsonb_to_recordset(${storableJson(changed)}::jsonb) as d(key text, access jsonb, hash text)
    on conflict (workflow_id, key) do update set
      access = excluded.access, hash = excluded.hash, revision = s.revision + 1, as_of = excluded.as_of
  `.execute(db)
  return { ids: idsOf(await read()), changed: updated.length, outdated }
}

function idsOf(sets: Map<string, { id: string }>): Map<string, string> {
  return new Map([...sets].map(([key, { id }]) => [key, id]))
}

/** The key of a set, also of one that is set aside. */
export function keyOfSet(set: string): RawBuilder<string> {
  return sql`split_part(${sql.ref(`${set}.key`)}, ' ', 1)`
}

/**
 * Sets that admit more than before get another row, and documents move there as they are listed. Rows that were set aside
 * before are narrowed too.
 */
async function setAside(db: Database, workflowId: string, changed: ChangedSet[]): Promise<void> {
  if (changed.length === 0) return
  const byKey = new Map(changed.map((set) => [set.key, set]))
  const { rows } = await sql<{ id: string; key: string; is_aside: boolean; access: StoredAccess }>`
    select id, ${keyOfSet('s')} as key, ${keyOfSet('s')} <> s.key as is_aside, access from permission_sets as s
    where workflow_id = ${workflowId}::uuid and ${keyOfSet('s')} = any(${[...byKey.keys()]}::text[])
  `.execute(db)
  const aside = rows.flatMap(({ id, key, is_aside: isAside, access: old }) => {
    const { access: wanted } = byKey.get(key) as ChangedSet
    const access = intersectAccess(old, wanted)
    // Only clauses are compared, because the flat form also changes with the members of groups.
    const isNarrower = isDeepStrictEqual(readAccess(access).clauses, readAccess(wanted).clauses)
    if (isNarrower && !isAside) return []
    return [{ id, key: `${key} ${id}`, access, hash: accessHash(readAccess(access)) }]
  })
  if (aside.length === 0) return
  await sql`
    update permission_sets as s set key = d.key, access = d.access, hash = d.hash,
      revision = s.revision + case when s.hash = d.hash then 0 else 1 end
    from jsonb_to_recordset(${storableJson(aside)}::jsonb) as d(id bigint, key text, access jsonb, hash text)
    where s.id = d.id
  `.execute(db)
}

/** Call it after a listing, in a transaction that has called `lockWanted`. */
export async function deleteUnusedSets(transaction: Database, workflowId: string): Promise<void> {
  await sql`
    delete from permission_sets as s where workflow_id = ${workflowId}::uuid
      and not exists (select from wanted_documents as w where w.set_id = s.id)
  `.execute(transaction)
}
