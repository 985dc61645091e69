import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** Cached answers of models by the hash of model and question. */
export async function findAnswer(db: Database, key: string): Promise<string | null> {
  const hasKey = sql`key = decode(${key}, 'hex')`
  await sql`update model_answers set used_on = current_date where used_on < current_date and ${hasKey}`.execute(
    db,
  )
  const { rows } = await sql<{ answer: string }>`select answer from model_answers where ${hasKey}`.execute(db)
  return rows[0]?.answer ?? null
}

export async function putAnswer(db: Database, key: string, answer: string): Promise<void> {
  // A text column refuses NUL.
  await sql`
    insert into model_answers (key, answer) values (decode(${key}, 'hex'), ${answer.replaceAll('\0', '')})
    on conflict (key) do nothing
  `.execute(db)
}

/** About 400,000 descriptions of 500 characters; least recently used go first. */
const MAX_BYTES = 256_000_000
/** Answers quote documents and must not outlive them for long. */
const UNUSED_DAYS = 30

export async function pruneAnswers(db: Database, maxBytes = MAX_BYTES): Promise<void> {
  const isOutdated = sql`used_on < current_date - ${UNUSED_DAYS}::int`
  while (true) {
    const { numAffectedRows } = await sql`
      delete from model_answers where key in (
        select key from (
          select key, used_on, sum(octet_length(answer) + 100) over (order by used_on desc, key) as bytes
          from model_answers
        ) as ranked
        where bytes > ${maxBytes} or ${isOutdated} limit ${PRUNE_ROWS}
      )
    `.execute(db)
    if (Number(numAffectedRows ?? 0) < PRUNE_ROWS) return
  }
}

// Small batches, because running jobs share the table.
const PRUNE_ROWS = 5_000
