import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { storableJson } from '../storable.ts'

export type PrincipalKind = 'user' | 'group'
/** `isFresh` is false if the source should be asked again. */
export type StoredName = {
  site: string
  kind: PrincipalKind
  id: string
  name: string | null
  isFresh: boolean
}

const FRESH_HOURS = 24
/** A new account or a repaired permission gets its name soon. */
const UNKNOWN_FRESH_HOURS = 1

export async function storedNames(
  db: Database,
  { workspaceId, sites }: { workspaceId: string; sites: string[] },
  ids: Record<PrincipalKind, string[]>,
): Promise<StoredName[]> {
  if (sites.length === 0 || ids.user.length + ids.group.length === 0) return []
  const { rows } = await sql<StoredName>`
    select site, kind, id, name, read_at > now() - interval '1 hour' *
      case when name is null then ${UNKNOWN_FRESH_HOURS}::int else ${FRESH_HOURS}::int end as "isFresh"
    from principal_names
    where workspace_id = ${workspaceId}::uuid and site = any(${sites}::text[])
      and (kind = 'user' and id = any(${ids.user}::text[]) or kind = 'group' and id = any(${ids.group}::text[]))
  `.execute(db)
  return rows
}

export async function storeNames(
  db: Database,
  { workspaceId, site }: { workspaceId: string; site: string },
  names: { kind: PrincipalKind; id: string; name: string | null }[],
): Promise<void> {
  if (names.length === 0) return
  await sql`
    insert into principal_names as n (workspace_id, site, kind, id, name, read_at)
    select ${workspaceId}::uuid, ${site}, d.kind, d.id, d.name, now()
    from jsonb_to_recordset(${storableJson(names)}::jsonb) as d(kind text, id text, name text)
    order by d.kind, d.id
    on conflict (workspace_id, site, kind, id) do update set
      name = coalesce(excluded.name, n.name), read_at = excluded.read_at
  `.execute(db)
}

export async function forgetNames(
  db: Database,
  { workspaceId, sites }: { workspaceId: string; sites: string[] },
): Promise<void> {
  await sql`
    delete from principal_names where workspace_id = ${workspaceId}::uuid and site = any(${sites}::text[])
  `.execute(db)
}

const KEPT_DAYS = 30

/** Forgets names that were not used for a month: used ones are read again every day. */
export async function prunePrincipalNames(db: Database): Promise<void> {
  await sql`delete from principal_names where read_at < now() - interval '1 day' * ${KEPT_DAYS}::int`.execute(
    db,
  )
}
