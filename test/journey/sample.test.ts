import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { apiOf } from '../world/api.ts'
import { WITH_FAST_EMBEDDING } from '../world/fast-embedding.ts'
import { type Flow, PLAIN_NODES, run, until } from '../world/flow.ts'
import { samplePages } from '../world/sample/pages.ts'
import { personas } from '../world/sample/people.ts'
import { startMillrace } from '../world/service.ts'
import { destinationConfig, openWorld, type World } from '../world/world.ts'

type Source = { id: string; name: string; type: string; config: Record<string, unknown> }
type Sample = {
  source_id: string | null
  people: { id: string; name: string }[]
  groups: { id: string; name: string }[]
}
type Check = { status: string; steps: { name: string; status: string }[] }
type Previewed = {
  documents: {
    title: string
    error: unknown
    data_source: { permissions_data: { read?: { users: string[]; groups: string[] } }[] }
    nodes: { node: { type: string }; total: number; elements: { text: string }[]; dims?: number }[]
  }[]
}

/** From an empty service to a search as two people, with the built-in sample wiki. */
describe('the sample wiki', () => {
  let world: World
  before(async () => {
    world = await openWorld({ wiki: { pages: 20 }, env: WITH_FAST_EMBEDDING })
  })
  after(() => world.close())

  const made = async () => {
    const { status, body, text } = await world.api.post<Source>('/samples')
    assert.equal(status, 200, text)
    return body
  }
  const check = async (id: string) => {
    assert.equal((await world.api.post(`/sources/${id}/connection-check`)).status, 202)
    const result = await until(
      async () => (await world.api.get<Check>(`/sources/${id}/connection-check`)).body,
      ({ status }) => status !== 'SCHEDULED',
    )
    assert.equal(result.status, 'SUCCESS', JSON.stringify(result))
    assert.deepEqual(
      result.steps.filter(({ status }) => status !== 'ok'),
      [],
    )
  }

  const created = async (path: string, body: object) => {
    const answer = await world.api.post<{ id: string }>(path, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }

  let source: Source
  test('it creates one source, also when called twice', async () => {
    const before = (await world.api.get<Sample[]>('/samples')).body
    assert.deepEqual(
      before.map(({ source_id }) => source_id),
      [null],
    )
    const both = await Promise.all([made(), made(), made()])
    source = both[0]
    assert.deepEqual(new Set(both.map(({ id }) => id)), new Set([source.id]))
    assert.equal(source.name, 'Sample wiki')
    assert.equal(source.type, 'sample')
    assert.deepEqual(source.config, { url: 'http://sample-wiki.millrace.internal', spaces: [] })
    assert.equal((await made()).id, source.id)
    const [sample] = (await world.api.get<Sample[]>('/samples')).body
    assert.equal(sample?.source_id, source.id)
    assert.ok(
      sample.people.some(({ name, id }) => name === 'Priya Nair' && id === personas.priya.person.accountId),
    )
    assert.equal((await world.api.get<Source[]>('/sources/')).body.length, 1)
  })

  test('it is a type that forms do not offer', async () => {
    const { body } = await world.api.get<{ type: string; sample: boolean }[]>('/connector-types')
    assert.deepEqual(
      body.filter(({ sample }) => sample).map(({ type }) => type),
      ['sample'],
    )
    assert.equal((await world.api.post('/samples', { type: 'sample' })).status, 200)
    assert.equal((await world.api.post('/samples', { type: 'wiki' })).status, 422)
  })

  test('it passes every step of the connection check', () => check(source.id))

  test('it shows elements and their readers without a destination', async () => {
    const { status, body, text } = await world.api.post<Previewed>(`/sources/${source.id}/preview`, {
      limit: 10,
    })
    assert.equal(status, 200, text)
    assert.equal(body.documents.length, 10)
    for (const { error, nodes } of body.documents) {
      assert.equal(error, null)
      assert.deepEqual(
        nodes.map(({ node }) => node.type),
        ['partition', 'chunk', 'embed'],
      )
      assert.ok(nodes[0]!.elements.length > 0)
      assert.equal(nodes[2]!.dims, 384)
    }
    const readers = body.documents.map(({ data_source }) => data_source.permissions_data[0]?.read)
    assert.ok(readers.every((read) => read))
    assert.ok(new Set(readers.map((read) => JSON.stringify(read))).size > 1, 'pages differ in their readers')
    assert.equal((await world.api.post('/sources/0/preview')).status, 404)
    assert.equal(
      (await world.api.post(`/sources/${source.id}/preview`, { limit: 1, record_ids: ['x'] })).status,
      422,
    )
  })

  /** What the two may find, according to the wiki. */
  async function searchAsBoth({ destinationId }: Flow): Promise<void> {
    for (const { person, searches, doesNotSee } of Object.values(personas)) {
      for (const { query, finds, mustNotFind } of searches) {
        const { status, body, text } = await world.api.post<{ hits: { title: string }[] }>(
          `/destinations/${destinationId}/search`,
          { query, as: { user: person.accountId }, size: 50 },
        )
        assert.equal(status, 200, text)
        const titles = body.hits.map(({ title }) => title)
        for (const title of finds) assert.ok(titles.includes(title), `${person.name} finds ${title}`)
        for (const title of [...mustNotFind, ...doesNotSee])
          assert.ok(!titles.includes(title), `${person.name} must not find ${title}`)
      }
    }
  }

  let flow: Flow
  test('it fills an index in which two people find different pages', async () => {
    const destinationId = await created('/destinations', {
      name: 'Search',
      type: 'searchindex',
      config: destinationConfig(world),
    })
    const ids = { source_id: source.id, destination_id: destinationId }
    const workflowId = await created('/workflows', {
      name: 'Sample into search',
      workflow_type: 'custom',
      workflow_nodes: PLAIN_NODES,
      ...ids,
    })
    flow = { sourceId: source.id, destinationId, workflowId }
    const ended = await run(world, flow)
    assert.equal(ended.status, 'COMPLETED', JSON.stringify(ended.details))
    assert.equal(ended.details.processing_status, 'SUCCESS', JSON.stringify(ended.details))
    assert.equal(ended.details.counts.new, samplePages.filter(({ archived }) => !archived).length)
    await world.destination.refresh()
    await searchAsBoth(flow)
  })

  test('it is the same after a restart', async () => {
    await world.millrace.end('SIGTERM')
    await world.restart()
    assert.equal((await made()).id, source.id)
    await check(source.id)
    const ended = await run(world, flow)
    const { counts } = ended.details
    assert.deepEqual([counts.unchanged, counts.new, counts.changed], [counts.discovered, 0, 0])
    await searchAsBoth(flow)
  })

  test('it is readable by a separate worker', async () => {
    await world.millrace.end('SIGTERM')
    const api = await world.start('api')
    const worker = await world.start('worker')
    world.api = apiOf(api.url ?? '')
    await check(source.id)
    assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    await Promise.all([api.end('SIGTERM'), worker.end('SIGTERM')])
    await world.restart()
  })

  test('it reads only its own spaces, and no other address', async () => {
    const url = 'http://sample-wiki.millrace.internal'
    const post = (type: string, config: object) => world.api.post('/sources', { name: 'Other', type, config })
    for (const config of [{ url: 'http://127.0.0.1' }, { url: `${url}:5432` }, { path: '/etc/passwd' }])
      assert.equal((await post('sample', config)).status, 422, JSON.stringify(config))
    assert.equal((await post('wiki', { url, username: 'a@b.example', token: 'x', cloud: true })).status, 422)
    const config = { hosts: [url], index_name: 'x', search_api_key: 'a:b' }
    const destination = await world.api.post('/destinations', { name: 'no', type: 'searchindex', config })
    assert.equal(destination.status, 422, destination.text)
  })

  test('it is neither offered nor reachable if disabled', async () => {
    const off = await startMillrace({
      databaseUrl: world.databaseUrl,
      allowedHosts: ['*.millrace.internal'],
      role: 'api',
      env: { MILLRACE_SAMPLE_WIKI: 'off' },
    })
    try {
      const there = apiOf(off.url ?? '')
      assert.deepEqual((await there.get('/samples')).body, [])
      const refused = await there.post<{ detail: string }>('/samples')
      assert.equal(refused.status, 409)
      assert.match(refused.body.detail, /switched off.*MILLRACE_SAMPLE_WIKI/)
      const preview = await there.post<{ code: string }>(`/sources/${source.id}/preview`)
      assert.deepEqual([preview.status, preview.body.code], [422, 'egress_refused'], preview.text)
      assert.match(preview.text, /MILLRACE_SAMPLE_WIKI/)
      const listed = await there.get<Source[]>('/sources')
      assert.deepEqual(
        listed.body.map(({ id }) => id),
        [source.id],
      )
    } finally {
      await off.end('SIGTERM')
    }
  })
})
