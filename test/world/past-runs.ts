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
  warnings?: object[]
}

/** The warning of a listing that left out a part of a space. */
export const CUT_BY_LIMIT = {
  code: 'documents_left_out',
  message:
    'space ENG (Engineering) has more than 150 pages; only the first 150 by id are read and 81 are left out',
  limit: {
    kind: 'documents_per_scope',
    setting: 'max_num_of_docs_from_each_space',
    scope: 'ENG',
    left_out: 81,
    noun: 'page',
  },
}

/** Creates history that would take too long to run; returns the job ids. */
export async function addPastRuns(world: World, flow: Flow, runs: PastRun[]): Promise<string[]> {
  return withDatabase(world, async (db) => {
    const ids: string[] = []
    for (const { daysAgo, documents, state = 'new', ...past } of runs) {
      const { processingStatus = 'SUCCESS', heldBack = 0, warnings = [] } = past
      const settings = { nodes: [], source_id: flow.sourceId, destination_id: flow.destinationId }
      const id = randomUUID()
      const at = sql`now() - make_interval(secs => ${daysAgo * 86_400})`
      await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type,
          settings, warnings, listed, complete, held_back, created_at, started_at, finished_at)
        select ${id}::uuid, workspace_id, id, name, 'COMPLETED', ${processingStatus}, 'persistent',
          ${JSON.stringify(settings)}::jsonb, ${JSON.stringify(warnings)}::jsonb, true, true, ${heldBack}, ${at}, ${at}, ${at} + interval '12 seconds'
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
