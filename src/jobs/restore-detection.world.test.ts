import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { ledgerOf } from '../../test/world/ledger-key.ts'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import { silent } from '../../test/world/search-engine/fresh-index.ts'
import type { ControlRecord, Destination, DocumentElements } from '../connectors/destination.ts'
import type { Entry } from '../ledger-entry.ts'
import { closeDatabase, type Database, openDatabase } from '../store/database.ts'
import { currentEpoch } from '../store/ledger/control.ts'
import { findDocuments, upsertDocuments } from '../store/ledger/documents.ts'
import { nextFence } from '../store/ledger/fences.ts'
import { migrate } from '../store/migrate.ts'
import { migrations } from '../store/migrations/all.ts'
import { confirmControl } from './restore-detection.ts'

/** The index is in memory and keeps fences. */
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

test('it writes a control document where there is none, and compares nothing', async () => {
  const { confirm, index, isSettled } = await setUp()
  assert.equal(await confirm(), true)
  assert.equal(index.record?.epoch, await currentEpoch(db))
  assert.deepEqual([...index.fences.keys()], ['e1', 'unknown'])
  assert.equal(await isSettled(), true)
})

test('it compares the index if its fence is higher than the database ever recorded', async () => {
  const { confirm, index, isSettled } = await setUp()
  const fence = await nextFence(db)
  index.record = { epoch: await currentEpoch(db), fence }
  assert.equal(await confirm(), true)
  assert.deepEqual([...index.fences.keys()], ['e1'], 'elements that the ledger does not know are removed')
  assert.equal(await isSettled(), false, 'the element has another version than the ledger')
  assert.ok((index.record?.fence ?? 0) > fence)
})

test('it begins another epoch on another server', async () => {
  const epoch = await currentEpoch(db)
  assert.equal(await currentEpoch(db), epoch)
  await sql`update ledger_epoch set server = 'another'`.execute(db)
  const next = await currentEpoch(db)
  assert.notEqual(next, epoch)
  assert.equal(await currentEpoch(db), next)
})

test('it discards a staged index that is ahead', async () => {
  const { confirm, index } = await setUp()
  index.record = { epoch: randomUUID(), fence: 1 }
  let discarded = 0
  const staged = {
    ledgerId: randomUUID(),
    discard: async () => {
      discarded++
    },
  }
  assert.equal(await confirm({ staged }), false)
  assert.equal(discarded, 1)
  assert.deepEqual([...index.fences.keys()], ['e1', 'unknown'])
})

test('it lets no index move the fences of all tenants far into the future', async () => {
  const { confirm, index } = await setUp()
  const farAhead = Date.now() + 3650 * 86_400_000
  index.record = { epoch: randomUUID(), fence: farAhead }
  await assert.rejects(confirm(), { code: 'destination_schema', message: /fence of the future/ })
  assert.ok((await nextFence(db)) < Date.now() + 2 * 86_400_000)
})

/** A workflow whose index holds one known element, in another version, and an unknown one. */
async function setUp() {
  const [workspaceId, workflowId] = [randomUUID(), randomUUID()]
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
    values (${workflowId}, ${workspaceId}, 'w', 'custom', '[]', false, 'active')`.execute(db)
  const ledger = await ledgerOf(db, workflowId)
  await upsertDocuments(db, { ...ledger, fence: 1 }, [entry])
  const index = indexInMemory()
  const confirm = (more: object = {}) =>
    confirmControl({ workflowId, destination: index.destination, ...more }, { db, log: silent }, signal)
  const isSettled = async () => (await findDocuments(db, ledger, ['s/1'])).get('s/1')?.settled
  return { confirm, index, isSettled }
}

const entry: Entry = {
  ...{ recordId: 's/1', scope: 'A', position: '1', locator: { space_key: 'A' }, version: '1' },
  ...{ stateHash: 'a2-x', settingsHash: 'h', elementIds: ['e1'], settled: true },
}

function indexInMemory() {
  const fences = new Map([
    ['e1', 1],
    ['unknown', 1],
  ])
  const index: { record: ControlRecord | null; fences: typeof fences; destination: Destination } = {
    record: null,
    fences,
    destination: {
      remove: async (elements: DocumentElements[], fence: number) => {
        for (const id of elements.flatMap(({ elementIds }) => elementIds))
          if ((fences.get(id) ?? 0) <= fence) fences.delete(id)
      },
      inspect: {
        stored: async (elements: DocumentElements[]) =>
          elements.flatMap(({ recordId, elementIds }) =>
            elementIds.flatMap((elementId) => {
              const fence = fences.get(elementId)
              const dataSource = { version: '2', record_locator: { space_key: 'A' } }
              return fence === undefined ? [] : [{ recordId, elementId, fence, dataSource }]
            }),
          ),
        async *inventory() {
          yield [...fences.keys()].map((elementId) => ({
            recordId: elementId === 'e1' ? 's/1' : 's/2',
            elementId,
            scopeKey: 'A',
          }))
        },
      },
      control: {
        read: async () => index.record,
        write: async (_: string, record: ControlRecord) => {
          if (index.record && index.record.fence > record.fence) return false
          index.record = record
          return true
        },
        remove: async () => {},
      },
    } as unknown as Destination,
  }
  return index
}
