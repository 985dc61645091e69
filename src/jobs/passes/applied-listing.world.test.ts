import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { ledgerOf } from '../../../test/world/ledger-key.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/world/postgres.ts'
import type { ListingPage, ListingStart, Source } from '../../connectors/source.ts'
import type { DocumentRef } from '../../document.ts'
import { matchClauses } from '../../permissions/algebra.ts'
import { closeDatabase, type Database, openDatabase } from '../../store/database.ts'
import { insertJob, type JobRow, markStarted, readJob } from '../../store/jobs/jobs.ts'
import { applyListing, findWanted } from '../../store/ledger/wanted.ts'
import { migrate } from '../../store/migrate.ts'
import { migrations } from '../../store/migrations/all.ts'
import { listProvedScopes } from '../../store/workflows/freshness.ts'
import type { JobRun } from '../job-run.ts'
import { listSource } from '../list-source.ts'
import type { TaskQueue } from '../queue/engine.ts'
import type { Resources } from '../resources.ts'
import { runPermissionPass } from './permission-pass.ts'

/** What a listing hides and proves when it is cut, interrupted, or overtaken by a newer one. */

type RefsPage = Extract<ListingPage, { kind: 'refs' }>
type Script = (from: ListingStart) => AsyncIterable<ListingPage>

const { signal } = new AbortController()
let fresh: FreshDatabase
let db: Database
let workflowId: string
/** The time of the last listing. */
let clock: Date

