import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** Cached vectors by the hash of model and text. */
export async function findVectors(db: Database, keys: string[]): Promise<Map<string, Float32Array>> {
  if (keys.length === 0) return new Map()
  const hasKey = sql`key in (select decode(k, 'hex') from unnest(${keys}::text[]) as k)`
  await sql`update embeddings set used_on = current_date where used_on < current_date and ${hasKey}`.execute(
    db,
  )
  const rows = await sql<{ key: string; vector: Buffer }>`
    select encode(key, 'hex') as key, vector from embeddings where ${hasKey}
  `.execute(db)
  return new Map(rows.rows.map((row) => [row.key, toFloats(row.vector)]))
}

export async function putVectors(db: Database, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
  if (vectors.size === 0) return
  const keys = [...vectors.keys()]
  const values = [...vectors.values()].map((vector) =>
    Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
  )
  await sql`
    insert into embeddings (key, vector)
    select decode(k, 'hex'), v from unnest(${keys}::text[], ${values}::bytea[]) as t(k, v)
    on conflict (key) do nothing
  `.execute(db)
}

/** 500,000 vectors of 384 dimensions or 63,000 of 3,072; least recently used go first. */
const MAX_BYTES = 800_000_000

export async function pruneVectors(db: Database, maxBytes = MAX_BYTES): Promise<void> {
  // 100 bytes for the key and row overhead.
  const { rows } = await sql<{ used_on: string; key: Buffer }>`
    select used_on::text, key from (
      select key, used_on, sum(octet_length(vector) + 100) over (order by used_on desc, key) as bytes from embeddings
    ) as ranked
    where bytes > ${maxBytes} order by used_on desc, key limit 1
  `.execute(db)
  const [first] = rows
  if (!first) return
  while (true) {
    const { numAffectedRows } = await sql`
      delete from embeddings where key in (
        select key from embeddings
        where used_on < ${first.used_on}::date or (used_on = ${first.used_on}::date and key >= ${first.key})
        limit ${PRUNE_ROWS}
      )
    `.execute(db)
    if (Number(numAffectedRows ?? 0) < PRUNE_ROWS) return
  }
}

// Small batches, because running jobs share the table.
const PRUNE_ROWS = 5_000

function toFloats(bytes: Buffer): Float32Array {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}
