import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** Counts tokens of today (UTC) unless the limit is reached; false if it is. The last request may exceed it. */
export async function addModelTokens(
  db: Database,
  workspaceId: string,
  { tokens, limit }: { tokens: number; limit: number | null },
): Promise<boolean> {
  const { rows } = await sql`
    insert into model_tokens as counted (workspace_id, day, tokens)
    values (${workspaceId}, (now() at time zone 'utc')::date, ${tokens})
    on conflict (workspace_id, day) do update set tokens = counted.tokens + excluded.tokens
    where ${limit}::bigint is null or counted.tokens < ${limit}::bigint
    returning tokens
  `.execute(db)
  return rows.length > 0
}

/** Only today's count has an effect; a month shows the trend. */
const KEPT_DAYS = 35

export async function pruneModelTokens(db: Database): Promise<void> {
  await sql`delete from model_tokens where day < current_date - ${KEPT_DAYS}::int`.execute(db)
}
