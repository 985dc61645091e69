import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAgreement, contents } from '../world/agreement.ts'
import { detailsOf, finish, makeFlow, run, startRun, until } from '../world/flow.ts'
import { anotherDestination } from '../world/second-destination.ts'
import { openWorld, type World } from '../world/world.ts'

/** A ledger belongs to one index; another index, even with the same name, is filled from the beginning. */

const small = { seed: 21, pages: 30, spaces: 2, people: 8, groups: 3 }

async function inWorld(work: (world: World) => Promise<void>, wiki = small): Promise<void> {
  const world = await openWorld({ wiki })
  try {
    await work(world)
  } finally {
    await world.close()
  }
}

test('it fills an index that was deleted and recreated', () =>
  inWorld(async (world) => {
    const flow = await makeFlow(world)
    await run(world, flow)
    await world.destination.recreate()
    assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    await assertAgreement(world)
  }))

for (const [what, change] of [
  ['a destination that is pointed at another index', 'destination'],
  ['a workflow that is given another destination', 'workflow'],
] as const) {
  test(`it fills the new index for ${what}`, () =>
    inWorld(async (world) => {
      const flow = await makeFlow(world)
      await run(world, flow)
      const first = world.destination
      world.destination = await anotherDestination(world, 'second')
      try {
        const { config, type } = world.destination
        if (change === 'destination') {
          const put = await world.api.put(`/destinations/${flow.destinationId}`, { config })
          assert.equal(put.status, 200, put.text)
        } else {
          const made = await world.api.post<{ id: string }>('/destinations', {
            name: 'second',
            type,
            config,
          })
          const put = await world.api.put(`/workflows/${flow.workflowId}`, { destination_id: made.body.id })
          assert.equal(put.status, 200, put.text)
        }
        await run(world, flow)
        await assertAgreement(world)
      } finally {
        world.destination = first
      }
    }))
}

test('it ends a killed run whose index was recreated, and the next fills it', () =>
  inWorld(
    async (world) => {
      const flow = await makeFlow(world)
      await world.wiki.control.fail({ path: 'body[.-]', breaks: 'hang', times: null, after: 1 })
      const job = await startRun(world, flow)
      await until(
        () => detailsOf(world, job),
        (details) => details.counts.new > 0,
        180,
      )
      await world.kill()
      await world.wiki.control.clearFaults()
      await world.destination.recreate()
      await world.restart()
      const ended = await finish(world, job)
      assert.equal(ended.status, 'FAILED')
      assert.match(ended.details.message ?? '', /replaced/)
      assert.equal((await contents(world)).length, 0)
      assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
      await assertAgreement(world)
    },
    { ...small, pages: 120 },
  ))
