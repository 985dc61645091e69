import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { closeDatabase, openDatabase } from '../../src/store/database.ts'
import { assertAgreement, contents } from '../world/agreement.ts'
import type { Answer } from '../world/api.ts'
import { type Ended, type Flow, finish, makeFlow, run, startRun } from '../world/flow.ts'
import { listen, type SentEvent } from '../world/server-events.ts'
import { TEST_KEY } from '../world/service.ts'
import { accounts } from '../world/wiki/accounts.ts'
import { fault } from '../world/wiki/faults.ts'
import { createIndex, openWorld, type World, wikiConfig } from '../world/world.ts'

type Element = { type: string; element_id: string; text: string; metadata: Record<string, unknown> }
type Previewed = {
  documents: {
    record_id: string
    title: string
    url: string
    filetype: string | null
    html: string | null
    nodes: {
      node: { type: string; subtype: string; name: string }
      total: number
      elements: Element[]
      dims?: number
      sample?: number[]
    }[]
    error: { code: string; message: string } | null
  }[]
}
type Explanation = {
  allowed: boolean
  operation: string
  chain: {
    level: string
    id: string
    title: string
    rule: string
    satisfied: boolean
    by: string | null
    as_of: string
  }[]
}
type Progress = {
  found: number
  counts: Record<string, number>
  stages: { name: string; done: number; total: number | null }[]
  rates: { documents_per_second: number; elements_per_second: number }
  eta_seconds: number | null
}

