import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { closeDatabase, type Database, openDatabase } from '../../src/store/database.ts'
import type { Flow } from './flow.ts'
import type { World } from './world.ts'

/** A run that ended some days ago, as the database would hold it. */
export type PastRun = {
  daysAgo: number
  documents: number
  state?: string
  processingStatus?: string
  heldBack?: number
}

/** Creates history that would take too long to run; returns the job ids. */
export async function makePast(world: World, flow: Flow, runs: PastRun[]): Promise<string[]> {
  return withDatabase(world, async (db) => {
    const ids: string[] = []
    for (const { daysAgo, documents, state = 'new', processingStatus = 'SUCCESS', heldBack = 0 } of runs) {
      const id = randomUUID()
      const at = sql`now() - make_interval(secs => ${daysAgo * 86_400})`
      await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type,
          settings, listed, complete, held_back, created_at, started_at, finished_at)
        select ${id}::uuid, workspace_id, id, name, 'COMPLETED', ${processingStatus}, 'persistent',
          '{"nodes": []}', true, true, ${heldBack}, ${at}, ${at}, ${at} + interval '12 seconds'
        from workflows where id = ${flow.workflowId}::uuid`.execute(db)
      // Many equal titles, times and counts, because ties break sorting.
      await sql`insert into job_documents (job_id, record_id, scope, state, kind, title, url, elements, updated_at)
        select ${id}::uuid, 'wiki/' || lpad(n::text, 6, '0'), 'ENG',
          case when n % 100 = 0 then 'failed' else ${state} end, 'new',
          (array['Alder', 'birch', 'Cedar', 'dogwood', 'Elm'])[1 + n % 5] || ' ' || n / 50, '',
          case when n % 7 = 0 then null else n % 40 end, ${at} + make_interval(secs => n / 500)
        from generate_series(1, ${documents}) as n`.execute(db)
      ids.push(id)
    }
    return ids
  })
}

export async function withDatabase<T>(world: World, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(world.databaseUrl)
  try {
    return await work(db)
  } finally {
    await closeDatabase(db)
  }
}
