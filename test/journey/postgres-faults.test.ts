import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertAgreement, contents } from '../world/agreement.ts'
import { type Details, detailsOf, type Flow, finish, makeFlow, run, startRun, until } from '../world/flow.ts'
import { editAtRandom, randomOf } from '../world/random-edits.ts'
import { type TableDestination, tableOf } from '../world/table-destination.ts'
import { openWorld, type World } from '../world/world.ts'

/** Faults of a PostgreSQL destination and of the network to it: nothing is lost, and the next run agrees. */
describe('faults of a table', () => {
  let world: World
  let flow: Flow
  let table: TableDestination
  const random = randomOf(29)
  before(async () => {
    world = await openWorld({
      wiki: { seed: 29, pages: 16, spaces: 2, people: 8, groups: 3 },
      destination: 'postgres',
    })
    table = tableOf(world)
    flow = await makeFlow(world)
    await succeeds(startRun(world, flow))
  })
  after(() => world.close())

  async function succeeds(job: Promise<string>): Promise<Details> {
    const { details } = await finish(world, await job)
    assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
    await assertAgreement(world)
    return details
  }

  async function startAfterEdits(): Promise<string> {
    await editAtRandom(world, { random, times: 10 })
    return startRun(world, flow)
  }

  test('it finishes a run whose connections are cut, by the network and by the server (seed 29)', async () => {
    const name = new URL(table.proxy.url).username
    let isRunning = true
    const cutting = (async () => {
      for (let cuts = 0; isRunning; cuts++) {
        await sleep(100 + random() * 300)
        if (cuts % 2 === 0) table.proxy.cut()
        else
          await table.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
            name,
          ])
        if (cuts === 4) return
      }
    })()
    await reprocessAll()
    isRunning = false
    await cutting
    await succeeds(startAfterEdits())
  })

  test('it finishes a run although answers to commits are lost', async () => {
    const cuts = (async () => {
      for (const isForwarded of [true, false]) await table.proxy.cutAtCommit({ isForwarded })
    })()
    await reprocessAll()
    await cuts
  })

  for (const [what, statement] of [
    ['dropped', 'drop table elements'],
    ['emptied', 'delete from elements'],
  ] as const)
    test(`it fills a table that was ${what}`, async () => {
      await table.query(statement)
      const { counts } = await succeeds(startRun(world, flow))
      assert.equal(counts.unchanged, 0)
    })

  test('it ends a run whose table is replaced, writes nothing into the new one, and fills it next', async () => {
    await world.wiki.control.fail({ path: 'body[.-]', isHeld: true, times: null })
    await editAtRandom(world, { random, times: 10 })
    await setReprocess(true)
    const job = await startRun(world, flow)
    await until(
      () => detailsOf(world, job),
      ({ summary }) => summary.total_docs > 8,
    )
    // One statement for the server, so that the name is never free.
    await table.query(`alter table elements rename to elements_old;
      create table elements (like elements_old including all);
      alter table elements owner to ${new URL(table.proxy.url).username}`)
    await world.wiki.control.clearFaults()
    const { status, details } = await finish(world, job)
    assert.equal(status, 'FAILED')
    assert.match(details.message ?? '', /elements.*(emptied|another now has its name|replaced)/)
    assert.equal((await contents(world)).length, 0)
    await succeeds(startRun(world, flow))
    await table.query('drop table elements_old')
  })

  for (const { what, fault, repair, message } of [
    {
      what: 'accepts no writes',
      fault: (name: string) => `alter role ${name} set default_transaction_read_only = on`,
      repair: (name: string) => `alter role ${name} reset default_transaction_read_only`,
      message: /read.only|no writes/,
    },
    {
      what: 'refuses the role',
      fault: (name: string) => `alter role ${name} nologin`,
      repair: (name: string) => `alter role ${name} login`,
      message: /sign in/,
    },
    {
      what: 'took a privilege away',
      fault: (name: string) => `revoke insert on elements from ${name}`,
      repair: (name: string) => `grant insert on elements to ${name}`,
      message: /insert|privilege/,
    },
  ])
    test(`it names the cause if the server ${what}, and the next run agrees`, async () => {
      const name = new URL(table.proxy.url).username
      const held = await contents(world)
      await table.query(fault(name))
      table.proxy.cut()
      const { status, details } = await finish(world, await startAfterEdits())
      assert.equal(status, 'FAILED', JSON.stringify(details))
      assert.match(details.message ?? '', message)
      assert.deepEqual(await contents(world), held)
      await table.query(repair(name))
      table.proxy.cut()
      await succeeds(startRun(world, flow))
    })

  /** Writes every document again. */
  async function reprocessAll(): Promise<void> {
    await setReprocess(true)
    const { counts } = await succeeds(startAfterEdits())
    assert.equal(counts.unchanged, 0)
    await setReprocess(false)
  }

  async function setReprocess(reprocess_all: boolean): Promise<void> {
    const { status, text } = await world.api.put(`/workflows/${flow.workflowId}`, { reprocess_all })
    assert.equal(status, 200, text)
  }

  test('it finds no change after all of this', async () => {
    await setReprocess(false)
    const { counts } = (await run(world, flow)).details
    assert.equal(counts.unchanged, counts.discovered)
  })
})
