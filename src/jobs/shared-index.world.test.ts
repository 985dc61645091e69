import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import type { ControlRecord, Destination } from '../connectors/destination.ts'
import { closeDatabase, type Database, openDatabase } from '../store/database.ts'
import { searchedLedger } from '../store/ledger/ledgers.ts'
import { migrate } from '../store/migrate.ts'
import { migrations } from '../store/migrations/all.ts'
import { confirmControl } from './restore-detection.ts'

const nothing = () => {}
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
const workspaceId = randomUUID()
const { signal } = new AbortController()
let fresh: FreshDatabase
let db: Database

before(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
})
after(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

test('it keeps what a workflow of another destination wrote into the same index', async () => {
  const [first, second] = [await addWorkflow(), await addWorkflow()]
  await addDocument(first, 'w/1')
  await addDocument(second, 'w/2')
  const removed: string[] = []
  await confirmControl(
    { workflowId: first, destination: indexOf(['w/1', 'w/2', 'w/3'], removed) },
    { db, log },
    signal,
  )
  assert.deepEqual(removed, ['w/3'])
})

/** With a destination of its own; all write one index. */
async function addWorkflow(): Promise<string> {
  const [workflowId, destinationId] = [randomUUID(), randomUUID()]
  await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
    values (${destinationId}, ${workspaceId}, 'destination', 'shelf', ${destinationId}, '{}', '{}')`.execute(
    db,
  )
  await sql`insert into workflows (id, workspace_id, name, destination_id, workflow_type, nodes, reprocess_all, state)
    values (${workflowId}, ${workspaceId}, ${workflowId}, ${destinationId}, 'custom', '[]', false, 'active')`.execute(
    db,
  )
  await sql`update ledgers set index_uuid = 'one' where workflow_id = ${workflowId}`.execute(db)
  return workflowId
}

async function addDocument(workflowId: string, recordId: string): Promise<void> {
  await sql`insert into documents (ledger_id, record_id, scope, position, locator, version, state_hash, settings_hash,
      element_ids, settled, fence)
    values (${searchedLedger(workflowId)}, ${recordId}, 'MILL', '', '{"space_key":"MILL"}', '1', '', '', '{e}', true, 1)`.execute(
    db,
  )
}

/** An index that another state of the database wrote, with one element per document. */
function indexOf(recordIds: string[], removed: string[]): Destination {
  let stored: ControlRecord = { epoch: 'lost', fence: 1 }
  const control = {
    read: async () => stored,
    write: async (_: string, record: ControlRecord) => {
      stored = record
      return true
    },
  }
  const dataSource = { version: '1', record_locator: { space_key: 'MILL' } }
  return {
    control,
    swap: { identity: async () => 'one' },
    inspect: {
      stored: async (documents: { recordId: string; elementIds: string[] }[]) =>
        documents
          .filter(({ recordId }) => recordIds.includes(recordId))
          .map(({ recordId }) => ({ recordId, elementId: 'e', fence: 1, dataSource })),
      async *inventory() {
        yield recordIds.map((recordId) => ({ recordId, elementId: 'e', scopeKey: 'MILL' }))
      },
    },
    remove: async (documents: { recordId: string }[]) => {
      removed.push(...documents.map(({ recordId }) => recordId))
    },
  } as unknown as Destination
}
