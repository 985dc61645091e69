import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { closeDatabase, openDatabase } from '../../src/store/database.ts'
import { readWorkflow } from '../../src/store/workflows/workflows.ts'
import { assertSameContents, contents, type Indexed } from '../world/agreement.ts'
import { apiOf } from '../world/api.ts'
import { type Flow, finish, type JobResult, makeFlow, run, startRun } from '../world/flow.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { INDEX_PRIVILEGES } from '../world/search-engine/attach.ts'
import { startFaultProxy } from '../world/search-engine/fault-proxy.ts'
import { startMillrace } from '../world/service.ts'
import { openWorld, type World } from '../world/world.ts'

const wiki = { seed: 47, pages: 12, spaces: 2, people: 6, groups: 3 }
const env = { MILLRACE_ALLOWED_HOSTS: '127.0.0.1,localhost' }

function assertRefused({ status, details }: JobResult, named: RegExp): string {
  assert.equal(status, 'FAILED', JSON.stringify(details))
  assert.match(details.message ?? '', named)
  return details.message ?? ''
}

describe('two workflows that reach one index by different names', () => {
  let world: World
  let proxy: Awaited<ReturnType<typeof startFaultProxy>>
  let first: Flow
  let copied: Indexed[]
  let byAlias: object
  let byHost: object

  before(async () => {
    world = await openWorld({ wiki, env })
    proxy = await startFaultProxy(world.engine.url)
    const alias = `${world.index}-alias`
    const added = await world.engine.adminFetch(`/${world.index}/_alias/${alias}`, { method: 'PUT' })
    assert.ok(added.ok, await added.text())
    // A search would miss what was written before; only a request by id finds it.
    await world.engine.adminFetch(`/${world.index}/_settings`, {
      method: 'PUT',
      body: { index: { refresh_interval: -1 } },
    })
    const { encoded } = await world.engine.createApiKey({
      indices: [{ names: [world.index, alias], privileges: INDEX_PRIVILEGES }],
    })
    byAlias = { index_name: alias, search_api_key: encoded }
    byHost = { hosts: [proxy.url] }
    first = await makeFlow(world)
    assert.equal((await run(world, first)).details.processing_status, 'SUCCESS')
    copied = await contents(world)
  })
  after(async () => {
    await proxy.close()
    await world.close()
  })
  const drop = async ({ workflowId }: Flow) =>
    assert.equal((await world.api.delete(`/workflows/${workflowId}`)).status, 200)
  const assertUntouched = async (name: string) => assertSameContents(await contents(world), copied, name)

  test('it refuses the second one and names the first', async () => {
    for (const [name, destination] of Object.entries({ alias: byAlias, host: byHost })) {
      const flow = await makeFlow(world, { destination, suffix: `-${name}`, source: { spaces: ['ENG'] } })
      assertRefused(await run(world, flow), /"flow" already copies/)
      await assertUntouched(name)
      await drop(flow)
    }
    assert.equal((await run(world, first)).details.processing_status, 'SUCCESS')
    await assertUntouched('a run of the first')
  })

  test('it does not name a workflow of another workspace', async () => {
    const flow = await makeFlow(world, { destination: byAlias, suffix: '-tenant' })
    const db = openDatabase(world.databaseUrl)
    try {
      const { workspace_id: own } = (await readWorkflow(db, first.workflowId)) ?? assert.fail('no workflow')
      const other = randomUUID()
      await sql`insert into workspaces (id, name) values (${other}, 'other')`.execute(db)
      const move = (to: string) =>
        sql`update workflows set workspace_id = ${to} where id = ${first.workflowId}`.execute(db)
      await move(other)
      const message = assertRefused(await run(world, flow), /another workspace already copies/)
      assert.ok(!message.includes('"flow"') && !message.includes(first.workflowId), message)
      await move(own)
    } finally {
      await closeDatabase(db)
    }
    await drop(flow)
    await assertUntouched('a run of another workspace')
  })

  test('it refuses the workflow of another installation', async () => {
    const database = await migratedDatabase()
    const hosts = [world.wiki.siteUrl, world.engine.url].map((url) => new URL(url).host)
    const millrace = await startMillrace({ databaseUrl: database.url, allowedHosts: hosts, env })
    try {
      const there: World = { ...worldOf(world), api: apiOf(millrace.url ?? '') }
      const flow = await makeFlow(there)
      const message = assertRefused(await run(there, flow), /another Millrace installation/)
      assert.ok(message.includes(`millrace_control/${first.workflowId}`), message)
      await assertUntouched('a run of another installation')
    } finally {
      await millrace.end('SIGKILL')
      await database.drop()
    }
  })

  test('it lets a new workflow follow a deleted one, with or without its elements', async () => {
    const second = await makeFlow(world, { destination: byAlias, suffix: '-second' })
    await drop(first)
    assert.equal((await run(world, second)).details.processing_status, 'SUCCESS')
    await assertUntouched('a run of the second')
    const third = await makeFlow(world, { destination: byHost, suffix: '-third' })
    assertRefused(await run(world, third), /"flow-second" already copies/)
    const removing = await world.api.delete(`/workflows/${second.workflowId}?elements=remove`)
    assert.equal(removing.status, 200, removing.text)
    const { body } = await world.api.get<{ id: string }[]>(`/jobs?workflow_id=${second.workflowId}`)
    await finish(world, body[0]!.id)
    assert.equal((await run(world, third)).details.processing_status, 'SUCCESS')
    await assertUntouched('a run of the third')
  })
})

/** Without its getters, which a copy would call. */
function worldOf({ wiki: source, destination, databaseUrl, databaseProxy, ...world }: World): World {
  const { millrace, api, start, kill, restart, close } = world
  const parts = {
    wiki: source,
    destination,
    databaseUrl,
    databaseProxy,
    millrace,
    api,
    start,
    kill,
    restart,
    close,
  }
  return parts as World
}

for (const destination of ['searchindex', 'postgres'] as const)
  test(`it lets one of two first jobs into a ${destination} that start at once`, async () => {
    const world = await openWorld({ wiki, env, destination })
    const proxy = destination === 'searchindex' ? await startFaultProxy(world.engine.url) : null
    try {
      const other = proxy ? { hosts: [proxy.url] } : { host: 'localhost' }
      const flows = [await makeFlow(world), await makeFlow(world, { destination: other, suffix: '-other' })]
      const jobs = await Promise.all(flows.map((flow) => startRun(world, flow)))
      const ended = await Promise.all(jobs.map((job) => finish(world, job)))
      const outcomes = ended.map(({ details }) => details.processing_status).toSorted()
      assert.deepEqual(outcomes, ['FAILED', 'SUCCESS'], JSON.stringify(ended))
    } finally {
      await proxy?.close()
      await world.close()
    }
  })