describe('our own routes', () => {
  let world: World
  let flow: Flow
  let first: Ended
  const foreign = {
    workspace: randomUUID(),
    workflow: randomUUID(),
    job: randomUUID(),
    destination: randomUUID(),
  }
  before(async () => {
    world = await openWorld({ wiki: { seed: 10, pages: 60, spaces: 4, people: 10, groups: 4 } })
    flow = await makeFlow(world, { nodes: null })
    first = await run(world, flow)
    assert.equal(first.details.processing_status, 'SUCCESS', first.details.message ?? '')
    await strangers()
  })
  after(() => world.close())

  /** Rows of another workspace, which to us are not there. */
  async function strangers(): Promise<void> {
    const db = openDatabase(world.databaseUrl)
    const { workspace, workflow, job, destination } = foreign
    await sql`insert into workspaces (id, name) values (${workspace}, 'theirs')`.execute(db)
    await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
      values (${workflow}, ${workspace}, 'theirs', 'custom', '[]', false, 'active')`.execute(db)
    await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
      values (${destination}, ${workspace}, 'destination', 'searchindex', 'theirs', '{}', '{}')`.execute(db)
    await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type,
      settings) values (${job}, ${workspace}, ${workflow}, 'theirs', 'COMPLETED', 'SUCCESS', 'persistent',
      '{"nodes": []}')`.execute(db)
    await closeDatabase(db)
  }

  const answered = <T>({ status, body, text }: Answer<T>): T => {
    assert.equal(status, 200, text)
    return body
  }
  const refused = ({ status, text }: Answer, wanted: number, words?: RegExp): void => {
    assert.equal(status, wanted, text)
    if (words) assert.match(text, words)
  }
  const anyRecord = async () => (await contents(world))[0]?._source.record_id ?? assert.fail('nothing there')

  describe('events of a job', () => {
    test('are told while it runs, each warning once, and end with it', async () => {
      const limited = await makeFlow(world, {
        suffix: ' limited',
        source: { max_num_of_docs_from_each_space: 4 },
        destination: await anotherIndex('limited'),
      })
      await world.wiki.control.set({ latencyMs: 300 })
      const id = await startRun(world, limited)
      const { status, headers, events } = await listen(world, `/jobs/${id}/events`)
      assert.equal(status, 200)
      assert.match(headers.get('content-type') ?? '', /^text\/event-stream/)
      assert.equal(headers.get('cache-control'), 'no-cache, no-transform')
      const told = await Array.fromAsync(events)
      await world.wiki.control.set({ latencyMs: 0 })
      const ended = await finish(world, id)

      assert.deepEqual(
        told.filter(({ event }) => event === 'warning').map(({ data }) => data),
        ended.details.warnings,
      )
      assert.ok(ended.details.warnings.length >= 2, 'there was something to be told')
      const progress = told.filter(({ event }) => event === 'progress').map(({ data }) => data as Progress)
      assert.ok(progress.length >= 2, `${progress.length} steps on the way`)
      assert.deepEqual(
        progress.map(({ found }) => found),
        progress.map(({ found }) => found).toSorted((a, b) => a - b),
      )
      const last = progress.at(-1)!
      assert.deepEqual(last.counts, ended.details.counts)
      assert.deepEqual(last.stages, [
        { name: 'list', done: last.found, total: last.found },
        { name: 'work', done: last.found, total: last.found },
        { name: 'remove', done: 0, total: 0 },
      ])
      assert.ok(last.rates.documents_per_second > 0 && last.rates.elements_per_second > 0)
      assert.equal(last.eta_seconds, 0)
      const done = told.at(-1)!
      assert.equal(done.event, 'done')
      assert.deepEqual(done.data.counts, ended.details.counts)
      assert.deepEqual([done.data.status, done.data.message], ['COMPLETED', ended.details.message])

      // Whoever comes back after any of them gets the warnings that are missing, and none twice.
      for (const [index, { id: lastId }] of told.slice(0, -1).entries()) {
        const again = await Array.fromAsync((await listen(world, `/jobs/${id}/events`, { lastId })).events)
        const warned = (events: SentEvent[]) => events.filter(({ event }) => event === 'warning').length
        assert.equal(warned(told.slice(0, index + 1)) + warned(again), ended.details.warnings.length)
        assert.deepEqual(
          again.slice(-2).map(({ event }) => event),
          ['progress', 'done'],
        )
      }
      const after = await listen(world, `/jobs/${id}/events`, { lastId: done.id })
      assert.equal(after.status, 204)
    })

    test('of one that is stopped count what it left undone', async () => {
      await world.wiki.control.editPage((await anyRecord()).split('/').at(-1)!, { title: 'Edited once more' })
      await world.wiki.control.set({ latencyMs: 1000 })
      const id = await startRun(world, flow)
      const listeners = await Promise.all(
        Array.from({ length: 20 }, () => listen(world, `/jobs/${id}/events`)),
      )
      const told = Promise.all(listeners.map(({ events }) => Array.fromAsync(events)))
      await world.api.post(`/jobs/${id}/cancel`)
      await world.wiki.control.set({ latencyMs: 0 })
      for (const events of await told) {
        const done = events.at(-1)
        assert.deepEqual([done?.event, done?.data.status], ['done', 'STOPPED'])
      }
      assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    })

    test('are nobody else’s', async () => {
      for (const id of [randomUUID(), 'nonsense', foreign.job]) {
        refused(await world.api.get(`/jobs/${id}/events`), 404)
        refused(await world.api.get(`/jobs/${id}/log`), 404)
      }
    })
  })

  test('the overview counts what is in the index and what became of it', async () => {
    const { last_runs, ...overview } = answered(
      await world.api.get<
        Record<string, unknown> & { last_runs: object[]; by_day: Record<string, number>[] }
      >('/overview'),
    )
    const elements = await contents(world)
    const others = await world.api.get<{ id: string }[]>('/workflows')
    assert.equal(overview.workflows, others.body.length)
    assert.ok(Number(overview.documents) >= new Set(elements.map((each) => each._source.record_id)).size)
    assert.ok(Number(overview.elements) >= elements.length)
    assert.deepEqual([overview.failures_7d, overview.failed_jobs_7d], [0, 0])
    assert.equal(overview.by_day.length, 14)
    const today = overview.by_day.at(-1)!
    assert.ok(today.new! >= first.details.counts.new, JSON.stringify(today))
    assert.ok(Date.parse(String(overview.permissions_as_of)) > Date.now() - 600_000)
    assert.ok(
      last_runs.length >= 2 && 'processing_status' in last_runs[0]! && 'workflow_name' in last_runs[0]!,
    )
  })

  describe('a preview', () => {
    const preview = async (body: object) =>
      answered(await world.api.post<Previewed>(`/workflows/${flow.workflowId}/preview`, body)).documents

    test('shows what each node makes of the first documents, as a run writes it, and writes nothing', async () => {
      const before = await contents(world)
      const jobs = await world.api.get<object[]>('/jobs')
      const documents = await preview({})
      assert.equal(documents.length, 3)
      for (const { record_id, html, nodes, error, filetype } of documents) {
        assert.equal(error, null)
        assert.equal(filetype, 'text/html')
        assert.match(html ?? '', /</)
        assert.deepEqual(
          nodes.map(({ node }) => node.type),
          ['partition', 'chunk', 'embed'],
        )
        const [partitioned, chunked, embedded] = nodes
        assert.ok(partitioned!.total >= chunked!.total)
        const indexed = before.filter(({ _source }) => _source.record_id === record_id)
        assert.deepEqual(
          new Set(chunked!.elements.map((each) => each.element_id)),
          new Set(indexed.map(({ _source }) => _source.element_id)),
        )
        assert.ok(nodes.every(({ elements }) => elements.every((each) => !('embeddings' in each))))
        assert.deepEqual([embedded!.dims, embedded!.sample?.length, embedded!.elements], [384, 8, []])
      }
      assert.deepEqual(
        (await contents(world)).map(({ _id, _version }) => [_id, _version]),
        before.map(({ _id, _version }) => [_id, _version]),
      )
      assert.equal((await world.api.get<object[]>('/jobs')).body.length, jobs.body.length)
    })

    test('shows documents by their ids, in that order, and says of one that is not listed that it is not', async () => {
      const ids = [...new Set((await contents(world)).map(({ _source }) => _source.record_id))]
      const asked = [ids.at(-1)!, ids[0]!, 'elsewhere.example/1']
      const documents = await preview({ record_ids: asked })
      assert.deepEqual(
        documents.map(({ record_id, error }) => [record_id, error?.code]),
        [
          [asked[0], undefined],
          [asked[1], undefined],
          [asked[2], 'document_gone'],
        ],
      )
    })

    test('fails in words where the wiki cannot be read', async () => {
      await world.wiki.control.fail({ ...fault.unauthorized(), times: null })
      const answer = await world.api.post(`/workflows/${flow.workflowId}/preview`, {})
      await world.wiki.control.clearFaults()
      refused(answer, 502, /source_unauthorized/)
    })

    test('refuses what does not fit', async () => {
      for (const body of [
        { limit: 11 },
        { limit: 0 },
        { limit: 'three' },
        { record_ids: [] },
        { record_ids: Array.from({ length: 11 }, String) },
        { limit: 1, record_ids: ['x'] },
        { most: 3 },
      ])
        refused(await world.api.post(`/workflows/${flow.workflowId}/preview`, body), 422)
      for (const id of [randomUUID(), 'x', foreign.workflow])
        refused(await world.api.post(`/workflows/${id}/preview`, {}), 404)
    })
  })

  describe('why a person can or cannot see a document', () => {
    const explain = async (destination: string, body: object) =>
      answered(await world.api.post<Explanation>(`/destinations/${destination}/explain`, body))

    test('is told level by level, and agrees with the wiki and the index for everybody', async () => {
      await assertAgreement(world)
      const { shapes, people } = await world.wiki.control.truth()
      const readers = await world.wiki.control.readers()
      const site = (await anyRecord()).split('/')[0]
      const ids = [...new Set(Object.values(shapes))].filter((id) => readers[id])
      assert.ok(ids.length >= 8)
      let denied = 0
      for (const { accountId } of people.filter(({ active }) => active)) {
        for (const id of ids) {
          const record_id = `${site}/${id}`
          const { allowed, chain, operation } = await explain(flow.destinationId, {
            record_id,
            as: { user: accountId },
          })
          const about = `${record_id} for ${accountId}: ${JSON.stringify(chain)}`
          assert.equal(allowed, readers[id]?.includes(accountId), about)
          assert.equal(operation, 'read')
          assert.equal(
            allowed,
            chain.every((level) => level.satisfied),
            about,
          )
          assert.deepEqual(
            [chain[0]?.level, chain.at(-1)?.level, chain.at(-1)?.id],
            ['space', 'page', id],
            about,
          )
          for (const { satisfied, by, rule } of chain) {
            if (by) assert.ok(satisfied && rule.includes(by), about)
            else assert.ok(!satisfied || rule === 'not restricted here', about)
          }
          if (!allowed) denied++
        }
      }
      assert.ok(denied > 10, `${denied} denials`)
    })

    test('is known on Data Center too, where one group is stopped by nothing', async () => {
      const { wiki } = world
      const { shapes, people } = await wiki.control.truth()
      const file = { title: 'notes.txt', mediaType: 'text/plain', base64: btoa('Notes for few.') }
      await wiki.control.attach(shapes.ownRestriction!, file)
      const signIn = { url: wiki.dataCenterUrl, token: accounts.crawler.pat, username: null, cloud: false }
      const dc = await makeFlow(world, {
        suffix: ' dc',
        source: { ...signIn, extract_files: true },
        destination: await anotherIndex('dc'),
      })
      const ended = await run(world, dc)
      assert.equal(ended.details.processing_status, 'SUCCESS')
      await wiki.control.addMember(
        'confluence-administrators',
        people.find(({ active }) => active)!.accountId,
      )
      const readers = await wiki.control.readers('dataCenter')
      const site = wiki.dataCenterUrl.replace(/^https?:\/\//, '')
      const passed: string[] = []
      for (const { accountId, userKey } of people.filter(({ active }) => active)) {
        for (const id of ['ownRestriction', 'bothDifferent', 'spaceOnly'].map((shape) => shapes[shape]!)) {
          const { allowed, chain } = await explain(dc.destinationId, {
            record_id: `${site}/${id}`,
            as: { user: userKey },
          })
          assert.equal(
            allowed,
            readers[id]?.includes(accountId),
            `${id} for ${userKey}: ${JSON.stringify(chain)}`,
          )
          passed.push(...chain.flatMap(({ by }) => by ?? []))
        }
      }
      const { items } = (
        await world.api.get<{ items: { record_id: string; title: string }[] }>(
          `/jobs/${ended.id}/documents?limit=500`,
        )
      ).body
      const notes = items.find(({ title }) => title === 'notes.txt')!.record_id
      const as = { user: people.find(({ active }) => active)!.userKey }
      const ofFile = await explain(dc.destinationId, { record_id: notes, as })
      const ofPage = await explain(dc.destinationId, { record_id: `${site}/${shapes.ownRestriction}`, as })
      const timeless = ({ chain }: Explanation) => chain.map(({ as_of: _, ...level }) => level)
      assert.deepEqual(timeless(ofFile), timeless(ofPage))
      assert.ok(passed.includes('group:confluence-administrators'), passed.join(' '))
    })

    test('says what could not be read, and that it lets nobody pass', async () => {
      const { shapes, people } = await world.wiki.control.truth()
      const readers = await world.wiki.control.readers()
      const id = shapes.ownRestriction!
      const reader = people.find(({ accountId, active }) => active && readers[id]?.includes(accountId))!
      const record_id = `${(await anyRecord()).split('/')[0]}/${id}`
      const body = { record_id, as: { user: reader.accountId } }
      assert.equal((await explain(flow.destinationId, body)).allowed, true)
      await world.wiki.control.fail({ path: `${id}/restriction`, status: 403, body: {}, times: null })
      await world.wiki.control.fail({ path: 'content/search', status: 403, body: {}, times: null })
      const { allowed, chain } = await explain(flow.destinationId, body)
      await world.wiki.control.clearFaults()
      assert.equal(allowed, false)
      assert.match(chain.at(-1)?.rule ?? '', /^could not be read: /)
      assert.equal(chain.at(-1)?.satisfied, false)
    })

    test('is asked with groups instead of a person, and never for nobody', async () => {
      const record_id = await anyRecord()
      const visitor = await explain(flow.destinationId, { record_id, as: { groups: [] } })
      assert.equal(visitor.allowed, false)
      for (const body of [
        { record_id },
        { record_id, as: {} },
        { as: { user: 'x' } },
        { record_id, as: { user: 'x' }, more: 1 },
      ])
        refused(await world.api.post(`/destinations/${flow.destinationId}/explain`, body), 422)
      const as = { user: 'x' }
      const unknown = { record_id: 'elsewhere.example/1', as }
      refused(await world.api.post(`/destinations/${flow.destinationId}/explain`, unknown), 404, /not_found/)
      for (const id of [randomUUID(), 'x', foreign.destination])
        refused(await world.api.post(`/destinations/${id}/explain`, { record_id, as }), 404)
    })
  })

  test('spaces can be chosen from before anything is stored, and later without the secret', async () => {
    const options = (body: object) =>
      world.api.post<{ spaces: { key: string; name: string }[] }>('/sources/options', body)
    const current = (await world.wiki.control.truth()).spaces
      .filter(({ status }) => status === 'current')
      .map(({ key }) => key)
    const config = wikiConfig(world)
    const fresh = answered(await options({ type: 'wiki', config }))
    assert.deepEqual(new Set(fresh.spaces.map(({ key }) => key)), new Set(current))
    const { token: _, ...rest } = config
    const kept = { type: 'confluence', config: rest, source_id: flow.sourceId }
    assert.deepEqual(answered(await options(kept)), fresh)

    const elsewhere = { ...rest, url: world.wiki.dataCenterUrl }
    refused(await options({ ...kept, config: elsewhere }), 422, /another address/)
    refused(await options({ type: 'wiki', config: { ...config, spaecs: [] } }), 422, /spaces/)
    refused(await options({ type: 'wiki', config: rest }), 422)
    refused(await options({ type: 'nothing', config }), 422)
    refused(await options({ type: 'wiki', config, more: 1 }), 422)
    refused(await options({ type: 'wiki', config, source_id: randomUUID() }), 404)
    refused(
      await options({ type: 'wiki', config: { ...config, token: 'wrong' } }),
      502,
      /source_unauthorized/,
    )
    refused(await options({ type: 'wiki', config: { ...config, url: 'https://10.0.0.1' } }), 422)
  })

  test('a job has a log, and a document its history', async () => {
    const page = (await anyRecord()).split('/').at(-1)!
    const record = await anyRecord()
    await world.wiki.control.editPage(page, { title: 'Changed for the log' })
    const ended = await run(world, flow)
    const log = await world.api.get<string>(`/jobs/${ended.id}/log`)
    assert.match(log.headers.get('content-type') ?? '', /^text\/plain/)
    const lines = log.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.deepEqual(
      lines.map(({ event }) => event),
      ['start', 'settings', 'document', 'end'],
    )
    assert.deepEqual([lines[2]!.record_id, lines[2]!.state], [record, 'changed'])
    assert.deepEqual(lines.at(-1)!.counts, ended.details.counts)
    assert.ok(!log.text.includes(accounts.crawler.apiToken) && !log.text.includes(world.indexKey))

    const history = answered(
      await world.api.get<
        { job_id: string; state: string; elements: number | null; error: null; at: string }[]
      >(`/workflows/${flow.workflowId}/documents?record_id=${encodeURIComponent(record)}`),
    )
    assert.deepEqual([history[0]?.job_id, history[0]?.state, history[0]?.error], [ended.id, 'changed', null])
    assert.deepEqual([history.at(-1)?.job_id, history.at(-1)?.state], [first.id, 'new'])
    const path = `/workflows/${flow.workflowId}/documents`
    assert.deepEqual(answered(await world.api.get(`${path}?record_id=nothing`)), [])
    for (const query of ['', '?record_id=', '?record_id=x&more=1'])
      refused(await world.api.get(path + query), 422)
    for (const id of [randomUUID(), 'x', foreign.workflow])
      refused(await world.api.get(`/workflows/${id}/documents?record_id=x`), 404)
  })

  test('a file becomes elements by what it is, and nothing else that is sent breaks anything', async () => {
    const send = async (
      body: NonNullable<RequestInit['body']>,
      query = '',
      type = 'application/octet-stream',
    ) => {
      const headers = { authorization: `Bearer ${TEST_KEY}`, 'content-type': type }
      const response = await fetch(`${world.api.base}/elements${query}`, { method: 'POST', headers, body })
      const text = await response.text()
      return { status: response.status, text, body: JSON.parse(text), headers: response.headers } as Answer<{
        filetype: string
        total: number
        elements: Element[]
        code?: string
      }>
    }
    const page =
      '<html><body><h1>Zebras</h1><p>They graze on the plain.</p><a href="/x">there</a></body></html>'
    for (const type of ['application/octet-stream', 'text/html', 'application/json']) {
      const { filetype, elements } = answered(await send(page, '?filename=../zebras.pdf', type))
      assert.equal(filetype, 'text/html')
      assert.deepEqual(elements[0]?.text, 'Zebras')
      assert.equal(elements[0]?.metadata.filename, 'zebras.pdf')
    }
    assert.equal(answered(await send('# Hello\n\nWorld', '?filename=a.md')).filetype, 'text/markdown')
    assert.equal(answered(await send('{"a": 1}', '', 'application/json')).filetype, 'application/json')
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk', 'base64')
    refused(await send(png), 422, /document_unsupported/)
    refused(await send(''), 422)
    refused(await send('x', '?name=a'), 422)
    refused(await send(new FormData(), '', 'multipart/form-data; boundary=x'), 422)
    assert.equal(await announced(`${world.api.base}/elements`, 10 * 1024 * 1024 + 1), 413)
    const large = answered(await send(Buffer.alloc(10 * 1024 * 1024, 'some words, and then more.\n\n')))
    assert.ok(large.total > 100_000)
    assert.equal(large.elements.length, 2000)
  })

  test('is described in the OpenAPI document', async () => {
    const response = await fetch(`${world.millrace.url}/openapi.json`)
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, object>> }
    for (const [method, path] of [
      ['get', '/jobs/{id}/events'],
      ['get', '/jobs/{id}/log'],
      ['get', '/overview'],
      ['get', '/workflows/{id}/documents'],
      ['post', '/workflows/{id}/preview'],
      ['post', '/destinations/{id}/explain'],
      ['post', '/sources/options'],
      ['post', '/elements'],
    ] as const)
      assert.ok(paths[`/api/v1${path}`]?.[method], `${method} ${path}`)
  })

  test('nobody who listens keeps the service from stopping', async () => {
    await world.wiki.control.fail({ delayMs: 20_000, times: null })
    const id = await startRun(world, flow)
    const { events } = await listen(world, `/jobs/${id}/events`)
    assert.equal((await events.next()).value?.event, 'progress')
    const ended = world.millrace.end('SIGTERM')
    const rest = await Array.fromAsync(events)
    assert.ok(rest.every(({ event }) => event !== 'done'))
    assert.equal(await ended, 0)
  })

  const indices: string[] = []
  after(async () => {
    for (const index of indices) await world.engine.adminFetch(`/${index}`, { method: 'DELETE' })
  })
  async function anotherIndex(suffix: string): Promise<object> {
    const index = `${world.index}-${suffix}`
    indices.push(index)
    await createIndex(world.engine, index)
    return { index_name: index, search_api_key: (await world.engine.createApiKey(index)).encoded }
  }
})

/** What is answered to the announcement of a body that is never sent: one that is would be cut off at any point. */
async function announced(url: string, bytes: number): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const headers = {
    authorization: `Bearer ${TEST_KEY}`,
    'content-type': 'application/octet-stream',
    'content-length': String(bytes),
  }
  const sending = request(url, { method: 'POST', headers }, (response) => resolve(response.statusCode))
  sending.on('error', reject).flushHeaders()
  return promise.finally(() => sending.destroy())
}
