import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Flow, makeFlow, run } from '../world/flow.ts'
import { openWorld, type World } from '../world/world.ts'

type Passage = { element_id: string; text: string; highlights: string[] }
type Found = {
  total: number
  total_relation: string
  next: string | null
  facets?: Record<string, { value: string; count: number }[]>
  facets_relation?: string
  hits: {
    element_id: string
    space_key: string
    version: string
    date_modified: string
    filetype: string
    passages?: Passage[]
    neighbours?: { before: Passage[]; after: Passage[] }
    why?: { levels: { level: string; id: string; title: string; by: string[] }[] }
    record_id: string
    text: string
    title: string
    url: string
    highlight: string | null
    score: number
    granted_by: string[]
  }[]
}

type ReadDocument = { title: string; elements: { element_id: string; text: string }[]; next: string | null }
type People = { people: { id: string; name: string | null }[] }

const open = 'b0000000-0000-4000-8000-00000000000a'
const secret = 'b0000000-0000-4000-8000-00000000000b'
const ann = '557058:b1111111-1111-4111-8111-111111111111'
const ben = '557058:b2222222-2222-4222-8222-222222222222'

describe('search as a person', () => {
  let world: World
  let flow: Flow
  let few: string
  let plans: { folder: string; page: string }
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
    few = tree
    const sections = ['dawn', 'noon', 'dusk', 'night'].map(
      (time) =>
        `<h2>At ${time}</h2><p>${`The okapi walks at ${time} between the old trees. `.repeat(18)}</p>`,
    )
    await control.createPage({ space: 'ZEB', title: 'Okapi day', body: sections.join('') })
    await control.createPage({
      space: 'ZEB',
      parentId: tree,
      title: 'Below the few',
      body: '<p>Another hidden zebra below.</p>',
      labels: ['deep'],
    })
    plans = await addPlans()
    flow = await makeFlow(world, { nodes: null })
    assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    await world.destination.refresh()
  })
  after(() => world.close())

  /** A restricted page below a restricted folder that the wiki does not disclose. */
  async function addPlans(): Promise<{ folder: string; page: string }> {
    const { control } = world.wiki
    await control.set({ folderRestrictionsHidden: true })
    const read = { key: 'read', targetType: 'space' }
    const permissions = [{ principal: { type: 'group' as const, id: open }, operation: read }]
    await control.addSpace({ key: 'QUA', name: 'Quaggas', permissions })
    const folder = await control.createPage({ space: 'QUA', title: 'Plans', kind: 'folder' })
    await control.restrict(folder, { read: { groups: [secret] } })
    const body = '<p>The quagga eats hay.</p>'
    const page = await control.createPage({ space: 'QUA', title: 'Feeding', parentId: folder, body })
    await control.restrict(page, { read: { users: [ann, ben] } })
    return { folder, page }
  }

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

  test('it filters by ancestor, author, date, file type and record', async () => {
    const found = async (filters: object) =>
      titles(await search({ query: 'zebra', as: { user: ann }, filters, size: 50 }))
    const [hit] = (
      await search({ query: 'cave', as: { user: ann }, filters: { space_key: ['ZEB', 'NONE'] } })
    ).hits
    assert.ok(hit)
    const site = hit.record_id.slice(0, hit.record_id.lastIndexOf('/'))
    assert.deepEqual(await found({ ancestors: few }), new Set(['Below the few']))
    assert.deepEqual(await found({ ancestors: [`${site}/${few}`] }), new Set(['Below the few']))
    assert.deepEqual(await found({ ancestors: [`other.site/${few}`] }), new Set())
    assert.deepEqual(await found({ record_id: hit.record_id }), new Set(['Zebras for few']))
    assert.deepEqual(await found({ author: 'no-one' }), new Set())
    assert.equal((await found({ filetype: 'text/html', space_key: 'ZEB' })).size, 4)
    assert.equal((await found({ modified: { gte: '2000-01-01', lte: '2999-12-31T00:00:00Z' } })).size, 4)
    assert.deepEqual(await found({ created: { gte: '2999-01-01' } }), new Set())
    for (const filters of [
      { spaces: 'ZEB' },
      { labels: [''] },
      { modified: { gte: 'soon' } },
      { modified: { after: '2000-01-01' } },
    ]) {
      const answer = await world.api.post(`/destinations/${flow.destinationId}/search`, {
        query: 'x',
        as: { user: ann },
        filters,
      })
      assert.equal(answer.status, 422, answer.text)
    }
  })

  test('it counts documents by value, only those that the person may read', async () => {
    const facets = ['space_key', 'labels', 'filetype', 'author', 'modified']
    const request = { query: 'zebra', filters: { space_key: 'ZEB' }, facets, size: 1 }
    const anns = await search({ ...request, as: { user: ann } })
    const all = (await search({ ...request, as: { user: ann }, size: 50, group_by: 'document' })).hits.length
    assert.deepEqual(anns.facets?.space_key, [{ value: 'ZEB', count: all }])
    assert.deepEqual(anns.facets?.labels, [{ value: 'deep', count: 1 }])
    assert.equal(anns.facets_relation, 'eq')
    assert.ok(
      facets.every((name) => anns.facets?.[name]),
      JSON.stringify(anns.facets),
    )
    const bens = await search({ ...request, as: { user: ben } })
    assert.deepEqual([bens.facets?.labels, bens.facets?.space_key?.[0]?.count], [[], all - 2])
  })

  test('it groups by document with passages, and cites each hit', async () => {
    const okapi = { query: 'okapi walks', as: { user: ben }, filters: { space_key: 'ZEB' } }
    const single = await search({ ...okapi, size: 50 })
    const [first, ...more] = (await search({ ...okapi, group_by: 'document' })).hits
    assert.equal(first?.title, 'Okapi day')
    assert.ok(!more.some(({ record_id: id }) => id === first.record_id))
    assert.equal(first.passages?.length, 3)
    assert.match(first.passages?.[0]?.highlights[0] ?? '', /<mark>okapi<\/mark>/i)
    assert.ok(single.hits.filter(({ record_id: id }) => id === first.record_id).length >= 4)
    assert.deepEqual([first.space_key, first.filetype], ['ZEB', 'text/html'])
    assert.ok(first.version && Date.parse(first.date_modified) > 0 && first.url)
  })

  test('it pages with a cursor over all hits', async () => {
    const request = { query: 'zebra okapi', as: { user: ann }, filters: { space_key: 'ZEB' } }
    const whole = (await search({ ...request, size: 100 })).hits.map(({ element_id: id }) => id)
    const pages: string[] = []
    for (let next: string | null | undefined; next !== null; ) {
      const page: Found = await search({ ...request, size: 3, ...(next ? { search_after: next } : {}) })
      pages.push(...page.hits.map(({ element_id: id }) => id))
      next = page.next
    }
    assert.deepEqual(pages, whole)
    const answer = await world.api.post(`/destinations/${flow.destinationId}/search`, {
      ...request,
      search_after: 'x',
    })
    assert.equal(answer.status, 422)
  })

  test('it returns the elements around a hit and reads the document in order', async () => {
    const okapi = { query: 'okapi at noon', as: { user: ben }, neighbours: 1, why: true }
    const [hit] = (await search(okapi)).hits
    assert.ok(hit)
    const path = `/destinations/${flow.destinationId}/documents/${encodeURIComponent(hit.record_id)}`
    const read = async (query: string) => {
      const answer = await world.api.get<ReadDocument>(`${path}?${query}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    const whole = await read(`user=${ben}`)
    assert.equal(whole.title, 'Okapi day')
    const order = whole.elements.map(({ text }) => /dawn|noon|dusk|night/.exec(text)?.[0]).filter(Boolean)
    assert.deepEqual([...new Set(order)], ['dawn', 'noon', 'dusk', 'night'])
    const at = whole.elements.findIndex(({ element_id: id }) => id === hit.element_id)
    const ids = (parts: Passage[] = []) => parts.map(({ element_id: id }) => id)
    const expected = (part: { element_id: string }[]) => part.map(({ element_id: id }) => id)
    assert.deepEqual(ids(hit.neighbours?.before), expected(whole.elements.slice(Math.max(0, at - 1), at)))
    assert.deepEqual(ids(hit.neighbours?.after), expected(whole.elements.slice(at + 1, at + 2)))

    const paged: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const page: ReadDocument = await read(`user=${ben}&limit=2${next ? `&cursor=${next}` : ''}`)
      assert.ok(page.elements.length <= 2)
      paged.push(...page.elements.map(({ element_id: id }) => id))
      next = page.next
    }
    assert.deepEqual(paged, expected(whole.elements))
    assert.equal((await world.api.get(`${path}?user=${ben}&cursor=gone`)).status, 422)
    assert.equal((await world.api.get(path)).status, 422, 'a key has to name a person')
    assert.equal((await world.api.get(`${path}?groups=${secret}`)).status, 404)
  })

  test('it names the levels that admit the person', async () => {
    const { hits } = await search({ query: 'another hidden zebra below', as: { user: ann }, why: true })
    const hit = hits.find(({ title }) => title === 'Below the few')
    assert.deepEqual(hit?.why?.levels, [
      { level: 'space', id: 'ZEB', title: 'Zebras', by: [`group:${open}`] },
      { level: 'ancestor', id: few, title: 'Zebras for few', by: [`group:${secret}`] },
    ])
  })

  test('it names the folder and the page that admit the person', async () => {
    const { hits } = await search({ query: 'quagga hay', as: { user: ann }, why: true })
    const hit = hits.find(({ title }) => title === 'Feeding')
    assert.deepEqual(
      hit?.why?.levels.map(({ level, id, title }) => ({ level, id, title })),
      [
        { level: 'space', id: 'QUA', title: 'Quaggas' },
        { level: 'ancestor', id: plans.folder, title: 'Plans' },
        { level: 'page', id: plans.page, title: 'Feeding' },
      ],
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
    assert.equal((await world.wiki.control.counts()).requests, requests, 'it is cached')
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
