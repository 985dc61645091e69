import { sql } from 'kysely'
import type { Database } from '../database.ts'

export type UnmatchedClaim = { kind: 'email' | 'claim'; value: string }

/** Newer ones replace older ones. */
const MAX_CLAIMS = 1000

export async function recordUnmatched(
  db: Database,
  { workspaceId, kind, value }: UnmatchedClaim & { workspaceId: string },
  sourceIds: string[],
): Promise<void> {
  const { rows } = await sql<{ is_new: boolean }>`
    insert into unmatched_claims (workspace_id, source_id, kind, value)
    select ${workspaceId}::uuid, id, ${kind}, ${value} from connectors
    where id = any(${sourceIds}::uuid[]) and workspace_id = ${workspaceId}::uuid
    on conflict (source_id, kind, value) do update set seen_at = excluded.seen_at
    returning xmax = 0 as is_new
  `.execute(db)
  if (!rows.some((row) => row.is_new)) return
  await sql`delete from unmatched_claims where ctid in (
    select ctid from unmatched_claims where workspace_id = ${workspaceId}::uuid
    order by seen_at desc offset ${MAX_CLAIMS})`.execute(db)
}

export type UnmatchedAccount = { account: string; name: string | null }

/** Accounts that Millrace has seen in a source and that no identity names. */
export async function unmatchedAccounts(
  db: Database,
  sourceId: string,
  { after, limit }: { after: string; limit: number },
): Promise<UnmatchedAccount[]> {
  const { rows } = await sql<UnmatchedAccount>`
    select account, max(name) as name from (
      select account, name from source_accounts where source_id = ${sourceId}::uuid
      union all
      select person collate "C", null from memberships
      where source_id = ${sourceId}::uuid and person <> '' and known->'belonging'->>'account' in ('known', 'unlicensed')
    ) as seen
    where account > ${after} and not exists (
      select from identities as i where i.source_id = ${sourceId}::uuid and i.account = seen.account)
    group by account order by account limit ${limit}
  `.execute(db)
  return rows
}

/** Claims of requests that still match no account, newest first. */
export async function unmatchedClaims(
  db: Database,
  sourceId: string,
): Promise<(UnmatchedClaim & { seen_at: Date; accounts: number })[]> {
  const { rows } = await sql<UnmatchedClaim & { seen_at: Date; accounts: number }>`
    select u.kind, u.value, u.seen_at, found.accounts from unmatched_claims as u cross join lateral (
      select count(distinct account)::int as accounts from identities as i
      where i.source_id = u.source_id and i.kind = u.kind and i.value = u.value
    ) as found
    where u.source_id = ${sourceId}::uuid and found.accounts <> 1
    order by u.seen_at desc limit ${MAX_CLAIMS}
  `.execute(db)
  return rows
}
