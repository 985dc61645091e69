import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Flow, makeFlow, run } from '../world/flow.ts'
import { openWorld, type World } from '../world/world.ts'

type Found = {
  total: number
  hits: {
    record_id: string
    text: string
    title: string
    url: string
    highlight: string | null
    score: number
    granted_by: string[]
  }[]
}

type People = { people: { id: string; name: string | null }[] }

const open = 'b0000000-0000-4000-8000-00000000000a'
const secret = 'b0000000-0000-4000-8000-00000000000b'
const ann = '557058:b1111111-1111-4111-8111-111111111111'
const ben = '557058:b2222222-2222-4222-8222-222222222222'

describe('search as a person', () => {
  let world: World
  let flow: Flow
  before(async () => {
    world = await openWorld({ wiki: { seed: 10, pages: 25, spaces: 2, people: 6, groups: 3 } })
    const { control } = world.wiki
    for (const [accountId, name] of [
      [ann, 'Ann'],
      [ben, 'Ben'],
    ] as const)
      await control.addPerson({ accountId, name })
    await control.addGroup({ id: open, name: 'all of us', members: [ann, ben] })
    await control.addGroup({ id: secret, name: 'the few', members: [ann] })
    await control.addSpace({
      key: 'ZEB',
      name: 'Zebras',
      permissions: [
        { principal: { type: 'group', id: open }, operation: { key: 'read', targetType: 'space' } },
      ],
    })
    await control.createPage({
      space: 'ZEB',
      title: 'Zebras for all',
      body: '<p>The striped zebra grazes on the plain.</p>',
    })
    const tree = await control.createPage({
      space: 'ZEB',
      title: 'Zebras for few',
      body: '<p>The hidden zebra sleeps in the cave.</p>',
    })
    await control.restrict(tree, { read: { groups: [secret] } })
    await control.createPage({
      space: 'ZEB',
      parentId: tree,
      title: 'Below the few',
      body: '<p>Another hidden zebra below.</p>',
      labels: ['deep'],
    })
    flow = await makeFlow(world, { nodes: null })
    assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    await world.engine.adminFetch(`/${world.index}/_refresh`, { method: 'POST' })
  })
  after(() => world.close())

  const search = async (body: object) => {
    const answer = await world.api.post<Found>(`/destinations/${flow.destinationId}/search`, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const titles = (found: Found) =>
    new Set(found.hits.map((hit) => hit.title).filter((title) => /Zebra|few/.test(title)))

  test('it shows two people what each may read, with groups from the wiki', async () => {
    const anns = await search({ query: 'zebra', as: { user: ann }, size: 50 })
    assert.deepEqual(
      titles(anns),
      new Set(['Zebras Home', 'Zebras for all', 'Zebras for few', 'Below the few']),
    )
    const bens = await search({ query: 'zebra', as: { user: ben }, size: 50 })
    assert.deepEqual(titles(bens), new Set(['Zebras Home', 'Zebras for all']))
    assert.ok(bens.total < anns.total)
    const hit = bens.hits.find((each) => each.title === 'Zebras for all')
    assert.ok(hit?.granted_by.some((token) => token.includes(open)))
    assert.match(hit?.highlight ?? '', /zebra/i)
    assert.match(hit?.url ?? '', /^http/)
  })

  test('it never shows hidden pages, whatever the query', async () => {
    for (const query of [
      'hidden zebra sleeps in the cave',
      'cave',
      'Another hidden zebra below',
      'striped animals resting',
    ]) {
      for (const as of [
        { user: ben },
        { user: ben, groups: [open] },
        { groups: [open] },
        { groups: [] },
        { user: 'nobody-known' },
      ]) {
        const found = await search({ query, as, size: 100 })
        for (const hit of found.hits)
          assert.ok(
            !['Zebras for few', 'Below the few'].includes(hit.title),
            `${query} as ${JSON.stringify(as)}`,
          )
      }
    }
  })

  test('it revokes access without a run when a person leaves a group', async () => {
    // Given groups replace the wiki's answer once that is no longer cached.
    const before = await search({
      query: 'hidden zebra',
      as: { user: ann, groups: [open, secret] },
      size: 50,
    })
    assert.ok(titles(before).has('Zebras for few'))
    const after = await search({ query: 'hidden zebra', as: { user: ann, groups: [open] }, size: 50 })
    assert.ok(!titles(after).has('Zebras for few'))
  })

  test('it supports filters and paging', async () => {
    const deep = await search({ query: 'zebra', as: { user: ann }, filters: { labels: ['deep'] } })
    assert.deepEqual(titles(deep), new Set(['Below the few']))
    const inSpace = await search({
      query: 'zebra',
      as: { user: ann },
      filters: { space_key: 'ZEB' },
      size: 50,
    })
    const [first, second] = [
      await search({ query: 'zebra', as: { user: ann }, filters: { space_key: 'ZEB' }, size: 1 }),
      await search({ query: 'zebra', as: { user: ann }, filters: { space_key: 'ZEB' }, size: 1, from: 1 }),
    ]
    assert.equal(inSpace.total, first.total)
    assert.notEqual(
      first.hits[0]?.record_id + (first.hits[0]?.text ?? ''),
      second.hits[0]?.record_id + (second.hits[0]?.text ?? ''),
    )
  })

  test('it finds people by name or id, and by id without the wiki', async () => {
    const path = `/destinations/${flow.destinationId}/people`
    const people = async (query: string) => {
      const answer = await world.api.get<People>(`${path}?query=${encodeURIComponent(query)}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body.people
    }
    assert.ok((await people('an')).some(({ id, name }) => id === ann && name === 'Ann'))
    assert.ok(!(await people('an')).some(({ name }) => name === 'Ben'))
    assert.deepEqual(await people(ben), [{ id: ben, name: 'Ben' }])
    assert.deepEqual(await people('nobody "of" that \\name'), [])
    assert.equal((await world.api.get(`${path}?quer=a`)).status, 422)
    assert.equal((await world.api.get(`/destinations/${flow.sourceId}/people`)).status, 404)

    const { requests } = await world.wiki.control.counts()
    await people('an')
    assert.equal((await world.wiki.control.counts()).requests, requests, 'it is remembered')
    await world.wiki.control.fail({ path: 'search/user', status: 403, times: null })
    assert.deepEqual(await people('be'), [])
    await world.wiki.control.clearFaults()
  })

  test('it refuses a search without a person or query', async () => {
    for (const body of [
      { query: 'zebra' },
      { query: 'zebra', as: {} },
      { query: '', as: { user: ann } },
      { query: 'zebra', as: { user: ann }, size: 1000 },
    ]) {
      const answer = await world.api.post(`/destinations/${flow.destinationId}/search`, body)
      assert.equal(answer.status, 422, answer.text)
    }
  })
})
