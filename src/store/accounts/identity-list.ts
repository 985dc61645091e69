import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { IdentityKind, IdentityOrigin } from '../schema.ts'
import type { IdentityRow } from './identities.ts'

export type IdentityFilter = {
  sourceId?: string | undefined
  kind?: IdentityKind | undefined
  origin?: IdentityOrigin | undefined
  /** The beginning of a value or an account. */
  query?: string | undefined
  ambiguous?: boolean | undefined
}

export type ListedIdentity = IdentityRow & {
  /** Whether the value names several accounts of the source, so that it matches none. */
  ambiguous: boolean
  /** The address of a member. */
  member: string | null
}

/** Newest first. */
export async function listIdentities(
  db: Database,
  workspaceId: string,
  { before, limit, ...filter }: IdentityFilter & { before: string | null; limit: number },
): Promise<ListedIdentity[]> {
  const { rows } = await sql<ListedIdentity>`
    select i.*, ${isAmbiguous} as ambiguous, u.email as member from identities as i
    left join auth_users as u on i.kind = 'member' and u.id::text = i.value
    where ${matches(workspaceId, filter)} and (${before}::bigint is null or i.id < ${before}::bigint)
    order by i.id desc limit ${limit}
  `.execute(db)
  return rows
}

export type IdentityCounts = Record<'total' | IdentityOrigin | 'ambiguous', number>

export async function countIdentities(
  db: Database,
  workspaceId: string,
  filter: IdentityFilter,
): Promise<IdentityCounts> {
  const { rows } = await sql<IdentityCounts>`
    select count(*)::int as total,
      (count(*) filter (where origin = 'import'))::int as import,
      (count(*) filter (where origin = 'source'))::int as source,
      (count(*) filter (where origin = 'link'))::int as link,
      (count(*) filter (where ${isAmbiguous}))::int as ambiguous
    from identities as i where ${matches(workspaceId, filter)}
  `.execute(db)
  return rows[0] ?? { total: 0, import: 0, source: 0, link: 0, ambiguous: 0 }
}

/** False if the workspace has no such row. */
export async function deleteIdentity(db: Database, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('identities')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

const isAmbiguous = sql<boolean>`exists (select from identities as other where other.source_id = i.source_id
  and other.kind = i.kind and other.value = i.value and other.account <> i.account)`

function matches(workspaceId: string, { sourceId, kind, origin, query, ambiguous }: IdentityFilter) {
  const beginning = query === undefined ? null : `${query.replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql`i.workspace_id = ${workspaceId}::uuid
    and (${sourceId ?? null}::uuid is null or i.source_id = ${sourceId ?? null}::uuid)
    and (${kind ?? null}::text is null or i.kind = ${kind ?? null})
    and (${origin ?? null}::text is null or i.origin = ${origin ?? null})
    and (${beginning}::text is null or i.value ilike ${beginning} or i.account ilike ${beginning})
    and (${ambiguous ?? null}::boolean is null or ${isAmbiguous} = ${ambiguous ?? null}::boolean)`
}
