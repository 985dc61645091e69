import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import type { CheckReport, OnSteps } from '../report.ts'
import { insertCheck, readCheck, recordCheckReport, updateConnector } from '../store/connectors/connectors.ts'
import { closeDatabase, type Database, openDatabase } from '../store/database.ts'
import { migrate } from '../store/migrate.ts'
import { migrations } from '../store/migrations/all.ts'
import type { Connections } from './connections.ts'
import type { Resources } from './resources.ts'
import { checkTask } from './tasks/check.ts'

const [workspaceId, connectorId] = [randomUUID(), randomUUID()]
const nothing = () => {}
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
let fresh: FreshDatabase
let db: Database

before(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
  await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
    values (${connectorId}, ${workspaceId}, 'source', 'wiki', 'silent', '{}', '{}')`.execute(db)
})

after(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

test('it ends a check of a silent server at the deadline and says so', async () => {
  const { id } = await start()
  const silent = async (_signal: AbortSignal, onSteps: OnSteps) => {
    onSteps([
      { name: 'network', status: 'ok', detail: '' },
      { name: 'login', status: 'pending', detail: '' },
      { name: 'spaces', status: 'pending', detail: '' },
    ])
    return new Promise<CheckReport>(() => {})
  }
  await run(id, silent)
  const ended = await readCheck(db, id)
  assert.deepEqual(
    [ended?.status, ended?.reason, ended?.steps.map(({ status }) => status)],
    ['FAILURE', 'the check did not end within 0.1 s', ['ok', 'failed', 'skipped']],
  )
})

test('it returns the active check of a connector until it ends', async () => {
  const [first, second] = await Promise.all([start(), start()])
  assert.equal(first.id, second.id)
  await recordCheckReport(db, first.id, { ok: true, reason: null, steps: [] })
  assert.notEqual((await start()).id, first.id)
})

test('it replaces an active check after the settings changed', async () => {
  const first = await start()
  await updateConnector(db, connectorId, { name: 'changed' })
  const second = await start()
  assert.notEqual(second.id, first.id)
  await recordCheckReport(db, first.id, { ok: true, reason: null, steps: [] })
  const { status, reason } = (await readCheck(db, first.id)) ?? {}
  assert.deepEqual([status, reason?.includes('settings changed')], ['FAILURE', true])
})

async function start() {
  return db
    .transaction()
    .execute((transaction) => insertCheck(transaction, { id: randomUUID(), connectorId }))
}

async function run(
  checkId: string,
  check: (signal: AbortSignal, onSteps: OnSteps) => Promise<CheckReport>,
): Promise<void> {
  const opened = { check, close: async () => {} }
  // Only the parts that a check uses.
  const resources = { db, log } as unknown as Resources
  const connections = { openSource: async () => opened } as unknown as Connections
  const { signal } = new AbortController()
  await checkTask({ resources, connections }, 100)(
    { checkId },
    { id: randomUUID(), tries: 1, lastTry: false, signal },
  )
}
