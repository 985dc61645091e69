import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { ledgerOf } from '../../../test/world/ledger-key.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/world/postgres.ts'
import type { AccessItem, Destination, DocumentElements } from '../../connectors/destination.ts'
import type { DocumentRef } from '../../document.ts'
import { AppError } from '../../errors.ts'
import { stateOf } from '../../ingest/data-source.ts'
import { applyRemoval } from '../../ingest/removal.ts'
import { intended } from '../../ingest/revoke-access.ts'
import type { Entry } from '../../ledger-entry.ts'
import type { Access } from '../../permissions/levels.ts'
import { closeDatabase, type Database, openDatabase } from '../../store/database.ts'
import { insertJob } from '../../store/jobs/jobs.ts'
import { findDocuments, upsertDocuments } from '../../store/ledger/documents.ts'
import { nextFence } from '../../store/ledger/fences.ts'
import { proveScope } from '../../store/ledger/scopes.ts'
import { hasUnwrittenPermissions, markInterrupted } from '../../store/ledger/unwritten-permissions.ts'
import { applyListing, findWanted, type ListedPage } from '../../store/ledger/wanted.ts'
import { migrate } from '../../store/migrate.ts'
import { migrations } from '../../store/migrations/all.ts'
import { hideStaleScopes } from '../../store/workflows/permission-schedule.ts'
import { readWorkflow } from '../../store/workflows/workflows.ts'
import { databaseLedger } from '../database-ledger.ts'
import { stopJob } from '../job-outcome.ts'
import { writeUnwrittenPermissions } from './write-permissions.ts'

/** Interleavings of content tasks, listings and the permission writer. The index is in memory and keeps fences. */
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

test('it lets a content task that has recorded its intent keep the document', async () => {
  const { id, key, index, write, isCurrent } = await setUp(['e1'])
  const content = databaseLedger(db, { ...key, fence: await nextFence(db) })
  const seen = (await findWanted(db, id, ['s/1'])).get('s/1')?.ref as DocumentRef
  await list(id, [ref(STRICT)], 'permissions')
  await content.intend([intended(entry(seen, ['e1', 'e2']))])
  await write({ waits: false })
  for (const element of ['e1', 'e2']) index.put(`s/1 ${element}`, content.fence, seen.access)
  assert.deepEqual(await content.settle([entry(seen, ['e1', 'e2'])]), [])
  assert.ok(await hasUnwrittenPermissions(db, id), 'the old permissions were noticed')
  await write({ waits: true })
  assert.ok(await isCurrent(STRICT, ['e1', 'e2']))
})

test('it makes a content task that opened earlier read the permissions again', async () => {
  const { id, key, write, isCurrent } = await setUp(['e1'])
  const content = databaseLedger(db, { ...key, fence: await nextFence(db) })
  await list(id, [ref(STRICT)], 'permissions')
  await write({ waits: true })
  await assert.rejects(content.intend([intended(entry(ref(OPEN), ['e1', 'e2']))]), { code: 'taken_over' })
  assert.ok(await isCurrent(STRICT, ['e1']))
})

test('it finds a document whose task died between intent and settle', async () => {
  const { id, key, index, write, isCurrent } = await setUp(['e1'])
  const dead = databaseLedger(db, { ...key, fence: await nextFence(db) })
  await dead.intend([intended(entry(ref(OPEN), ['e1']))])
  index.put('s/1 e1', dead.fence, OPEN)
  await list(id, [ref(STRICT)], 'permissions')
  await write({ waits: false })
  await sql`update wanted_documents set needs_permission_write = false`.execute(db)
  await sql`update documents set updated_at = now() - interval '6 minutes'`.execute(db)
  await markInterrupted(db)
  await write({ waits: true })
  assert.ok(await isCurrent(STRICT, ['e1']))
})

test('it writes documents of a dead permission writer when the task is delivered again', async () => {
  const { id, key, write, isCurrent } = await setUp(['e1'])
  await list(id, [ref(STRICT)], 'permissions')
  const before = (await findDocuments(db, key, ['s/1'])).get('s/1') as Entry
  const fence = await nextFence(db)
  await sql`update documents set fence = ${fence} where ledger_id = ${key.ledgerId}::uuid`.execute(db)
  const dead = databaseLedger(db, { ...key, fence, isTaken: true }, { hides: false })
  await dead.intend([intended(before)])
  assert.equal(await write({ waits: false }), 0, 'it may still be alive')
  await sql`update documents set updated_at = updated_at - interval '20 seconds'`.execute(db)
  await write({ waits: false })
  assert.ok(await isCurrent(STRICT, ['e1']))
})

