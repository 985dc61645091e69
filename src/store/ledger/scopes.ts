import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** The permissions of a whole scope were read; reading began at `asOf`. */
export async function proveScope(
  db: Database,
  workflowId: string,
  { scope, asOf }: { scope: string; asOf: Date },
): Promise<void> {
  await sql`
    insert into workflow_scopes as s (workflow_id, scope, listed_at, proved_at)
    values (${workflowId}::uuid, ${scope}, ${asOf}, ${asOf})
    on conflict (workflow_id, scope) do update set
      listed_at = greatest(s.listed_at, excluded.listed_at),
      proved_at = greatest(s.proved_at, excluded.proved_at), hidden_at = null
  `.execute(db)
}

/** Scopes that a complete listing did not show are no longer part of the source. */
export async function forgetScopes(
  db: Database,
  workflowId: string,
  { except, began }: { except: string[]; began: Date },
): Promise<void> {
  await sql`
    delete from workflow_scopes
    where workflow_id = ${workflowId}::uuid and scope <> all(${except}::text[]) and listed_at < ${began}
  `.execute(db)
}

/** Over all workflows: the age of the oldest permissions in force, and how many scopes search hides. */
export async function permissionAges(db: Database): Promise<{ oldestSeconds: number; hiddenScopes: number }> {
  const { rows } = await sql<{ oldest: number | null; hidden: string }>`
    select extract(epoch from max(now() - s.proved_at))::double precision as oldest,
      count(*) filter (where s.proved_at is null or now() - s.proved_at > make_interval(secs => w.max_permission_age_hours * 3600))
        as hidden
    from workflow_scopes as s join workflows as w on w.id = s.workflow_id and w.deleted_at is null
  `.execute(db)
  return { oldestSeconds: Math.max(0, rows[0]?.oldest ?? 0), hiddenScopes: Number(rows[0]?.hidden ?? 0) }
}

/** The names of scopes by key, as the listings of these workflows found them. */
export async function scopeNames(
  db: Database,
  workflowIds: string[],
  scopes: string[],
): Promise<Record<string, string>> {
  if (workflowIds.length === 0 || scopes.length === 0) return {}
  // The documents of a scope share its name, so one is enough.
  const { rows } = await sql<{ scope: string; name: string }>`
    select s.scope, d.name from unnest(${[...new Set(scopes)]}::text[]) as s(scope) cross join lateral (
      select w.ref->>'scopeName' as name from wanted_documents as w
      where w.workflow_id = any(${workflowIds}::uuid[]) and w.scope = s.scope limit 1
    ) as d
    where d.name <> ''
  `.execute(db)
  return Object.fromEntries(rows.map(({ scope, name }) => [scope, name]))
}
