import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertAgreement, byPage, contents } from '../world/agreement.ts'
import { type Flow, type Incomplete, makeFlow, run } from '../world/flow.ts'
import { openWorld, type World, wikiConfig } from '../world/world.ts'

type Listed = { incomplete: Incomplete | null }
type Feed = { events: { payload: { job: Listed } }[] }

describe('limits and scope', () => {
  let world: World
  let flow: Flow
  before(async () => {
    world = await openWorld({ wiki: { seed: 12, pages: 90, spaces: 4, people: 8, groups: 4 } })
    flow = await makeFlow(world, { source: { max_num_of_docs_from_each_space: 7 } })
  })
  after(() => world.close())

  test('it writes exactly the first pages by id up to the limit and reports it', async () => {
    const { details } = await run(world, flow)
    const expected = await firstPages(world, 7)
    assert.deepEqual([...byPage(await contents(world)).keys()].sort(), expected.sort())
    assert.match(details.message ?? '', /7/)
    const truth = await world.wiki.control.truth()
    const isCurrent = new Set(truth.spaces.flatMap(({ key, status }) => (status === 'current' ? [key] : [])))
    const pages = truth.pages.filter(
      (page) => page.kind === 'page' && page.status === 'current' && isCurrent.has(page.spaceKey),
    )
    const setting = 'max_num_of_docs_from_each_space'
    assert.equal(details.incomplete?.documents, pages.length - expected.length)
    for (const limit of details.incomplete.limits) {
      const inSpace = pages.filter(({ spaceKey }) => spaceKey === limit.scope).length
      const kind = 'documents_per_scope'
      assert.deepEqual(limit, {
        ...{
          kind,
          setting,
          scope: limit.scope,
          left_out: inSpace - 7,
          noun: 'page',
          source_id: flow.sourceId,
        },
      })
    }
    const subject = { kind: 'setting', id: flow.sourceId, field: setting }
    const warned = details.warnings.filter(({ code }) => code === 'documents_left_out')
    assert.deepEqual(
      warned.map((warning) => warning.subject),
      details.incomplete.limits.map(() => subject),
    )
    const [listed] = (await world.api.get<Listed[]>('/jobs')).body
    assert.deepEqual(listed?.incomplete, details.incomplete)
    const feed = await world.api.get<Feed>('/notifications?event_types=job.completed')
    assert.deepEqual(feed.body.events[0]?.payload.job.incomplete, details.incomplete)
    await assertAgreement(world, { only: (page) => expected.includes(page.id) })
  })

  test('it adds pages when the limit is raised and removes them when it is lowered', async () => {
    await setSource({ max_num_of_docs_from_each_space: 10 })
    await run(world, flow)
    assert.deepEqual([...byPage(await contents(world)).keys()].sort(), (await firstPages(world, 10)).sort())
    await setSource({ max_num_of_docs_from_each_space: 9 })
    const { details } = await run(world, flow)
    assert.deepEqual([...byPage(await contents(world)).keys()].sort(), (await firstPages(world, 9)).sort())
    assert.match(details.message ?? '', /removed/)
  })

  test('it replaces a deleted page below the limit with the next by id', async () => {
    const expected = await firstPages(world, 9)
    const truth = await world.wiki.control.truth()
    const gone = expected.find((id) => !truth.pages.some((page) => page.parentId === id))
    assert.ok(gone)
    await world.wiki.control.trashPage(gone)
    const { details } = await run(world, flow)
    assert.equal(details.counts.removed, 1)
    assert.deepEqual([...byPage(await contents(world)).keys()].sort(), (await firstPages(world, 9)).sort())
  })

  test('it reports a limit of spaces by name and number', async () => {
    await setSource({ max_num_of_spaces: 2, max_num_of_docs_from_each_space: 9 })
    const { details } = await run(world, flow)
    const spaces = new Set(
      (await contents(world)).map((element) => element._source.metadata.data_source.record_locator.space_key),
    )
    assert.equal(spaces.size, 2)
    assert.match(details.message ?? '', /max_num_of_spaces/)
    const limit = details.incomplete?.limits.find(({ kind }) => kind === 'scopes')
    const current = (await world.wiki.control.truth()).spaces.filter(({ status }) => status === 'current')
    assert.deepEqual([limit?.setting, limit?.left_out], ['max_num_of_spaces', current.length - 2])
    // How many pages the other spaces have is unknown.
    assert.equal(details.incomplete?.documents, null)
  })

  test('it reuses the ledger for a recreated workflow with the same wiki and index', async () => {
    assert.equal((await world.api.delete(`/workflows/${flow.workflowId}`)).status, 200)
    const made = await world.api.post<{ id: string }>('/workflows', {
      name: 'again',
      workflow_type: 'custom',
      source_id: flow.sourceId,
      destination_id: flow.destinationId,
      workflow_nodes: [
        { name: 'P', type: 'partition', subtype: 'auto', settings: {} },
        { name: 'C', type: 'chunk', subtype: 'chunk_by_title', settings: {} },
      ],
    })
    assert.equal(made.status, 200, made.text)
    const { details } = await run(world, { ...flow, workflowId: made.body.id })
    assert.equal(details.counts.new, 0)
    assert.equal(details.counts.unchanged, details.counts.discovered)
  })

  async function setSource(more: object): Promise<void> {
    const answer = await world.api.put(`/sources/${flow.sourceId}`, { config: wikiConfig(world, more) })
    assert.equal(answer.status, 200, answer.text)
  }
})

async function firstPages(world: World, limit: number): Promise<string[]> {
  const truth = await world.wiki.control.truth()
  const spaces = truth.spaces.filter((space) => space.status === 'current')
  return spaces.flatMap((space) =>
    truth.pages
      .filter((page) => page.kind === 'page' && page.status === 'current' && page.spaceKey === space.key)
      .sort((a, b) => Number(a.id) - Number(b.id))
      .slice(0, limit)
      .map((page) => page.id),
  )
}