test('it ends although a title cannot be stored', async () => {
  const other = await setUp(['e1'])
  await list(other.id, [{ ...ref(STRICT), title: 'cut \ud83d' }], 'permissions')
  await other.write({ waits: true })
  assert.equal(await hasUnwrittenPermissions(db, other.id), false)
})

test('it ends although the index refuses the permissions of a document, and hides it', async () => {
  const { id, index, write } = await setUp(['e1'])
  index.refuses(STRICT)
  await list(id, [ref(STRICT)], 'permissions')
  await write({ waits: true })
  assert.equal(await hasUnwrittenPermissions(db, id), false)
  assert.doesNotMatch(index.accessOf('s/1 e1'), /user:/)
})

test('it keeps the mark of a staged index that the writer does not know', async () => {
  const { id, write } = await setUp(['e1'])
  const ledgerId = randomUUID()
  await sql`insert into ledgers (id, workflow_id, index_name) values (${ledgerId}, ${id}, 'new')`.execute(db)
  const staged = { workflowId: id, ledgerId, fence: await nextFence(db) }
  await upsertDocuments(db, staged, [entry(ref(OPEN), ['e1'])])
  await list(id, [ref(STRICT)], 'permissions')
  await write({ waits: false })
  assert.ok(await hasUnwrittenPermissions(db, id))
})

test('it knows a document until no ledger has it', async () => {
  const { id, key } = await setUp(['e1'])
  const staged = { workflowId: id, ledgerId: randomUUID(), fence: await nextFence(db) }
  await sql`insert into ledgers (id, workflow_id, index_name) values (${staged.ledgerId}, ${id}, 'new')`.execute(
    db,
  )
  await upsertDocuments(db, staged, [entry(ref(OPEN), ['e1'])])
  const isKnown = async () => (await findWanted(db, id, ['s/1'])).size === 1
  const fence = await nextFence(db)
  await databaseLedger(db, { ...key, fence }).forget(['s/1'])
  assert.equal(await isKnown(), true)
  await databaseLedger(db, { ...staged, fence }).forget(['s/1'])
  assert.equal(await isKnown(), false)
})

test('it ignores the permissions of an older listing, and of an older reading apart from its scope', async () => {
  const { id } = await setUp(['e1'])
  const [t1, t2] = [new Date(Date.now() + 1000), new Date(Date.now() + 2000)]
  await list(id, [ref(STRICT)], 'permissions', { asOf: t2 })
  const older = await list(id, [ref(OPEN)], 'content', { asOf: t1 })
  assert.equal(older.isNewest, false)
  const apart = await list(id, [{ ...ref(OPEN), version: '2' }], 'content', { asOf: t1, relisted: true })
  assert.equal(apart.isNewest, false)
  assert.deepEqual((await findWanted(db, id, ['s/1'])).get('s/1')?.ref.access.clauses, STRICT.clauses)
})

test('it does not take a moved document back to its old scope', async () => {
  const { id } = await setUp(['e1'])
  const [t1, t2] = [new Date(Date.now() + 1000), new Date(Date.now() + 2000)]
  const moved = { ...ref(STRICT), scope: 'B' }
  await list(id, [moved], 'permissions', { scope: 'B', asOf: t2 })
  await list(id, [ref(OPEN)], 'content', { asOf: t1 })
  const wanted = (await findWanted(db, id, ['s/1'])).get('s/1')?.ref
  assert.deepEqual([wanted?.scope, wanted?.access.clauses], ['B', STRICT.clauses])
})

