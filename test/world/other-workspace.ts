import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { closeDatabase, openDatabase } from '../../src/store/database.ts'

export type OtherWorkspace = { workspace: string; workflow: string; job: string; destination: string }

/** Rows of another workspace, invisible to ours. */
export async function addOtherWorkspace(databaseUrl: string): Promise<OtherWorkspace> {
  const [workspace, workflow, job, destination] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const db = openDatabase(databaseUrl)
  await sql`insert into workspaces (id, name) values (${workspace}, 'theirs')`.execute(db)
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
    values (${workflow}, ${workspace}, 'theirs', 'custom', '[]', false, 'active')`.execute(db)
  await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
    values (${destination}, ${workspace}, 'destination', 'searchindex', 'theirs', '{}', '{}')`.execute(db)
  await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type,
    settings) values (${job}, ${workspace}, ${workflow}, 'theirs', 'COMPLETED', 'SUCCESS', 'persistent',
    '{"nodes": []}')`.execute(db)
  await closeDatabase(db)
  return { workspace, workflow, job, destination }
}
