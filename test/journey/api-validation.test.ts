import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertFieldRefused, type Refusal } from '../world/answers.ts'
import { apiOf } from '../world/api.ts'
import { hosted, openApiService, type Workflow, withService } from '../world/api-service.ts'
import { until } from '../world/flow.ts'
import { TEST_KEY } from '../world/service.ts'

/** What the API accepts and refuses, for every route. */
describe('validation of the API', () => {
  const service = openApiService()
  const { wiki, index, send, field } = service

  test('it requires a key in one of three headers', async () => {
    const url = `${service.api.base}/sources/`
    assert.equal((await fetch(url)).status, 401)
    assert.match(await (await fetch(url)).text(), /API key is missing/)
    assert.equal((await fetch(url, { headers: { authorization: 'Bearer wrong' } })).status, 401)
    for (const headers of [
      { authorization: `Bearer ${TEST_KEY}` },
      { 'x-api-key': TEST_KEY },
      { 'unstructured-api-key': TEST_KEY },
    ]) {
      for (const path of [url, url.slice(0, -1)]) assert.equal((await fetch(path, { headers })).status, 200)
    }
  })

  test('it answers 404 for unknown and malformed ids', async () => {
    for (const id of ['00000000-0000-4000-8000-000000000000', 'nonsense', '%00', "1'--"]) {
      for (const kind of ['sources', 'destinations', 'workflows', 'jobs']) {
        assert.equal((await service.api.get(`/${kind}/${id}`)).status, 404, `${kind}/${id}`)
      }
      assert.equal((await service.api.get(`/jobs/${id}/details`)).status, 404)
      assert.equal((await service.api.post(`/workflows/${id}/run`)).status, 404)
      assert.equal(
        (await service.api.post(`/destinations/${id}/search`, { query: 'x', as: { user: 'u' } })).status,
        404,
      )
    }
  })

  test('it never answers 500 to invalid input', async () => {
    const bodies = [
      '',
      'null',
      '[]',
      '{',
      '"x"',
      '{"name":1}',
      '{"name":"a","type":"wiki"}',
      '{"name":"a","type":"wiki","config":[]}',
      '{"name":"\\u0000","type":"wiki","config":{}}',
      `{"name":"${'n'.repeat(300)}","type":"wiki","config":{}}`,
    ]
    for (const path of ['/sources', '/destinations', '/workflows', '/jobs']) {
      for (const body of bodies) {
        const response = await fetch(service.api.base + path, {
          method: 'POST',
          body,
          headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' },
        })
        assert.ok(
          response.status >= 400 && response.status < 500,
          `${path} ${body.slice(0, 50)} ${response.status}`,
        )
        await response.body?.cancel()
      }
    }
    const unknown = await service.api.post<Refusal>('/sources', { name: 'x', type: 'sharepoint', config: {} })
    assertFieldRefused(unknown, /type/)
    assertFieldRefused(await service.api.get<Refusal>('/workflows?page=zero'), /page/)
    assertFieldRefused(await service.api.get<Refusal>('/jobs?status=dancing'), /status/)
  })

  test('it serves connector types, templates, OpenAPI, docs, health and metrics', async () => {
    const types = (
      await service.api.get<
        { type: string; kind: string; schema: { properties: Record<string, Record<string, unknown>> } }[]
      >('/connector-types')
    ).body
    assert.deepEqual(types.map((each) => `${each.kind} ${each.type}`).sort(), [
      'destination postgres',
      'destination searchindex',
      'source sample',
      'source wiki',
    ])
    assert.equal(types.find((each) => each.type === 'wiki')?.schema.properties.token?.['x-secret'], true)
    const templates = (await service.api.get<{ id: string }[]>('/templates/')).body.map((each) => each.id)
    assert.ok(templates.includes('hi_res_partition') && templates.includes('hi_res_and_enrichment'))
    const missing = await service.api.get('/templates/none')
    assert.equal(missing.status, 404)
    assert.match(missing.text, /Template none not found/)
    const openapi = (await (await fetch(`${service.millrace.url}/openapi.json`)).json()) as { paths: object }
    assert.ok(Object.keys(openapi.paths).some((path) => path.startsWith('/api/v1/workflows')))
    for (const path of ['/docs', '/healthz', '/readyz', '/metrics'])
      assert.equal((await fetch(service.millrace.url + path)).status, 200, path)
  })

  test('it names the missing variable for a node that needs a model', async () => {
    const partition = { name: 'P', type: 'partition', subtype: 'auto' }
    const chunk = { name: 'C', type: 'chunk', subtype: 'chunk_by_title' }
    const embed = { name: 'E', type: 'embed', subtype: 'openai' }
    const contextual = { ...chunk, settings: { contextual_chunking_strategy: 'v1' } }
    for (const [body, at] of [
      [{ workflow_nodes: [partition, chunk, embed] }, /workflow_nodes.2.subtype/],
      [{ workflow_nodes: [partition, { name: 'N', type: 'prompter', subtype: 'openai_ner' }] }, /1.subtype/],
      [{ workflow_nodes: [{ ...partition, subtype: 'vlm' }] }, /0.subtype/],
      [{ workflow_nodes: [partition, contextual] }, /1.settings.contextual_chunking_strategy/],
      [{ template_id: 'hi_res_and_enrichment' }, /1.subtype/],
    ] as const) {
      const answer = await service.api.post<Refusal>('/workflows', { name: 'needs a model', ...body })
      assertFieldRefused(answer, at)
      assert.match(answer.text, /needs a configured model endpoint.*MILLRACE_OPENAI_/)
    }
    const providers = (await service.api.get<{ provider: string; configured: boolean }[]>('/models')).body
    assert.ok(providers.length > 5 && providers.every(({ configured }) => !configured))
  })

  test('it treats an empty body as none, whatever its content type', async () => {
    const { body } = await index({ ...hosted, hosts: ['http://127.0.0.1:9'], index_name: 'empty-bodies' })
    const path = `/destinations/${body.id}`
    assert.equal((await send('POST', `${path}/connection-check`, { body: '' })).status, 202)
    const made = await service.api.post<Workflow>('/workflows', { name: 'without a source' })
    const run = await send('POST', `/workflows/${made.body.id}/run`, { body: '' })
    assert.notEqual(run.status, 400, run.text)
    assert.equal((await send('DELETE', `/workflows/${made.body.id}`)).status, 200)
    assert.equal((await send('DELETE', path)).status, 200)
    for (const raw of [{ body: '' }, { type: '' }, {}]) {
      const needed = await send('POST', '/sources', raw)
      assert.equal(needed.status, 422, needed.text)
      assert.deepEqual([needed.body.detail[0]?.loc, needed.body.detail[0]?.type], [['body'], 'missing'])
    }
  })

  test('it names the field of characters that cannot be stored', async () => {
    const create = (text: string) => field('POST', '/sources', text)
    const bad = ['\\u0000', '\\ud800', 'x\\udc00y']
    for (const text of bad) {
      const config = '"config":{"url":"https://wiki.acme.example","token":"x1234567"}'
      const name = await create(`{"name":"a${text}","type":"wiki",${config}}`)
      assert.deepEqual(name?.loc, ['body', 'name'])
      const inner = await create(`{"name":"a","type":"wiki","config":{"spaces":["A","${text}"]}}`)
      assert.deepEqual(inner?.loc, ['body', 'config', 'spaces', 1])
      assert.equal((await create(`{"name":"a","type":"wiki","config":{"${text}":1}}`))?.loc.length, 3)
      const searched = await field(
        'POST',
        '/destinations/00000000-0000-4000-8000-000000000000/search',
        `{"query":"${text}","as":{"user":"u"}}`,
      )
      assert.deepEqual(searched?.loc, ['body', 'query'])
    }
    assertFieldRefused(await service.api.get<Refusal>('/workflows?name=%00'), /query.name/)
    assertFieldRefused(await service.api.get<Refusal>('/sources?source_type=a%00'), /query.source_type/)
    const missing = await service.api.get<{ detail: string; code: string }>('/sources/%00')
    assert.deepEqual([missing.status, missing.body.code], [404, 'not_found'])
  })

  test('it answers 404 for an id that is too long', async () => {
    for (const id of ['a'.repeat(101), 'a'.repeat(2000), '%zz']) {
      const { status, body } = await service.api.get<{ code: string }>(`/sources/${id}`)
      assert.deepEqual([status, body.code], [404, 'not_found'], id)
    }
  })

  test('it refuses wrong types and unknown names with message and field', async () => {
    for (const body of ['[]', '"x"', '3', 'null']) {
      assert.deepEqual((await field('POST', '/sources', body))?.loc, ['body'], body)
    }
    assert.equal((await field('POST', '/sources', '[]'))?.type, 'dict_type')
    assert.equal((await field('POST', '/sources', '{'))?.type, 'json_invalid')
    const bogus = await field('PUT', '/workflows/00000000-0000-4000-8000-000000000000', '{"schedul":"daily"}')
    assert.deepEqual([bogus?.loc, bogus?.type], [['body', 'schedul'], 'extra_forbidden'])
    assert.match(bogus?.msg ?? '', /did you mean "schedule"/)
    const nested = await field('POST', '/destinations/x/search', '{"query":"a","as":{"usr":"u"}}')
    assert.deepEqual(nested?.loc, ['body', 'as', 'usr'])
    assert.match(nested?.msg ?? '', /did you mean "user"/)

    const errorsOf = async (body: string) => (await send('POST', '/sources', { body })).body.detail
    assert.deepEqual(await errorsOf('{"name":1}'), [
      { loc: ['body', 'name'], msg: 'name should be text', type: 'string_type' },
      { loc: ['body', 'type'], msg: 'type is missing', type: 'missing' },
      { loc: ['body', 'config'], msg: 'config is missing', type: 'missing' },
    ])
    const page = await service.api.get<Refusal>(
      '/workflows?page=zero&page_size=1000&sort_by=size&source_id=x',
    )
    assert.deepEqual(
      page.body.detail.map(({ loc, msg, type }) => `${loc.join('.')}: ${msg} (${type})`).sort(),
      [
        'query.page: page should be a whole number (int_type)',
        'query.page_size: page_size should be at most 100 (less_than_equal)',
        'query.sort_by: sort_by should be one of id, name, created_at, updated_at (enum)',
        'query.source_id: source_id should be an id (value_error)',
      ],
    )
    assert.match(
      (await service.api.get('/workflows?page=1.5')).text,
      /page should be a whole number.*int_type/,
    )
  })

  test('it refuses prototype names and excessive nesting', async () => {
    const proto = await field('POST', '/sources', '{"name":"a","type":"wiki","config":{"__proto__":{"a":1}}}')
    assert.deepEqual(proto?.loc, ['body', 'config', '__proto__'])
    const built = await field('POST', '/sources', '{"constructor":{"prototype":{}}}')
    assert.deepEqual(built?.loc, ['body', 'constructor'])
    const deep = `{"name":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
    assert.match((await field('POST', '/sources', deep))?.msg ?? '', /deep/)
  })

  test('it accepts only JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const answer = await send('POST', '/sources', { body: '{}', type })
      assert.equal(answer.status, 415, type)
      assert.match(answer.text, /application\/json.*unsupported_media_type/)
    }
  })

  test('it cancels a job and logs it once', async () => {
    const nowhere = { url: 'http://127.0.0.1:9', token: 'x1234567' }
    const made = await service.api.post<Workflow>('/workflows', {
      name: 'to be stopped',
      source_id: (await wiki(nowhere)).body.id,
      destination_id: (await index({ ...hosted, hosts: ['http://127.0.0.1:9'], index_name: 'nowhere' })).body
        .id,
    })
    const job = (await service.api.post<{ id: string }>(`/workflows/${made.body.id}/run`)).body.id
    for (const _ of [1, 2]) {
      assert.equal((await service.api.post<{ status: string }>(`/jobs/${job}/cancel`)).body.status, 'STOPPED')
    }
    // The line comes through a pipe, after the response.
    const logged = await until(
      async () => service.millrace.lines.filter((line) => line.includes('job stopped') && line.includes(job)),
      ({ length }) => length > 0,
    )
    assert.equal(logged.length, 1)

    const disguised = Buffer.from('a\0').toString('base64url')
    assertFieldRefused(await service.api.get<Refusal>(`/jobs/${job}/documents?cursor=${disguised}`), /query/)
  })

  test('it lists the allowed methods of a path', async () => {
    const { status, headers } = await send('PATCH', '/sources/')
    assert.equal(status, 405)
    assert.equal(headers.get('allow'), 'GET, HEAD, POST')
    assert.equal((await send('POST', '/sources/abc')).headers.get('allow'), 'DELETE, GET, HEAD, PUT')
    assert.equal((await send('GET', '/sauces')).status, 404)
    const query = await send('QUERY', '/sources/', { type: '' })
    assert.deepEqual([query.status, query.headers.get('allow')], [405, 'GET, HEAD, POST'])
    assert.equal((await send('OPTIONS', '/sources/options')).headers.get('allow'), 'POST')
  })

  test('it refuses query parameters that it does not know', async () => {
    for (const path of ['/jobs?sortby=id', '/templates?cursor=x', '/sources?destination_type=x'])
      assert.equal((await send('GET', path)).status, 422, path)
    const { status, body } = await send('GET', '/workflows?sortby=id')
    assert.deepEqual([status, body.detail[0]?.loc], [422, ['query', 'sortby']])
    assert.match(body.detail[0]?.msg ?? '', /sort_by/)
  })

  test('it answers unreadable requests in the format of other errors', async () => {
    const long = await send('GET', `/jobs?status=${'x'.repeat(20_000)}`)
    assert.deepEqual(
      [long.status, (long.body as unknown as { code: string }).code],
      [431, 'headers_too_large'],
    )
  })

  test('it describes every operation with a name, errors and key use', async () => {
    type Operation = { operationId: string; security?: object[]; responses: Record<string, unknown> }
    const described = (await (await fetch(`${service.millrace.url}/openapi.json`)).json()) as {
      servers: { url: string }[]
      components: { securitySchemes: Record<string, { name?: string; scheme?: string }> }
      paths: Record<string, Record<string, Operation>>
    }
    assert.deepEqual(described.servers, [{ url: '/' }])
    const schemes = Object.values(described.components.securitySchemes)
    assert.deepEqual(
      schemes.map(({ name, scheme }) => name ?? scheme),
      ['bearer', 'X-API-Key', 'unstructured-api-key'],
    )
    const names: string[] = []
    for (const [path, operations] of Object.entries(described.paths)) {
      for (const [method, { operationId, security, responses }] of Object.entries(operations)) {
        names.push(operationId)
        assert.match(operationId, /^[a-z]+[A-Z][A-Za-z]+$/)
        if (!/^\/(api|general)\//.test(path)) assert.deepEqual(security, [], path)
        else assert.ok(responses[401] && responses[429], `${method} ${path}`)
        if (path.includes('{id}')) assert.ok(responses[404], `${method} ${path}`)
        if (method === 'post' || method === 'put') assert.ok(responses[409] && responses[422], path)
      }
    }
    assert.equal(new Set(names).size, names.length, names.join(' '))
    for (const name of ['listSources', 'createSource', 'getSource', 'updateSource', 'deleteSource'])
      assert.ok(names.includes(name), name)
    for (const name of ['checkSourceConnection', 'getSourceConnectionCheck', 'runWorkflow', 'cancelJob'])
      assert.ok(names.includes(name), name)
  })

  test('it serves its documentation over plain http', async () => {
    for (const path of ['/docs', '/docs/static/index.html', '/healthz']) {
      const { headers, status } = await fetch(service.millrace.url + path)
      assert.equal(status, 200, path)
      assert.doesNotMatch(headers.get('content-security-policy') ?? '', /upgrade-insecure-requests/, path)
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'self'/, path)
    }
  })

  test('it blocks unknown keys from an address, but not valid ones', () =>
    withService({}, async (url) => {
      const good = apiOf(url)
      const bad = apiOf(url, 'an-unknown-key-0123456789-0123456789')
      assert.equal((await good.get('/sources')).status, 200)
      for (let index = 0; index < 60; index++) assert.equal((await bad.get('/sources')).status, 401)
      const limited = await bad.get<{ code: string }>('/sources')
      assert.deepEqual([limited.status, limited.body.code], [429, 'rate_limited'])
      const seconds = Number(limited.headers.get('retry-after'))
      assert.ok(seconds > 0 && seconds <= 60)
      assert.equal((await good.get('/sources')).status, 200)
    }))

  test('it limits requests per key and says when to retry', () =>
    withService({ MILLRACE_RATE_LIMIT: '5' }, async (url) => {
      const calls = []
      for (let index = 0; index < 8; index++) calls.push(await apiOf(url).get('/sources'))
      assert.deepEqual(
        calls.map((call) => call.status),
        [200, 200, 200, 200, 200, 429, 429, 429],
      )
      assert.ok(Number(calls.at(-1)?.headers.get('retry-after')) > 0)
    }))
})