test('it removes a document that the permission writer hides meanwhile, and counts it once', async () => {
  const { id, key, index, write } = await setUp(['e1'])
  await sql`update wanted_documents set hidden = 'unlisted', needs_permission_write = true where workflow_id = ${id}::uuid`.execute(
    db,
  )
  let isFirst = true
  const { remove, ...destination } = index.destination
  const storage = {
    async *unlisted() {
      yield [...(await findDocuments(db, key, ['s/1'])).values()]
    },
    openLedger: async () => databaseLedger(db, { ...key, fence: await nextFence(db) }),
    destination: {
      ...destination,
      remove: async (...given: Parameters<Destination['remove']>) => {
        if (isFirst) await write({ waits: true })
        isFirst = false
        await remove(...given)
      },
    },
    onRemoved: async (entries: Entry[]) => void counted.push(...entries),
  }
  const counted: Entry[] = []
  const none = new Set<string>()
  const plan = { byLimit: none, toHide: none, moved: [], heldBack: 0, foreign: 0, warnings: [] }
  assert.equal(await applyRemoval({ gone: new Set(['s/1']), ...plan }, storage, signal), 1)
  const left = await findDocuments(db, key, ['s/1'])
  assert.deepEqual([counted.length, left.size, index.accessOf('s/1 e1')], [1, 0, ''])
})

test('it does not hide stale documents again while a pass shows them', async () => {
  const { id } = await setUp(['e1'])
  const old = new Date(Date.now() - 2 * 3600_000)
  await sql`update workflows set hide_in_index_after_hours = 1 where id = ${id}::uuid`.execute(db)
  await sql`update workflow_scopes set listed_at = ${old}, proved_at = ${old} where workflow_id = ${id}::uuid`.execute(
    db,
  )
  const hidden = async () => (await findWanted(db, id, ['s/1'])).get('s/1')?.hidden
  await hideStaleScopes(db)
  assert.equal(await hidden(), 'stale')
  const asOf = new Date()
  await list(id, [ref(OPEN)], 'permissions', { asOf })
  await hideStaleScopes(db)
  assert.equal(await hidden(), null)
  await proveScope(db, id, { scope: 'A', asOf })
  await hideStaleScopes(db)
  assert.equal(await hidden(), null)
})

test('it records nothing for a job that has ended', async () => {
  const { id } = await setUp(['e1'])
  const jobId = randomUUID()
  const settings = { source_id: null, destination_id: null, nodes: [], reprocess_all: false }
  const workspaceId = (await readWorkflow(db, id))?.workspace_id ?? ''
  const about = { workspaceId, workflowId: id, workflowName: 'w', startedBy: null }
  await insertJob(db, { id: jobId, ...about, jobType: 'scheduled', kind: 'permissions', settings })
  const page = { scope: 'A', refs: [ref(STRICT)], asOf: new Date() }
  const listed = { page, modeOf: () => 'permissions' as const, jobId }
  await stopJob(db, jobId)
  await assert.rejects(applyListing(db, id, listed), { code: 'cancelled' })
  const wanted = (await findWanted(db, id, ['s/1'])).get('s/1')
  assert.deepEqual(wanted?.ref.access.clauses, OPEN.clauses)
})

const OPEN = accessFor('ann', 'ben')
const STRICT = accessFor('ann')

function accessFor(...users: string[]): Access {
  const none = { users: [], groups: [] }
  return {
    permissions: [{ read: { users, groups: [] } }, { update: none }, { delete: none }],
    clauses: { c0: users.map((user) => `user:${user}`) },
  }
}

function ref(access: Access): DocumentRef {
  return {
    ...{ recordId: 's/1', scope: 'A', position: '1', version: '1', title: 'Page', url: 'u' },
    ...{ locator: { page_id: '1' }, filename: '1.html', createdAt: null, modifiedAt: null, author: null },
    ...{ scopeName: 'A', labels: [], ancestors: [], access },
  }
}

function entry(of: DocumentRef, elementIds: string[]): Entry {
  const { recordId, scope, position, locator, version } = of
  return {
    ...{ recordId, scope, position, locator, version, settingsHash: 'h', elementIds },
    ...{ settled: true, ...stateOf(of) },
  }
}

