import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { storableJson } from '../storable.ts'

/** The person of visitors, who have no account. */
export const VISITORS = ''

/** What a source answered about a person; `belonging` is null if the source has no people. */
export type StoredMembership = {
  site: { name: string; groups: 'global' | 'per site' | 'unqualified' }
  belonging: {
    account: 'known' | 'unlicensed' | 'unknown' | 'inactive'
    groups: string[]
    classes: string[]
  } | null
}

type PersonKey = { sourceId: string; person: string }

/**
 * `isUsed` is false if only a pass reads it. `revision` is that of the source before it was asked: an answer of a site
 * or account that the source no longer has is not stored.
 */
export async function storeMembership(
  db: Database,
  { sourceId, person }: PersonKey,
  answer: { known: StoredMembership; readAt: Date; isUsed: boolean; revision: number },
): Promise<void> {
  const { known, readAt, isUsed, revision } = answer
  await sql`
    insert into memberships as m (source_id, person, known, read_at)
    select id, ${person}, ${storableJson(known)}::jsonb, ${readAt} from connectors
    where id = ${sourceId}::uuid and revision = ${revision} for share
    on conflict (source_id, person) do update set known = excluded.known, read_at = excluded.read_at,
      used_on = case when ${isUsed}::boolean then excluded.used_on else m.used_on end
    where m.read_at < excluded.read_at
  `.execute(db)
}

/** The stored answer, unless it is older than the smallest maximum age among the workflows of the source. */
export async function takeStoredMembership(
  db: Database,
  { sourceId, person }: PersonKey,
): Promise<{ known: StoredMembership; readAt: Date } | null> {
  const { rows } = await sql<{ known: StoredMembership; read_at: Date }>`
    update memberships as m set used_on = current_date
    where m.source_id = ${sourceId}::uuid and m.person = ${person} and m.read_at > coalesce((
      select now() - min(w.max_permission_age_hours) * interval '1 hour' from workflows as w
      where w.source_id = m.source_id and w.deleted_at is null
    ), '-infinity')
    returning m.known, m.read_at
  `.execute(db)
  const [row] = rows
  return row ? { known: row.known, readAt: row.read_at } : null
}

/** The stored answer, if it was read after this time. */
export async function newerMembership(
  db: Database,
  { sourceId, person }: PersonKey,
  readAt: Date,
): Promise<{ known: StoredMembership; readAt: Date } | null> {
  const { rows } = await sql<{ known: StoredMembership; read_at: Date }>`
    select known, read_at from memberships
    where source_id = ${sourceId}::uuid and person = ${person} and read_at > ${readAt}
  `.execute(db)
  const [row] = rows
  return row ? { known: row.known, readAt: row.read_at } : null
}

const REFRESHED_DAYS = 7
const MAX_REFRESHED = 500

/** People to read again: used in the last days, oldest answer first. */
export async function peopleToRefresh(db: Database, sourceId: string): Promise<string[]> {
  const { rows } = await sql<{ person: string }>`
    select person from memberships
    where source_id = ${sourceId}::uuid and used_on > current_date - ${REFRESHED_DAYS}::int
    order by read_at limit ${MAX_REFRESHED}
  `.execute(db)
  return rows.map(({ person }) => person)
}

export async function forgetMemberships(db: Database, sourceId: string): Promise<void> {
  await db.deleteFrom('memberships').where('source_id', '=', sourceId).execute()
}

const KEPT_DAYS = 30

/** Forgets people that no search has used for a month. */
export async function pruneMemberships(db: Database): Promise<void> {
  await sql`delete from memberships where used_on < current_date - ${KEPT_DAYS}::int`.execute(db)
}
