import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { freshDatabase } from '../../../test/world/postgres.ts'
import { closeDatabase, type Database, openDatabase } from '../database.ts'
import { migrate } from '../migrate.ts'
import { migrations } from '../migrations/all.ts'
import { pruneDeletedWorkflows, pruneOldJobs, pruneOldRuns } from './old-runs.ts'

describe('old runs', () => {
  let db: Database
  let drop: () => Promise<void>
  let workspace: string
  before(async () => {
    const fresh = await freshDatabase()
    db = openDatabase(fresh.url)
    await migrate(db, migrations)
    drop = fresh.drop
  })
  beforeEach(async () => {
    await sql`truncate workspaces, jobs cascade`.execute(db)
    workspace = randomUUID()
    await sql`insert into workspaces (id, name) values (${workspace}::uuid, 'w')`.execute(db)
  })
  after(async () => {
    await closeDatabase(db)
    await drop()
  })

  type OldJobs = { days: number; count?: number; type?: string; workflow?: string | null; status?: string }
  const addJobs = ({ days, count = 1, type = 'persistent', workflow = null, status }: OldJobs) =>
    sql<{
      id: string
    }>`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status,
        job_type, settings, created_at, finished_at)
      select gen_random_uuid(), ${workspace}::uuid, coalesce(${workflow}::uuid, gen_random_uuid()), 'w',
        ${status ?? 'COMPLETED'}, 'SUCCESS', ${type}, '{}', now() - make_interval(days => ${days}, secs => n),
        case when ${status ?? null}::text is null then now() - make_interval(days => ${days}) end
      from generate_series(1, ${count}::int) as n returning id`.execute(db)
  const count = async (table: 'jobs' | 'job_documents' | 'uploads' | 'outputs') => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`.execute(db)
    return rows[0]?.n
  }

  test('it deletes the documents of a large old run before PostgreSQL has counted them', async () => {
    const workflow = randomUUID()
    const [old] = (await addJobs({ days: 40, workflow })).rows
    await addJobs({ days: 20, count: 20, workflow })
    const add = (first: number, last: number) =>
      sql`insert into job_documents (job_id, record_id, scope, state, kind, title, url)
        select ${old?.id}::uuid, 'wiki/' || n, 'ENG', 'new', 'new', '', ''
        from generate_series(${first}::int, ${last}::int) as n`.execute(db)
    await sql`alter table job_documents set (autovacuum_enabled = false)`.execute(db)
    await add(1, 1)
    await sql`analyze job_documents`.execute(db)
    await add(2, 40_000)

    await pruneOldRuns(db)
    assert.equal(await count('job_documents'), 0)
    assert.equal(await count('jobs'), 21, 'the job itself keeps its counts')
  })

  test('it deletes a deleted workflow and its jobs a month later, once its elements left the index', async () => {
    const addWorkflow = async (name: string, days: number | null) => {
      const id = randomUUID()
      await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state, deleted_at)
        values (${id}::uuid, ${workspace}::uuid, ${name}, 'custom', '[]', false, 'active',
          now() - make_interval(days => ${days}::int))`.execute(db)
      return id
    }
    const [removed, kept, recent, busy, current] = [
      await addWorkflow('removed', 31),
      await addWorkflow('its elements stay in the index', 31),
      await addWorkflow('recent', 29),
      await addWorkflow('being removed', 31),
      await addWorkflow('current', null),
    ]
    await sql`insert into documents (ledger_id, record_id, scope, position, locator, version, state_hash,
        settings_hash, element_ids, settled, fence)
      select ledger_id, 'wiki/1', 'ENG', '', '{}', '1', '', '', '{a}', true, 1
      from workflows where id = ${kept}::uuid`.execute(db)
    for (const workflow of [removed, kept, recent, current]) await addJobs({ days: 31, workflow, count: 2 })
    await addJobs({ days: 31, workflow: busy, status: 'IN_PROGRESS' })
    await sql`insert into job_documents (job_id, record_id, scope, state, kind, title, url)
      select id, 'wiki/' || n, 'ENG', 'new', 'new', '', '' from jobs, generate_series(1, 6000) as n
      where workflow_id = ${removed}::uuid`.execute(db)

    await pruneDeletedWorkflows(db)
    const { rows } = await sql<{ name: string; jobs: number }>`
      select name, (select count(*)::int from jobs where workflow_id = w.id) as jobs
      from workflows as w order by name`.execute(db)
    assert.deepEqual(rows, [
      { name: 'being removed', jobs: 1 },
      { name: 'current', jobs: 2 },
      { name: 'its elements stay in the index', jobs: 2 },
      { name: 'recent', jobs: 2 },
    ])
    assert.deepEqual([await count('jobs'), await count('job_documents')], [7, 0])
  })

  test('it deletes jobs without a workflow a month after their end, with files and results', async () => {
    for (const type of ['ephemeral', 'template'])
      for (const days of [31, 29]) {
        const [job] = (await addJobs({ days, type })).rows
        const file = randomUUID()
        await sql`insert into uploads (job_id, file_id, place, filename, content)
          values (${job?.id}::uuid, ${file}::uuid, 0, 'a.txt', 'a')`.execute(db)
        await sql`insert into outputs (job_id, file_id, node_id, place, elements)
          values (${job?.id}::uuid, ${file}::uuid, gen_random_uuid(), 0, 'a')`.execute(db)
        await sql`insert into job_documents (job_id, record_id, scope, state, kind, title, url)
          values (${job?.id}::uuid, 'a', '', 'new', 'new', '', '')`.execute(db)
      }
    await addJobs({ days: 40, type: 'ephemeral', status: 'IN_PROGRESS' })
    await addJobs({ days: 40, workflow: randomUUID() })

    await pruneOldJobs(db)
    assert.deepEqual(
      await Promise.all([count('jobs'), count('uploads'), count('outputs'), count('job_documents')]),
      [4, 2, 2, 2],
    )
  })

  test('it keeps the last 10,000 jobs without a workflow longer than a day', async () => {
    await addJobs({ days: 2, count: 10_005, type: 'ephemeral' })
    await addJobs({ days: 0, count: 3, type: 'template' })
    await pruneOldJobs(db)
    assert.equal(await count('jobs'), 10_000)
  })

  test('it keeps the last 1,000 jobs of a workflow', async () => {
    await addJobs({ days: 31, count: 1_003, workflow: randomUUID() })
    await addJobs({ days: 29, count: 1_003, workflow: randomUUID() })
    await pruneOldJobs(db)
    assert.equal(await count('jobs'), 2_003)
  })
})