test('it writes what old and new permissions have in common to documents that were not listed yet', async () => {
  const { id, index, write, isCurrent } = await setUp(['e1'])
  const inSet = (...users: string[]) => ({
    ...accessFor(...users),
    set: { site: 's', scope: 'A', levels: [] },
  })
  const other = (access: Access) => ({ ...ref(access), recordId: 's/2', position: '2' })
  const versions = async () =>
    (await sql`select from document_versions where workflow_id = ${id} and record_id = 's/1'`.execute(db))
      .rows.length
  await list(id, [ref(inSet('ann', 'bo'))], 'permissions')
  await write({ waits: true })
  assert.ok(await isCurrent(accessFor('ann', 'bo'), ['e1']))
  const before = await versions()

  await list(id, [other(inSet('ann', 'bo', 'cy'))], 'content')
  await write({ waits: true })
  assert.ok(await isCurrent(accessFor('ann', 'bo'), ['e1']))
  await sql`update wanted_documents set needs_permission_write = true where workflow_id = ${id}`.execute(db)
  await sql`update documents set access_hash = 'x' where record_id = 's/1'`.execute(db)
  await write({ waits: true })
  assert.equal(await versions(), before, 'another row of the set is no other version')

  await list(id, [other(inSet('ann', 'cy'))], 'content')
  await write({ waits: true })
  assert.equal(
    index.accessOf('s/1 e1'),
    JSON.stringify({ c0: ['user:ann', 'user:bo'], c1: ['user:ann', 'user:cy'] }),
  )
  await list(id, [ref(inSet('ann', 'cy'))], 'permissions')
  await write({ waits: true })
  assert.ok(await isCurrent(accessFor('ann', 'cy'), ['e1']))
})

async function list(
  id: string,
  refs: DocumentRef[],
  mode: 'content' | 'permissions',
  page: Partial<ListedPage> = {},
) {
  return applyListing(db, id, { page: { scope: 'A', refs, asOf: new Date(), ...page }, modeOf: () => mode })
}

/** A workflow with one open page in its index. */
async function setUp(elementIds: string[]) {
  const [workspaceId, id] = [randomUUID(), randomUUID()]
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
    values (${id}, ${workspaceId}, 'w', 'custom', '[]', false, 'active')`.execute(db)
  const key = await ledgerOf(db, id)
  const fence = await nextFence(db)
  await upsertDocuments(db, { ...key, fence }, [entry(ref(OPEN), elementIds)])
  const index = indexInMemory()
  for (const element of elementIds) index.put(`s/1 ${element}`, fence, OPEN)
  await list(id, [ref(OPEN)], 'content')
  const indexes = [{ ledger: key, destination: index.destination }]
  const write = ({ waits }: { waits: boolean }) =>
    writeUnwrittenPermissions(db, { workflowId: id, indexes, waits }, signal)
  await write({ waits: true })
  index.reset()
  const isCurrent = async (access: Access, ids: string[]) =>
    !(await hasUnwrittenPermissions(db, id)) &&
    ids.every((element) => index.accessOf(`s/1 ${element}`) === JSON.stringify(access.clauses))
  return { id, key, index, write, isCurrent }
}

function indexInMemory() {
  const held = new Map<string, { fence: number; access: string }>()
  let calls = 0
  let refused = ''
  const put = (element: string, fence: number, access: Pick<Access, 'clauses'>) => {
    const before = held.get(element)
    const written = JSON.stringify(access.clauses)
    if ((before && before.fence > fence) || written === refused) return false
    held.set(element, { fence, access: written })
    return true
  }
  const destination = {
    updateAccess: async (items: AccessItem[], fence: number) => {
      calls++
      return items.flatMap(({ recordId, elementIds, dataSource }) =>
        elementIds.flatMap((elementId) => {
          const element = `${recordId} ${elementId}`
          const clauses = dataSource.access as Access['clauses']
          if (held.has(element) && put(element, fence, { clauses })) return []
          return { recordId, elementId, error: new AppError('destination_rejected', 'refused') }
        }),
      )
    },
    remove: async (elements: DocumentElements[], fence: number) => {
      for (const { recordId, elementIds } of elements)
        for (const elementId of elementIds) {
          const element = `${recordId} ${elementId}`
          if ((held.get(element)?.fence ?? fence) <= fence) held.delete(element)
        }
    },
    inspect: {
      stored: async (elements: DocumentElements[]) =>
        elements.flatMap(({ recordId, elementIds }) =>
          elementIds
            .filter((elementId) => held.has(`${recordId} ${elementId}`))
            .map((elementId) => ({ recordId, elementId, fence: 1, dataSource: {} })),
        ),
    },
  } as unknown as Destination
  return {
    destination,
    put,
    refuses: (access: Access) => {
      refused = JSON.stringify(access.clauses)
    },
    accessOf: (element: string) => held.get(element)?.access ?? '',
    calls: () => calls,
    reset: () => {
      calls = 0
    },
  }
}