before(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
})
after(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

/** Three documents of scope A and one of B, all proved. */
beforeEach(async () => {
  workflowId = randomUUID()
  clock = new Date(Date.now() - 3_600_000)
  const workspaceId = randomUUID()
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
    values (${workflowId}, ${workspaceId}, 'w', 'custom', '[]', false, 'active')`.execute(db)
  const first = tick()
  await list(await job(), async function* () {
    yield refs('A', ['1', '2', '3'], first)
    yield { kind: 'end', scope: 'A' }
    yield refs('B', ['4'], first)
    yield { kind: 'end', scope: 'B' }
    yield { kind: 'complete' }
  })
  assert.deepEqual(await shown(), ['1', '2', '3', '4'])
})

test('it hides nothing that an interrupted attempt has listed, and what either attempt missed', async () => {
  await list(await job(), async function* () {
    yield refs('A', ['5', '6'], tick())
    yield { kind: 'end', scope: 'A' }
  })
  assert.deepEqual(await shown(), ['4', '5', '6'])
  const interrupted = await job()
  const began = tick()
  await assert.rejects(
    list(interrupted, async function* () {
      yield refs('A', ['1', '3', '5'], began)
      throw new Error('the connection was lost')
    }),
    /the connection was lost/,
  )
  assert.deepEqual(await shown(), ['1', '3', '4', '5', '6'], 'the part after 3 is not listed yet')
  const proved = await provedAt('A')
  await list(interrupted, async function* (from) {
    assert.equal(from.after.get('A'), '3')
    yield refs('A', ['5'], tick())
    yield { kind: 'end', scope: 'A' }
  })
  assert.deepEqual(await shown(), ['1', '3', '4', '5'])
  assert.ok(began > proved)
  assert.deepEqual(await provedAt('A'), began, 'the earlier attempt counts')
})

test('it hides documents after the limit that cuts a scope', async () => {
  const asOf = tick()
  await list(await job(), async function* () {
    yield refs('A', ['1'], asOf)
    yield { kind: 'end', scope: 'A', upTo: '1' }
  })
  assert.deepEqual(await shown(), ['1', '4'])
  assert.deepEqual(await provedAt('A'), asOf)
})

test('it hides all documents of a scope that is empty now', async () => {
  const before = await provedAt('A')
  await pass(async function* () {
    yield { kind: 'end', scope: 'A' }
  })
  assert.deepEqual(await shown(), ['4'])
  assert.ok((await provedAt('A')) > before)
})

test('it proves no scope whose listing breaks', async () => {
  const before = await provedAt('A')
  await assert.rejects(
    pass(async function* () {
      yield refs('A', ['2', '3'], tick())
      throw new Error('the connection was lost')
    }),
    /the connection was lost/,
  )
  assert.deepEqual(await provedAt('A'), before)
})

test('it shows a document again that another scope of the same listing shows', async () => {
  await pass(async function* () {
    const asOf = tick()
    yield refs('A', ['1', '3'], asOf)
    yield { kind: 'end', scope: 'A' }
    yield refs('B', ['2', '4'], asOf)
    yield { kind: 'end', scope: 'B' }
  })
  assert.deepEqual(await shown(), ['1', '2', '3', '4'])
})

test('it neither hides, shows nor proves by a listing that a newer one has overtaken', async () => {
  const older = tick()
  let newer = older
  await list(await job(), async function* () {
    yield refs('A', ['1', '2'], older)
    await pass(async function* () {
      newer = tick()
      yield refs('A', ['1', '3'], newer)
      yield { kind: 'end', scope: 'A' }
    })
    yield { kind: 'end', scope: 'A' }
  })
  assert.deepEqual(await shown(), ['1', '3', '4'])
  assert.deepEqual(await provedAt('A'), newer)
})

test('it hides nothing of an empty scope that a newer listing has filled', async () => {
  await list(await job(), async function* () {
    await pass(async function* () {
      yield refs('A', ['1', '2', '3'], new Date(Date.now() + 1000))
      yield { kind: 'end', scope: 'A' }
    })
    yield { kind: 'end', scope: 'A' }
  })
  assert.deepEqual(await shown(), ['1', '2', '3', '4'])
})

test('it hides a scope that a complete listing does not show, unless a newer one does', async () => {
  const withoutB = async function* (): AsyncGenerator<ListingPage> {
    yield refs('A', ['1', '2', '3'], tick())
    yield { kind: 'end', scope: 'A' }
    yield { kind: 'complete' }
  }
  await list(await job(), async function* () {
    await pass(async function* () {
      yield refs('B', ['4'], new Date(Date.now() + 1000))
      yield { kind: 'end', scope: 'B' }
    })
    yield* withoutB()
  })
  assert.deepEqual(await shown(), ['1', '2', '3', '4'])
  await sql`update workflow_scopes set listed_at = ${clock} where scope = 'B'`.execute(db)
  await list(await job(), withoutB)
  assert.deepEqual(await shown(), ['1', '2', '3'])
  const { rows } = await listProvedScopes(
    db,
    { id: workflowId, source_id: null },
    { limit: 10, cursor: null },
  )
  assert.deepEqual(
    rows.map(({ scope }) => scope),
    ['A'],
  )
})

/** A page may have got its own restriction before its space was opened, and this listing has not reached the page. */
test('it lets more people read a document only when a listing shows it', async () => {
  await passOf([inSet(['1', '2', '3'], ['user:a'])])
  await passOf([inSet(['1', '2'], ['class:w/all'])], 'breaks')
  assert.deepEqual(await readable(['class:w/all']), ['1'])
  assert.deepEqual(await readable(['user:a', 'class:w/all']), ['1', '2', '3'])
  await passOf([inSet(['1', '2', '3'], ['class:w/all'])])
  assert.deepEqual(await readable(['class:w/all']), ['1', '2', '3'])
})

test('it lets fewer people read all documents of a set at once', async () => {
  await passOf([inSet(['1', '2', '3'], ['group:g', 'user:a', 'user:b'])])
  await passOf([inSet(['1', '2'], ['group:g', 'user:a'])], 'breaks')
  assert.deepEqual(await readable(['user:b']), [])
  assert.deepEqual(await readable(['user:a']), ['1', '2', '3'])
})

test('it lets those read a document that it has not shown yet whom old and new permissions admit', async () => {
  await passOf([inSet(['1', '2', '3'], ['class:w/all', 'user:guest'])])
  await passOf([inSet(['1', '2'], ['group:g'])], 'breaks')
  assert.deepEqual(await readable(['class:w/all', 'group:g']), ['1', '2', '3'])
  assert.deepEqual(await readable(['group:g']), ['1'])
  assert.deepEqual(await readable(['class:w/all', 'user:guest']), [])
  await passOf([inSet(['1', '2', '3'], ['group:g'])])
  assert.deepEqual(await readable(['group:g']), ['1', '2', '3'])
  const { rows } = await sql`select from permission_sets where workflow_id = ${workflowId}`.execute(db)
  assert.equal(rows.length, 2, 'of A and B; others have no documents')
})

test('it lets fewer people read documents that wait for a listing', async () => {
  await passOf([inSet(['1', '2', '3'], ['user:a', 'user:b'])])
  await passOf([inSet(['1', '2'], ['user:a', 'user:b', 'user:c'])], 'breaks')
  await passOf([inSet(['1', '2'], ['user:b', 'user:c'])], 'breaks')
  assert.deepEqual(await readable(['user:a']), [])
  assert.deepEqual(await readable(['user:b']), ['1', '2', '3'])
  assert.deepEqual(await readable(['user:c']), ['1'])
})

test('it gives no document permissions that were read later for others of its set, and proves nothing', async () => {
  await passOf([inSet(['1', '2', '3'], ['user:a'])])
  const before = await provedAt('A')
  const began = tick()
  await list(await job(), async function* () {
    yield { ...inSet(['1', '2'], ['user:a']), asOf: began }
    await applyListing(db, workflowId, {
      page: { ...inSet(['1'], ['class:w/all']), asOf: tick(), relisted: true },
      modeOf: () => 'content',
    })
    yield { ...inSet(['3', '5'], ['user:a']), asOf: began }
    yield { kind: 'end', scope: 'A' }
  })
  assert.deepEqual(await readable(['class:w/all']), ['1'])
  assert.deepEqual(await readable(['user:a', 'class:w/all']), ['1', '2', '3'])
  assert.deepEqual(await shown(), ['1', '2', '3', '4'], 'the new one waits for a pass')
  assert.deepEqual(await provedAt('A'), before)
})

test('it keeps readers of documents that wait while one level more decides', async () => {
  await passOf([inSet(['1', '2', '3'], ['class:w/all'])])
  await passOf([inSet(['1', '2'], ['class:w/all'], ['group:g'])], 'breaks')
  assert.deepEqual(await readable(['class:w/all']), [])
  assert.deepEqual(await readable(['class:w/all', 'group:g']), ['1', '2', '3'])
  await passOf([inSet(['1', '2'], ['class:w/all'])], 'breaks')
  assert.deepEqual(await readable(['class:w/all']), ['1'])
  assert.deepEqual(await readable(['class:w/all', 'group:g']), ['1', '2', '3'])
})

test('it replaces a damaged set', async () => {
  await passOf([inSet(['1', '2', '3'], ['user:a'])])
  await sql`update permission_sets set access = '{"levels": [{"who": "x"}], "permissions": null}'
    where workflow_id = ${workflowId}`.execute(db)
  await passOf([inSet(['1', '2'], ['user:b'])], 'breaks')
  assert.deepEqual(await readable(['user:b']), ['1'])
})

test('it records nothing for a pass that was stopped', async () => {
  const before = await provedAt('A')
  await assert.rejects(
    pass(async function* () {
      await sql`update jobs set status = 'STOPPED' where kind = 'permissions'`.execute(db)
      yield refs('A', ['1', '5'], tick())
      yield { kind: 'end', scope: 'A' }
    }),
    { code: 'cancelled' },
  )
  assert.deepEqual(await shown(), ['1', '2', '3', '4'])
  assert.deepEqual(await provedAt('A'), before)
})

async function job(kind: 'content' | 'permissions' = 'content'): Promise<string> {
  await sql`update jobs set status = 'COMPLETED' where kind = ${kind}`.execute(db)
  const id = randomUUID()
  const { workspace_id: workspaceId } = await db
    .selectFrom('workflows')
    .select('workspace_id')
    .where('id', '=', workflowId)
    .executeTakeFirstOrThrow()
  const settings = { source_id: randomUUID(), destination_id: randomUUID(), nodes: [], reprocess_all: false }
  await insertJob(db, {
    ...{ id, kind, workspaceId, workflowId, workflowName: 'w', jobType: 'persistent', startedBy: null },
    settings,
  })
  await markStarted(db, id)
  return id
}

async function list(jobId: string, script: Script): Promise<void> {
  const row = (await readJob(db, jobId)) as JobRow
  const none = async () => {}
  // Only the parts that a listing uses.
  const run = {
    source: sourceOf(script),
    ledger: await ledgerOf(db, workflowId),
    swap: null,
    settingsHash: '',
  }
  const engine = { send: none, sendAll: none } as unknown as TaskQueue
  await listSource(row, { resources: { db } as Resources, engine, run: run as unknown as JobRun }, signal)
}

async function pass(script: Script): Promise<void> {
  const row = (await readJob(db, await job('permissions'))) as JobRow
  await runPermissionPass(row, { db, source: sourceOf(script), write: async () => 0 }, signal)
}

/** Lists all of A and B. If it breaks, the last document of A is not recorded: another may have its position. */
async function passOf(pages: ListingPage[], end?: 'breaks'): Promise<void> {
  const asOf = tick()
  const listed = pass(async function* () {
    for (const page of pages) yield { ...page, asOf }
    if (end) throw new Error('the connection was lost')
    yield { kind: 'end', scope: 'A' }
    yield refs('B', ['4'], asOf)
    yield { kind: 'end', scope: 'B' }
    yield { kind: 'complete' }
  })
  await (end ? assert.rejects(listed, /the connection was lost/) : listed)
}

/** Documents of A that share a permission set. */
function inSet(ids: string[], who: string[], below?: string[]): RefsPage {
  const of = (id: string): DocumentRef => {
    const { access, ...about } = ref(id, 'A')
    return {
      ...about,
      access: {
        ...access,
        clauses: { c0: who, ...(below ? { c1: below } : {}) },
        set: { site: 'w', scope: 'A', levels: [] },
      },
    }
  }
  return { kind: 'refs', scope: 'A', refs: ids.map(of), asOf: clock }
}

function sourceOf(script: Script): Source {
  const nowhere = { ended: new Set<string>(), after: new Map<string, string>() }
  return { list: (_: AbortSignal, from = nowhere) => script(from) } as unknown as Source
}

function tick(): Date {
  clock = new Date(clock.getTime() + 1000)
  return clock
}

function refs(scope: string, ids: string[], asOf: Date): ListingPage {
  return { kind: 'refs', scope, refs: ids.map((id) => ref(id, scope)), asOf }
}

function ref(id: string, scope: string): DocumentRef {
  const none = { users: [], groups: [] }
  return {
    ...{ recordId: `w/${id}`, scope, position: id, version: '1', title: `Page ${id}`, url: '', locator: {} },
    ...{ filename: `${id}.html`, createdAt: null, modifiedAt: null, author: null, labels: [], ancestors: [] },
    scopeName: scope,
    access: {
      permissions: [{ read: none }, { update: none }, { delete: none }],
      clauses: { c0: [`user:${scope}`] },
    },
  }
}

/** Documents that the ledger does not hide. */
async function shown(): Promise<string[]> {
  const ids = ['1', '2', '3', '4', '5', '6'].map((id) => `w/${id}`)
  const wanted = await findWanted(db, workflowId, ids)
  return ids.filter((id) => wanted.get(id)?.hidden === null).map((id) => id.slice(2))
}

/** Documents of A that a person with these tokens may read. */
async function readable(tokens: string[]): Promise<string[]> {
  const ids = ['1', '2', '3'].map((id) => `w/${id}`)
  const wanted = await findWanted(db, workflowId, ids)
  const admits = (id: string) => matchClauses(wanted.get(id)?.ref.access.clauses ?? {}, new Set(tokens))
  return ids.filter(admits).map((id) => id.slice(2))
}

async function provedAt(scope: string): Promise<Date> {
  const range = { limit: 10, cursor: null }
  const { rows } = await listProvedScopes(db, { id: workflowId, source_id: null }, range)
  const found = rows.find((each) => each.scope === scope)
  return found?.proved_at ?? assert.fail(`${scope} is not proved`)
}
