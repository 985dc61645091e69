import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contents } from '../world/agreement.ts'
import { assertRefused, okBody } from '../world/answers.ts'
import { type Flow, finish, PLAIN_NODES, run, startRun, until } from '../world/flow.ts'
import { inSmallWorld, type SmallWorld } from '../world/small-world.ts'
import { destinationConfig, type World } from '../world/world.ts'

/** Deleting a workflow together with its elements. */

type Job = { id: string; kind: string; workflow_name: string; counts: { removed: number } }

const remove = (world: World, flow: Flow) => world.api.delete(`/workflows/${flow.workflowId}?elements=remove`)

const newestJob = async (world: World) => okBody(await world.api.get<Job[]>('/jobs'))[0]!

/** Requests of a removal wait until `release` is called. */
function holdRemovals({ proxy }: SmallWorld) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const isRemoval = (body: string) => /^\{"delete"/.test(body)
  proxy.on(async ({ path, body }) => {
    if (path.includes('_bulk') && isRemoval(body)) await promise
    return undefined
  })
  const begun = () =>
    until(async () => proxy.seen.some(({ path, body }) => path.includes('_bulk') && isRemoval(body)), Boolean)
  return { release, begun }
}

async function recreate(world: World, flow: Flow): Promise<Flow> {
  const { id } = okBody(
    await world.api.post<{ id: string }>('/workflows', {
      name: 'successor',
      source_id: flow.sourceId,
      destination_id: flow.destinationId,
      workflow_nodes: PLAIN_NODES,
    }),
  )
  return { ...flow, workflowId: id }
}

test('it keeps elements of a deleted workflow unless the request says otherwise', () =>
  inSmallWorld(async ({ world, flow }) => {
    await run(world, flow)
    const before = await contents(world)
    const path = `/workflows/${flow.workflowId}`
    assertRefused(await world.api.delete(`${path}?elements=some`), 422, /elements/)
    assert.deepEqual(okBody(await world.api.delete(path)), {})
    assert.equal((await contents(world)).length, before.length)
    assert.equal(okBody(await world.api.get<Job[]>('/jobs')).length, 1)
  }))

for (const destination of ['searchindex', 'postgres'] as const)
  test(`it removes the elements of a deleted workflow from ${destination} in a job, and no others`, () =>
    inSmallWorld(
      async ({ world, flow }) => {
        await run(world, flow)
        const [first] = await contents(world)
        const foreign = { ...first!._source, element_id: 'other', record_id: 'elsewhere.example/1' }
        await world.destination.put(foreign, 'other')
        const documents = new Set((await contents(world)).map(({ _source }) => _source.record_id)).size - 1
        assert.deepEqual(okBody(await remove(world, flow)), {})
        assertRefused(await world.api.get(`/workflows/${flow.workflowId}`), 404)
        const job = await newestJob(world)
        assert.deepEqual([job.kind, job.workflow_name], ['content', 'flow'])
        const { details } = await finish(world, job.id)
        assert.deepEqual([details.processing_status, details.message], ['SUCCESS', null])
        assert.equal(details.counts.removed, documents)
        assert.deepEqual(
          (await contents(world)).map(({ _source }) => _source.record_id),
          ['elsewhere.example/1'],
        )
        okBody(await world.api.delete(`/destinations/${flow.destinationId}`))
      },
      { destination },
    ))

test('it refuses to lose the destination while elements are removed', () =>
  inSmallWorld(async (setup) => {
    const { world, flow } = setup
    await run(world, flow)
    const { release, begun } = holdRemovals(setup)
    okBody(await remove(world, flow))
    await begun()
    const destination = `/destinations/${flow.destinationId}`
    assertRefused(await world.api.delete(destination), 409, /in_use/)
    const config = destinationConfig(world, { hosts: [setup.proxy.url] })
    const moved = { config: { ...config, index_name: 'another' } }
    assertRefused(await world.api.put(destination, moved), 409, /in_use/)
    okBody(await world.api.put(destination, { name: 'renamed', config }))
    release()
    await finish(world, (await newestJob(world)).id)
    okBody(await world.api.delete(destination))
    assert.deepEqual(await contents(world), [])
  }))

test('it continues a removal after the service was killed', () =>
  inSmallWorld(async (setup) => {
    const { world, flow } = setup
    await run(world, flow)
    const { release, begun } = holdRemovals(setup)
    okBody(await remove(world, flow))
    await begun()
    await world.kill()
    release()
    await world.restart()
    const { details } = await finish(world, (await newestJob(world)).id)
    assert.equal(details.processing_status, 'SUCCESS')
    assert.deepEqual(await contents(world), [])
  }))

test('it keeps what a successor writes while old elements are removed', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page } = setup
    await run(world, flow)
    const before = await contents(world)
    await world.wiki.control.trashPage(page)
    const { release, begun } = holdRemovals(setup)
    okBody(await remove(world, flow))
    const removal = await newestJob(world)
    await begun()
    const successor = await recreate(world, flow)
    const second = await startRun(world, successor)
    const { details } = await finish(world, second)
    assert.equal(details.counts.new, details.counts.discovered, 'it takes over no ledger')
    release()
    await finish(world, removal.id)
    const left = await contents(world)
    assert.equal(left.length, before.length - 1, 'without the trashed page')
    const again = (await run(world, successor)).details
    assert.equal(again.counts.unchanged, again.counts.discovered)
  }))

test('it hands the rest of a cancelled removal to the successor', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page } = setup
    await run(world, flow)
    const { release, begun } = holdRemovals(setup)
    okBody(await remove(world, flow))
    const removal = await newestJob(world)
    await begun()
    const successor = await recreate(world, flow)
    okBody(await world.api.post(`/jobs/${removal.id}/cancel`))
    setup.proxy.on(() => undefined)
    await world.wiki.control.trashPage(page)
    const { details } = await run(world, successor)
    assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
    assert.deepEqual(await setup.elements(), [])
    release()
  }))

test('it ends a removal whose index no longer exists', () =>
  inSmallWorld(async ({ world, flow }) => {
    await run(world, flow)
    await world.engine.adminFetch(`/${world.index}`, { method: 'DELETE' })
    okBody(await remove(world, flow))
    const { details } = await finish(world, (await newestJob(world)).id)
    assert.equal(details.processing_status, 'SUCCESS')
    assert.match(details.message ?? '', /nothing to remove/)
    assert.equal(details.counts.removed, 0)
  }))
