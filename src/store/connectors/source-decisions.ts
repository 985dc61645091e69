import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { storableJson } from '../storable.ts'

type StoredDecision = { key: string; value: unknown; checkedAt: Date }
type StoredDecisions = {
  read(scope: string): Promise<StoredDecision[]>
  write(scope: string, changes: { put: StoredDecision[]; drop: string[] }): Promise<void>
}

/** The decisions of a stored source. */
export function sourceDecisions(db: Database, sourceId: string): StoredDecisions {
  return {
    read: async (scope) => {
      const { rows } = await sql<{ key: string; value: unknown; checked_at: Date }>`
        select key, value, checked_at from source_decisions
        where source_id = ${sourceId}::uuid and scope = ${scope}
      `.execute(db)
      return rows.map(({ key, value, checked_at: checkedAt }): StoredDecision => ({ key, value, checkedAt }))
    },
    write: async (scope, { put, drop }) => {
      const rows = put.map(({ key, value, checkedAt }) => ({ key, value, checked_at: checkedAt }))
      await db.transaction().execute(async (transaction) => {
        await sql`
          delete from source_decisions
          where source_id = ${sourceId}::uuid and scope = ${scope} and key = any(${drop}::text[])
        `.execute(transaction)
        // A source that was deleted meanwhile keeps nothing. In order, so that two listings do not block each other.
        await sql`
          insert into source_decisions as s (source_id, scope, key, value, checked_at)
          select c.id, ${scope}, d.key, d.value, d.checked_at
          from jsonb_to_recordset(${storableJson(rows)}::jsonb) as d(key text, value jsonb, checked_at timestamptz)
          join connectors as c on c.id = ${sourceId}::uuid
          order by d.key
          on conflict (source_id, scope, key) do update set value = excluded.value, checked_at = excluded.checked_at
          where s.checked_at <= excluded.checked_at
        `.execute(transaction)
      })
    },
  }
}
