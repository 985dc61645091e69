import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { anyRecord, assertAgreement } from '../world/agreement.ts'
import { assertRefused, okBody } from '../world/answers.ts'
import type { ApiResponse } from '../world/api.ts'
import { type Flow, type JobResult, makeFlow, run } from '../world/flow.ts'
import { assertSuccess } from '../world/open-space.ts'
import { addOtherWorkspace, type OtherWorkspace } from '../world/other-workspace.ts'
import { anotherDestination } from '../world/second-destination.ts'
import { TEST_KEY } from '../world/service.ts'
import { accounts } from '../world/wiki/accounts.ts'
import { openWorld, type World, wikiConfig } from '../world/world.ts'

type Element = { type: string; element_id: string; text: string; metadata: Record<string, unknown> }
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

describe('routes beyond the platform API', () => {
  let world: World
  let flow: Flow
  let other: OtherWorkspace
  let ended: JobResult
  const unknownClassGrant = {
    principal: { type: 'access-class' as const, id: 'every-passer-by' },
    operation: { key: 'read', targetType: 'space' },
  }
  before(async () => {
    world = await openWorld({ wiki: { seed: 10, pages: 60, spaces: 4, people: 10, groups: 4 } })
    await world.wiki.control.addSpace({ key: 'PASSERS', name: 'Passers', permissions: [unknownClassGrant] })
    flow = await makeFlow(world)
    ended = await assertSuccess(run(world, flow))
    other = await addOtherWorkspace(world.databaseUrl)
  })
  after(() => world.close())

  describe('explaining access', () => {
    const explain = async (destination: string, body: object) =>
      okBody(await world.api.post<Explanation>(`/destinations/${destination}/explain`, body))

    test('it explains each level and agrees with wiki and index for every person', async () => {
      await assertAgreement(world)
      const { shapes, people } = await world.wiki.control.truth()
      const readers = await world.wiki.control.readers()
      const site = (await anyRecord(world)).split('/')[0]
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

    test('it explains access on Data Center with its super-group', async () => {
      const { wiki } = world
      const { shapes, people } = await wiki.control.truth()
      const file = { title: 'notes.txt', mediaType: 'text/plain', base64: btoa('Notes for few.') }
      await wiki.control.attach(shapes.ownRestriction!, file)
      const signIn = { url: wiki.dataCenterUrl, token: accounts.crawler.pat, username: null, cloud: false }
      const dc = await makeFlow(world, {
        suffix: ' dc',
        source: { ...signIn, extract_files: true },
        destination: (await anotherDestination(world, 'dc')).config,
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

    test('it names unreadable levels, which grant no access', async () => {
      const { shapes, people } = await world.wiki.control.truth()
      const readers = await world.wiki.control.readers()
      const id = shapes.ownRestriction!
      const reader = people.find(({ accountId, active }) => active && readers[id]?.includes(accountId))!
      const record_id = `${(await anyRecord(world)).split('/')[0]}/${id}`
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

    test('it explains access of groups and refuses an empty request', async () => {
      const record_id = await anyRecord(world)
      const visitor = await explain(flow.destinationId, { record_id, as: { groups: [] } })
      assert.equal(visitor.allowed, false)
      for (const body of [
        { record_id },
        { record_id, as: {} },
        { as: { user: 'x' } },
        { record_id, as: { user: 'x' }, more: 1 },
      ])
        assertRefused(await world.api.post(`/destinations/${flow.destinationId}/explain`, body), 422)
      const as = { user: 'x' }
      const unknown = { record_id: 'elsewhere.example/1', as }
      assertRefused(
        await world.api.post(`/destinations/${flow.destinationId}/explain`, unknown),
        404,
        /not_found/,
      )
      for (const id of [randomUUID(), 'x', other.destination])
        assertRefused(await world.api.post(`/destinations/${id}/explain`, { record_id, as }), 404)
    })
  })

  test('it names an unknown access class in the job', () => {
    const warned = ended.details.warnings.filter(({ code }) => code === 'access_class_unknown')
    assert.equal(warned.length, 1, JSON.stringify(ended.details.warnings))
    assert.match(warned[0]!.message, /space PASSERS .*every-passer-by/)
    assert.equal(warned[0]!.documents, 1)
  })

  test('it lists spaces before a source is stored, and later without the secret', async () => {
    const options = (body: object) =>
      world.api.post<{ spaces: { key: string; name: string; documents: number | null }[] }>(
        '/sources/options',
        body,
      )
    const current = (await world.wiki.control.truth()).spaces
      .filter(({ status }) => status === 'current')
      .map(({ key }) => key)
    const config = wikiConfig(world)
    const fresh = okBody(await options({ type: 'wiki', config }))
    assert.deepEqual(new Set(fresh.spaces.map(({ key }) => key)), new Set(current))
    assert.ok(fresh.spaces.every(({ documents }) => Number.isInteger(documents)))
    const { token: _, ...rest } = config
    const kept = { type: 'confluence', config: rest, source_id: flow.sourceId }
    assert.deepEqual(okBody(await options(kept)), fresh)

    const elsewhere = { ...rest, url: world.wiki.dataCenterUrl }
    assertRefused(await options({ ...kept, config: elsewhere }), 422, /new address/)
    assertRefused(await options({ type: 'wiki', config: { ...config, spaecs: [] } }), 422, /spaces/)
    assertRefused(await options({ type: 'wiki', config: rest }), 422)
    assertRefused(await options({ type: 'nothing', config }), 422)
    assertRefused(await options({ type: 'wiki', config, more: 1 }), 422)
    assertRefused(await options({ type: 'wiki', config, source_id: randomUUID() }), 404)
    assertRefused(
      await options({ type: 'wiki', config: { ...config, token: 'wrong' } }),
      502,
      /source_unauthorized/,
    )
    assertRefused(await options({ type: 'wiki', config: { ...config, url: 'https://10.0.0.1' } }), 422)
  })

  test('it stores a connector only if its test succeeds', async () => {
    type Connected = {
      check: { status: string; steps: { name: string; status: string }[] }
      connector: { id: string; name: string; config: Record<string, unknown> } | null
      missing_index: { name: string; exists: boolean } | null
    }
    const connect = (kind: string, body: object) =>
      world.api.post<Connected>(`/${kind}s/connect`, {
        type: kind === 'source' ? 'wiki' : 'searchindex',
        ...body,
      })
    const names = async (kind: string) =>
      okBody(await world.api.get<{ name: string }[]>(`/${kind}s`)).map(({ name }) => name)
    const config = wikiConfig(world)
    const failed = okBody(await connect('source', { name: 'Tried', config: { ...config, token: 'wrong' } }))
    assert.deepEqual([failed.check.status, failed.connector], ['FAILURE', null])
    assert.ok(failed.check.steps.some(({ status }) => status === 'failed'))
    assert.equal((await names('source')).includes('Tried'), false)
    assertRefused(await connect('source', { name: 'wiki', config }), 409, /exists already/)
    assertRefused(await connect('source', { name: 'Tried', config: {} }), 422)
    const stored = okBody(await connect('source', { name: 'Tried', config }))
    assert.equal(stored.connector?.config.token, '**********')
    const check = await world.api.get<Connected['check']>(`/sources/${stored.connector?.id}/connection-check`)
    assert.deepEqual(check.body.steps, stored.check.steps)
    await world.api.delete(`/sources/${stored.connector?.id}`)

    const index = `connect-${randomUUID()}`
    const privileges = ['read', 'write', 'view_index_metadata', 'manage']
    const { encoded } = await world.engine.createApiKey({ indices: [{ names: [index], privileges }] })
    const settings = { hosts: [world.engine.url], search_api_key: encoded, index_name: index }
    const missing = okBody(await connect('destination', { name: 'Fresh', config: settings }))
    assert.deepEqual([missing.connector, missing.missing_index?.name], [null, index])
    assert.equal((await names('destination')).includes('Fresh'), false)
    const created = okBody(
      await connect('destination', { name: 'Fresh', config: settings, create_index: true }),
    )
    assert.deepEqual([created.check.status, created.connector?.name], ['SUCCESS', 'Fresh'])
    await world.api.delete(`/destinations/${created.connector?.id}`)
  })

  test('it turns a file into elements by its content and survives other input', async () => {
    const send = async (
      body: NonNullable<RequestInit['body']>,
      query = '',
      type = 'application/octet-stream',
    ) => {
      const headers = { authorization: `Bearer ${TEST_KEY}`, 'content-type': type }
      const response = await fetch(`${world.api.base}/elements${query}`, { method: 'POST', headers, body })
      const text = await response.text()
      return {
        status: response.status,
        text,
        body: JSON.parse(text),
        headers: response.headers,
      } as ApiResponse<{
        filetype: string
        total: number
        elements: Element[]
        code?: string
      }>
    }
    const page =
      '<html><body><h1>Zebras</h1><p>They graze on the plain.</p><a href="/x">there</a></body></html>'
    for (const type of ['application/octet-stream', 'text/html', 'application/json']) {
      const { filetype, elements } = okBody(await send(page, '?filename=../zebras.pdf', type))
      assert.equal(filetype, 'text/html')
      assert.deepEqual(elements[0]?.text, 'Zebras')
      assert.equal(elements[0]?.metadata.filename, 'zebras.pdf')
    }
    assert.equal(okBody(await send('# Hello\n\nWorld', '?filename=a.md')).filetype, 'text/markdown')
    assert.equal(okBody(await send('{"a": 1}', '', 'application/json')).filetype, 'application/json')
    const pdf = await readFile(new URL('../fixtures/files/handbook.pdf', import.meta.url))
    const handbook = okBody(await send(pdf, '?filename=handbook.pdf'))
    assert.equal(handbook.filetype, 'application/pdf')
    assert.deepEqual(new Set(handbook.elements.map(({ metadata }) => metadata.page_number)), new Set([1, 2]))
    const film = Buffer.from('\0\0\0\u0018ftypmp42\0\0\0\0isommp42', 'latin1')
    assertRefused(await send(film), 422, /document_unsupported/)
    assertRefused(await send(pdf.subarray(0, 2000)), 422, /not a readable PDF.*document_broken/)
    assertRefused(await send(''), 422)
    assertRefused(await send('x', '?name=a'), 422)
    assertRefused(await send(new FormData(), '', 'multipart/form-data; boundary=x'), 422)
    assert.equal(await sendHeadersOnly(`${world.api.base}/elements`, 10 * 1024 * 1024 + 1), 413)
    const large = okBody(await send(Buffer.alloc(10 * 1024 * 1024, 'some words, and then more.\n\n')))
    assert.ok(large.total > 100_000)
    assert.equal(large.elements.length, 2000)
  })

  test('it describes these routes in the OpenAPI document', async () => {
    const response = await fetch(`${world.millrace.url}/openapi.json`)
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, object>> }
    for (const [method, path] of [
      ['get', '/jobs/{id}/events'],
      ['get', '/jobs/{id}/log'],
      ['get', '/overview'],
      ['post', '/sources/connect'],
      ['get', '/workflows/{id}/documents'],
      ['post', '/workflows/{id}/preview'],
      ['post', '/destinations/{id}/explain'],
      ['post', '/sources/options'],
      ['post', '/elements'],
    ] as const)
      assert.ok(paths[`/api/v1${path}`]?.[method], `${method} ${path}`)
  })
})

/** The response to an announced body that is never sent; a sent body could be cut off at any point. */
async function sendHeadersOnly(url: string, bytes: number): Promise<number | undefined> {
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
