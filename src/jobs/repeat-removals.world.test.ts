import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { ledgerOf } from '../../test/world/ledger-key.ts'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import { freshIndex, silent, writeItem } from '../../test/world/search-engine/fresh-index.ts'
import { settles } from '../../test/world/settled.ts'
import type { DocumentRef } from '../document.ts'
import { stateOf } from '../ingest/data-source.ts'
import { intended } from '../ingest/revoke-access.ts'
import type { Entry } from '../ledger-entry.ts'
import { NO_ACCESS } from '../permissions/levels.ts'
import { closeDatabase, type Database, openDatabase } from '../store/database.ts'
import { nextFence } from '../store/ledger/fences.ts'
import { migrate } from '../store/migrate.ts'
import { migrations } from '../store/migrations/all.ts'
import { databaseLedger } from './database-ledger.ts'
import { removeAgain } from './repeat-removals.ts'
import type { Resources } from './resources.ts'

/** Writes of a frozen task that arrive after the cluster forgot the removal. */
let fresh: FreshDatabase
let db: Database
const { signal } = new AbortController()

before(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
})
after(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

test('it removes a late write of a task that died after it', async () => {
  await using late = await lateWriter()
  const { forgetPage, sweep, held } = late
  await forgetPage()
  await late.writeLate()
  await sweep()
  assert.equal(await held(), false)
})

test('it tells a late task that its document was removed', async () => {
  await using late = await lateWriter()
  await late.forgetPage()
  assert.deepEqual(await late.frozen.settle([entry(['e1'])]), ['s/1'])
  await assert.rejects(late.frozen.intend([intended(entry(['e1']))]), { code: 'taken_over' })
})

test('it removes late writes of old elements of a page that changed', async () => {
  await using late = await lateWriter()
  const { index, sweep, held, key } = late
  const next = databaseLedger(db, { ...key, fence: await nextFence(db) })
  await next.intend([intended(entry(['e1', 'e2']))])
  await index.destination.write([{ ...writeItem('e2'), recordId: 's/1' }], next.fence, signal)
  await index.destination.remove([{ recordId: 's/1', elementIds: ['e1'] }], next.fence, signal)
  assert.deepEqual(await next.settle([entry(['e2'])]), [])
  await late.writeLate()
  await sweep()
  assert.equal(await held(), false)
  assert.ok(await index.source('s/1', 'e2'))
})

test('it keeps a page that returned', async () => {
  await using late = await lateWriter()
  const { index, sweep, held, forgetPage, key } = late
  await forgetPage()
  const next = databaseLedger(db, { ...key, fence: await nextFence(db) })
  await next.intend([intended(entry(['e1']))])
  await index.destination.write([late.item], next.fence, signal)
  assert.deepEqual(await next.settle([entry(['e1'])]), [])
  await sweep()
  assert.equal(await held(), true)
})

/** A task that has recorded its intent and not written yet. */
async function lateWriter() {
  const index = await freshIndex({ body: { settings: { number_of_replicas: 0, gc_deletes: '1s' } } })
  await index.destination.prepare({ dims: null }, signal)
  const [workspaceId, id, destinationId] = [randomUUID(), randomUUID(), randomUUID()]
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
  await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
    values (${destinationId}, ${workspaceId}, 'destination', 'searchindex', 'd', '{}', '{}')`.execute(db)
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state, destination_id)
    values (${id}, ${workspaceId}, 'w', 'custom', '[]', false, 'active', ${destinationId})`.execute(db)
  const key = await ledgerOf(db, id)
  const frozen = databaseLedger(db, { ...key, fence: await nextFence(db) })
  await frozen.intend([intended(entry(['e1']))])
  const item = { ...writeItem('e1'), recordId: 's/1' }
  const held = async () => (await index.source('s/1', 'e1')) !== undefined
  const resources = { db, log: silent } as unknown as Resources
  const openDestination = async () => index.destination
  const connections = { openDestination, openSource: () => Promise.reject(new Error('no source')) }
  return {
    index,
    key,
    frozen,
    item,
    held,
    /** The cluster drops versions of removals when it refreshes; until then it refuses the write. */
    async writeLate() {
      const write = async () => {
        await index.refresh()
        await index.destination.write([item], frozen.fence, signal)
        return held()
      }
      await settles(write, true, 'the cluster forgot the removal')
    },
    async forgetPage() {
      const removal = databaseLedger(db, { ...key, fence: await nextFence(db) })
      await index.destination.remove([{ recordId: 's/1', elementIds: ['e1'] }], removal.fence, signal)
      await removal.forget(['s/1'])
    },
    async sweep() {
      await sql`update removed_elements set due_at = now() where ledger_id = ${key.ledgerId}::uuid`.execute(
        db,
      )
      await removeAgain({ resources, connections }, signal)
    },
    [Symbol.asyncDispose]: () => index[Symbol.asyncDispose](),
  }
}

function entry(elementIds: string[]): Entry {
  const ref: DocumentRef = {
    ...{ recordId: 's/1', scope: 'A', position: '1', version: '1', title: 'Page', url: 'u' },
    ...{ locator: { page_id: '1' }, filename: '1.html', createdAt: null, modifiedAt: null, author: null },
    ...{ scopeName: 'A', labels: [], ancestors: [], access: NO_ACCESS },
  }
  const { recordId, scope, position, locator, version } = ref
  return {
    ...{ recordId, scope, position, locator, version, settingsHash: 'h', elementIds },
    ...{ settled: true, ...stateOf(ref) },
  }
}
