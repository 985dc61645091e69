import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { freshDatabase } from '../../../test/world/postgres.ts'
import { closeDatabase, openDatabase } from '../database.ts'
import { migrate } from '../migrate.ts'
import { migrations } from '../migrations/all.ts'
import { pruneOldRuns } from './old-runs.ts'

test('it deletes the documents of a large old run before PostgreSQL has counted them', async () => {
  const fresh = await freshDatabase()
  const db = openDatabase(fresh.url)
  try {
    await migrate(db, migrations)
    const [workflow, old] = [randomUUID(), randomUUID()]
    const workspace = randomUUID()
    await sql`insert into workspaces (id, name) values (${workspace}::uuid, 'w')`.execute(db)
    await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
      values (${workflow}::uuid, ${workspace}::uuid, 'w', 'custom', '[]', false, 'active')`.execute(db)
    for (let days = 40; days > 19; days--)
      await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type,
          settings, created_at, finished_at)
        select ${days === 40 ? old : randomUUID()}::uuid, workspace_id, id, name, 'COMPLETED', 'SUCCESS', 'persistent',
          '{}', now() - make_interval(days => ${days}), now() - make_interval(days => ${days})
        from workflows where id = ${workflow}::uuid`.execute(db)
    const add = (first: number, last: number) =>
      sql`insert into job_documents (job_id, record_id, scope, state, kind, title, url)
        select ${old}::uuid, 'wiki/' || n, 'ENG', 'new', 'new', '', ''
        from generate_series(${first}::int, ${last}::int) as n`.execute(db)
    await sql`alter table job_documents set (autovacuum_enabled = false)`.execute(db)
    await add(1, 1)
    await sql`analyze job_documents`.execute(db)
    await add(2, 40_000)

    await pruneOldRuns(db)
    const { rows } = await sql<{ left: number }>`select count(*)::int as left from job_documents`.execute(db)
    assert.deepEqual(rows, [{ left: 0 }])
  } finally {
    await closeDatabase(db)
    await fresh.drop()
  }
})
