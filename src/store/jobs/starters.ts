import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { JobRow } from './jobs.ts'

/** Names are current; a deleted person or key has none. */
export type Starter = { kind: 'person' | 'key' | 'schedule' | 'retry' | 'unknown'; name: string | null }

type Started = Pick<JobRow, 'id' | 'started_by' | 'job_type' | 'settings'>

/** Starters by job id, in one query. */
export async function startersOf(db: Database, jobs: Started[]): Promise<Map<string, Starter>> {
  const actors = [...new Set(jobs.flatMap(({ started_by: actor }) => (actor?.includes(':') ? [actor] : [])))]
  const names = actors.length > 0 ? await namesOf(db, actors) : new Map<string, string>()
  return new Map(
    jobs.map((job) => [job.id, { kind: kindOf(job), name: names.get(job.started_by ?? '') ?? null }]),
  )
}

async function namesOf(db: Database, actors: string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ actor: string; name: string }>`
    select 'person:' || id as actor, name from auth_users where 'person:' || id = any(${actors}::text[])
    union all
    select 'key:' || id as actor, name from api_keys where 'key:' || id = any(${actors}::text[])
  `.execute(db)
  return new Map(rows.map(({ actor, name }) => [actor, name]))
}

/** A retry stays a retry; its starter is shown in `name`. */
function kindOf({ settings, started_by: actor, job_type: type }: Started): Starter['kind'] {
  if (settings.retry_of) return 'retry'
  if (type === 'scheduled') return 'schedule'
  if (actor?.startsWith('person:')) return 'person'
  return actor?.startsWith('key:') ? 'key' : 'unknown'
}
