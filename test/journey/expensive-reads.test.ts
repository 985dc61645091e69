import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { closeDatabase, type Database, openDatabase } from '../../src/store/database.ts'
import { firstAdministrator, openPageClient, type PageClient } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'

/** Below the five seconds after which the service ends such a read. */
const QUICK_MS = 3_000
const REQUESTS = 25
const [source, workflow, job, later] = Array.from({ length: 4 }, () => randomUUID())

/** Routes whose work grows with what a workspace has stored, and a table that each of them reads. */
const ROUTES = [
  [`/jobs/${job}/documents?title=mill`, 'job_documents'],
  [`/jobs/${job}/failed-files`, 'job_documents'],
  [`/jobs/${job}/log?text=mill`, 'job_documents'],
  [`/jobs/${job}/log?tail=10`, 'job_documents'],
  [`/jobs/${job}/differences?to=${later}`, 'job_documents'],
  ['/overview', 'documents'],
  [`/workflows/${workflow}/freshness`, 'workflow_scopes'],
  ['/identities?query=a', 'identities'],
  [`/identities.csv?source_id=${source}`, 'identities'],
  [`/identities/unmatched?source_id=${source}`, 'source_accounts'],
] as const

type Freshness = { scopes: { scope: string }[]; oldest: string | null }

describe('reads that the database answers slowly', () => {
  let millrace: Millrace
  let db: Database
  let ada: PageClient
  let other: PageClient
  let drop: () => Promise<void>

  before(async () => {
    const database = await migratedDatabase()
    drop = database.drop
    db = openDatabase(database.url)
    millrace = await startMillrace({ databaseUrl: database.url })
    const first = await firstAdministrator(millrace)
    ada = first.ada
    other = openPageClient(millrace.url ?? '')
    for (const [name, value] of ada.cookies) other.cookies.set(name, value)
    const created = await ada.post<{ id: string }>('/workspaces', { name: 'Other' })
    other.workspace = created.body.id
    await fill(db, first.workspace)
  })
  after(async () => {
    await millrace?.end('SIGTERM')
    await closeDatabase(db)
    await drop()
  })

  for (const [path, table] of ROUTES)
    test(`it leaves connections to other workspaces while ${path.replace(/[0-9a-f-]{36}/g, '…')} waits`, async () => {
      const pending: ReturnType<PageClient['get']>[] = []
      await db.transaction().execute(async (transaction) => {
        await sql`lock table ${sql.table(table)}`.execute(transaction)
        pending.push(...Array.from({ length: REQUESTS }, () => ada.get(path)))
        const refused = await Promise.race(pending)
        assert.equal(refused.status, 429, refused.text.slice(0, 300))
        assert.match(
          refused.text,
          /(20 reads|\d+ (logs|exports of identities)) of this workspace are (waiting|running)/,
        )
        assert.ok(refused.headers.get('retry-after'))
        const started = Date.now()
        assert.equal((await other.get('/sources')).status, 200)
        const took = Date.now() - started
        assert.ok(took < QUICK_MS, `the request of another workspace took ${took} ms`)
      })
      const statuses = new Set((await Promise.all(pending)).map(({ status }) => status))
      assert.deepEqual(statuses, new Set([200, 429]))
    })

  test('it lists the freshness of scopes in parts, and the oldest of all', async () => {
    await sql`insert into workflow_scopes (workflow_id, scope, listed_at, proved_at)
      select ${workflow}::uuid, 'S' || n, now(), '2026-01-01Z'::timestamptz - make_interval(days => n)
      from generate_series(1, 3) as n`.execute(db)
    const path = `/workflows/${workflow}/freshness?limit=2`
    const first = await ada.get<Freshness>(path)
    const second = await ada.get<Freshness>(`${path}&cursor=${first.headers.get('x-next-cursor')}`)
    const shown = [first, second].map(({ body }) => body.scopes.map(({ scope }) => scope))
    assert.deepEqual(shown, [['S1', 'S2'], ['S3']])
    assert.equal(second.headers.get('x-next-cursor'), null)
    assert.equal(first.body.oldest, '2025-12-29T00:00:00.000Z')
  })

  test('it ends a read after five seconds and says what to do', async () => {
    await db.transaction().execute(async (transaction) => {
      await sql`lock table job_documents`.execute(transaction)
      for (const path of [`/jobs/${job}/documents?title=mill`, `/jobs/${job}/log?text=mill`]) {
        const { status, body } = await ada.get<{ code: string; detail: string }>(path)
        assert.deepEqual([status, body.code], [503, 'read_timeout'])
        assert.match(body.detail, /more filters/)
      }
    })
  })
})

async function fill(db: Database, workspace: string): Promise<void> {
  await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
    values (${source}, ${workspace}, 'source', 'wiki', 'Handbook', '{}', '{}')`.execute(db)
  await sql`insert into workflows (id, workspace_id, name, source_id, workflow_type, nodes, reprocess_all, state)
    values (${workflow}, ${workspace}, 'Handbook', ${source}, 'custom', '[]', false, 'active')`.execute(db)
  for (const [id, days] of [
    [job, 2],
    [later, 1],
  ] as const)
    await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type,
        settings, created_at, finished_at)
      values (${id}, ${workspace}, ${workflow}, 'Handbook', 'COMPLETED', 'SUCCESS', 'persistent', '{"nodes": []}',
        now() - make_interval(days => ${days}), now() - make_interval(days => ${days}))`.execute(db)
  await sql`insert into job_documents (job_id, record_id, scope, state, kind, title, url)
    values (${job}, 'wiki/1', 'ENG', 'new', 'new', 'Mills', '')`.execute(db)
  await sql`insert into identities (workspace_id, source_id, kind, value, account, origin)
    values (${workspace}, ${source}, 'email', 'ann@acme.example', 'ann', 'import')`.execute(db)
}
