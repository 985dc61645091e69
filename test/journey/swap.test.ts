import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { assertAgreement, contents } from '../world/agreement.ts'
import { type Flow, finish, makeFlow, PLAIN_NODES, run, startRun, until } from '../world/flow.ts'
import { createIndex, openWorld, type World } from '../world/world.ts'

const EMBEDDED = [...PLAIN_NODES, { name: 'Embedder', type: 'embed', subtype: 'local', settings: {} }]
const OTHER_CHUNKS = PLAIN_NODES.map((node) =>
  node.type === 'chunk' ? { ...node, settings: { max_characters: 600 } } : node,
)

describe('a workflow that swaps its index', () => {
  let world: World
  let flow: Flow
  let plainIndex: string
  const alias = `swap-${randomBytes(5).toString('hex')}`
  const behind = async () => {
    const response = await world.engine.adminFetch(`/_alias/${alias}`)
    return Object.keys((await response.json()) as object)
  }
  const indexes = async () => {
    const response = await world.engine.adminFetch(`/${alias}*`)
    return Object.keys((await response.json()) as object).sort()
  }
  const change = async (body: object) => {
    const answer = await world.api.put(`/workflows/${flow.workflowId}`, body)
    assert.equal(answer.status, 200, answer.text)
  }

  before(async () => {
    world = await openWorld({ wiki: { seed: 34, pages: 60, spaces: 4, people: 10, groups: 4 } })
    plainIndex = world.index
    await createIndex(world.engine, `${alias}-first`, { aliases: { [alias]: { is_write_index: true } } })
    const { encoded } = await world.engine.createApiKey({
      indices: [{ names: [alias, `${alias}-*`], privileges: ['all'] }],
    })
    const destination = { index_name: alias, search_api_key: encoded }
    flow = await makeFlow(world, { destination, workflow: { swap_index: true } })
    world.index = alias
  })
  after(async () => {
    for (const index of await indexes()) await world.engine.adminFetch(`/${index}`, { method: 'DELETE' })
    await world.close()
  })
  beforeEach(async () => world.wiki.control.clearFaults())

  test('fills the index that is there the first time, and goes on in it while nothing else changes', async () => {
    const first = await run(world, flow)
    assert.equal(first.details.processing_status, 'SUCCESS', first.details.message ?? '')
    const again = await run(world, flow)
    assert.equal(again.details.counts.unchanged, again.details.counts.discovered)
    assert.deepEqual(await behind(), [`${alias}-first`])
    await assertAgreement(world)
  })

  test('works everything into a new one when the nodes change; searches see one or the other, whole', async () => {
    await change({ workflow_nodes: OTHER_CHUNKS })
    const before = (await contents(world)).length
    await world.wiki.control.set({ latencyMs: 100 })
    const job = await startRun(world, flow)
    let looks = 0
    let ended = false
    const watching = (async () => {
      while (!ended) {
        const response = await world.engine.adminFetch(`/${alias}/_count`)
        const { count } = (await response.json()) as { count: number }
        if ((await behind())[0] === `${alias}-first`) assert.equal(count, before)
        looks++
      }
    })()
    const { details } = await finish(world, job)
    ended = true
    await watching
    await world.wiki.control.set({ latencyMs: 0 })
    assert.equal(details.processing_status, 'SUCCESS', details.message ?? '')
    assert.match(details.message ?? '', new RegExp(`${alias}-first, is kept`))
    const [now] = await behind()
    assert.ok(looks > 3 && now !== `${alias}-first`)
    assert.deepEqual(await indexes(), [now!, `${alias}-first`].sort())
    const elements = await assertAgreement(world)
    assert.ok(elements.every(({ _source }) => _source.text.length <= 600))
  })

  test('goes on in the new one with what changes', async () => {
    const [page] = (await world.wiki.control.truth()).pages
    await world.wiki.control.editPage(page!.id, { view: '<p>The weir was mended.</p>' })
    const { details } = await run(world, flow)
    assert.deepEqual([details.counts.changed, details.counts.new], [1, 0])
    await assertAgreement(world)
  })

  test('stays with the old one when the new one is not whole, and clears up before the next', async () => {
    const [old] = await behind()
    await change({ workflow_nodes: PLAIN_NODES })
    await world.wiki.control.set({ latencyMs: 200 })
    const job = await startRun(world, flow)
    await until(indexes, (names) => names.length === 3)
    const abandoned = (await indexes()).find((name) => name !== old && name !== `${alias}-first`)
    await world.api.post(`/jobs/${job}/cancel`)
    await finish(world, job)
    await world.wiki.control.set({ latencyMs: 0 })
    assert.deepEqual(await behind(), [old])
    await assertAgreement(world)

    const { details } = await run(world, flow)
    assert.equal(details.processing_status, 'SUCCESS', details.message ?? '')
    assert.notDeepEqual(await behind(), [old])
    assert.ok(!(await indexes()).includes(abandoned ?? ''), 'what was never searched is gone')
    await assertAgreement(world)
  })

  test('takes vectors of a width that the old one could not hold', async () => {
    await change({ workflow_nodes: EMBEDDED })
    const { details } = await run(world, flow)
    assert.equal(details.processing_status, 'SUCCESS', details.message ?? '')
    const [element] = await assertAgreement(world)
    assert.equal(element?._source.embeddings?.length, 384)
  })

  test('does not swap away what somebody else has written beside it', async () => {
    const [old] = await behind()
    const theirs = `/${alias}/_doc/theirs?refresh=true`
    const body = { record_id: 'another.wiki/1', element_id: 'x', text: 'theirs' }
    assert.ok((await world.engine.adminFetch(theirs, { method: 'PUT', body })).ok)
    await change({ workflow_nodes: OTHER_CHUNKS })
    const { status, details } = await run(world, flow)
    assert.equal(status, 'FAILED')
    assert.match(details.message ?? '', /holds 1 elements that this workflow has not written/)
    assert.deepEqual(await behind(), [old])
    await world.engine.adminFetch(theirs, { method: 'DELETE' })
    await change({ workflow_nodes: EMBEDDED })
  })

  test('keeps the old ones until it is told otherwise', async () => {
    const path = `/destinations/${flow.destinationId}/indexes`
    type Kept = { name: string; current: boolean; elements: number }[]
    const kept = (await world.api.get<Kept>(path)).body
    assert.deepEqual(kept.map(({ name }) => name).sort(), await indexes())
    assert.deepEqual(
      kept.filter(({ current }) => current).map(({ name }) => name),
      await behind(),
    )
    const [now] = await behind()
    assert.equal((await world.api.delete(`${path}/${now}`)).status, 409)
    for (const name of ['*', `${alias}-*`, plainIndex, 'nothing'])
      assert.equal((await world.api.delete(`${path}/${encodeURIComponent(name)}`)).status, 404, name)
    for (const { name, current } of kept)
      if (!current) assert.equal((await world.api.delete(`${path}/${name}`)).status, 200, name)
    assert.deepEqual(await indexes(), [now])
    await assertAgreement(world)
  })

  test('says of a plain index that there is no alias to move', async () => {
    const destination = { index_name: plainIndex, search_api_key: world.indexKey }
    const plain = await makeFlow(world, { destination, workflow: { swap_index: true }, suffix: ' plain' })
    assert.equal((await run(world, plain)).details.processing_status, 'SUCCESS')
    const nodes = { workflow_nodes: OTHER_CHUNKS }
    assert.equal((await world.api.put(`/workflows/${plain.workflowId}`, nodes)).status, 200)
    const { status, details } = await run(world, plain)
    assert.equal(status, 'FAILED')
    assert.match(details.message ?? '', /is an index itself, and a swap moves an alias/)
  })
})
