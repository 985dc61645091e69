import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Answer } from '../world/api.ts'
import { apiOf } from '../world/api.ts'
import { freshDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../world/service.ts'

type Refused = { detail: { loc: (string | number)[]; msg: string; type: string }[] }

/** What the API takes and refuses; nothing here reaches any other system. */
describe('the door', () => {
  let millrace: Millrace
  let api: ReturnType<typeof apiOf>
  let drop: () => Promise<void>
  before(async () => {
    const database = await freshDatabase()
    drop = database.drop
    millrace = await startMillrace({
      databaseUrl: database.url,
      // Nothing listens on port 9, and what is asked of it stays on this machine.
      allowedHosts: ['wiki.inside.example', 'search.inside.example:9200', '127.0.0.1:9'],
    })
    api = apiOf(millrace.url ?? '')
  })
  after(async () => {
    await millrace.end('SIGTERM')
    await drop()
  })

  const wiki = (config: object, name = `wiki ${Math.random()}`) =>
    api.post<Refused & Connector>('/sources/', { name, type: 'wiki', config })
  const index = (config: object, name = `index ${Math.random()}`) =>
    api.post<Refused & Connector>('/destinations/', { name, type: 'searchindex', config })
  const cloud = { url: 'https://acme.atlassian.net/wiki', cloud: true }
  const dataCenter = { url: 'https://wiki.acme.example/confluence' }
  const hosted = {
    hosts: ['https://abc.es.eu-west-1.aws.found.io'],
    index_name: 'wiki',
    search_api_key: btoa('id:key'),
  }

  test('asks for a key, takes it in any of three headers, and knows no other', async () => {
    const url = `${api.base}/sources/`
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

  for (const [mode, config] of Object.entries({
    'an API token': { ...cloud, username: 'a@acme.example', token: 'secret-token-1' },
    'an API token on Data Center': { ...dataCenter, username: 'a', token: 'secret-token-1' },
    'the other name of the token': { ...cloud, username: 'a@acme.example', api_token: 'secret-token-1' },
    'a personal access token': { ...dataCenter, token: 'secret-token-1' },
    'a password': { ...dataCenter, username: 'a', password: 'secret-password-1' },
    'a password in the cloud': { ...cloud, username: 'a', password: 'secret-password-1' },
    'empty values that count as absent': {
      ...dataCenter,
      token: 'secret-token-1',
      username: '',
      password: null,
      spaces: [],
    },
  })) {
    test(`takes a wiki with ${mode} and answers with the secret masked`, async () => {
      const { status, body, text } = await wiki(config)
      assert.equal(status, 200, text)
      assert.doesNotMatch(text, /secret-/)
      assert.match(text, /"\*{10}"/)
      assert.equal(body.config.max_num_of_docs_from_each_space, 150)
    })
  }

  for (const [what, [config, field]] of Object.entries({
    'no credentials': [cloud, /username|token|password/],
    'a token alone in the cloud': [{ ...cloud, token: 'x' }, /cloud|username|token/],
    'a username alone': [{ ...cloud, username: 'a' }, /token|password|username/],
    'a token and a password': [{ ...cloud, username: 'a', token: 'x', password: 'y' }, /token|password/],
    'a password without a name': [{ ...dataCenter, password: 'y' }, /username|password/],
    'two tokens that differ': [{ ...cloud, username: 'a', token: 'x', api_token: 'y' }, /token/],
    'an unknown field': [{ ...dataCenter, token: 'x', space: ['A'] }, /space/],
    'a number that is text': [{ ...dataCenter, token: 'x', max_num_of_spaces: 'many' }, /max_num_of_spaces/],
    'a limit of none': [
      { ...dataCenter, token: 'x', max_num_of_docs_from_each_space: 0 },
      /max_num_of_docs_from_each_space/,
    ],
    'spaces that are no list': [{ ...dataCenter, token: 'x', spaces: 'ENG' }, /spaces/],
    'no address': [{ token: 'x' }, /url/],
    'http where nobody allowed it': [{ url: 'http://wiki.acme.example', token: 'x' }, /url/],
    'an address that is plainly inside': [{ url: 'https://10.0.0.7', token: 'x' }, /url/],
    'a loopback address in disguise': [{ url: 'https://0x7f.1', token: 'x' }, /url/],
    'credentials in the address': [{ url: 'https://a:b@wiki.acme.example', token: 'x' }, /url/],
    'another protocol': [{ url: 'ftp://wiki.acme.example', token: 'x' }, /url/],
  } as Record<string, [object, RegExp]>)) {
    test(`refuses a wiki with ${what} and names the field`, async () => refused(await wiki(config), field))
  }

  for (const [what, [config, field]] of Object.entries({
    'a self-managed host': [{ ...hosted, hosts: ['https://search.acme.example'] }, /hosts/],
    'a host that only ends like a hosted one': [{ ...hosted, hosts: ['https://evilfound.io'] }, /hosts/],
    'a hosted name before another domain': [
      { ...hosted, hosts: ['https://a.found.io.evil.example'] },
      /hosts/,
    ],
    http: [{ ...hosted, hosts: ['http://abc.found.io'] }, /hosts/],
    'an address': [{ ...hosted, hosts: ['https://93.184.216.34'] }, /hosts/],
    'a bare name': [{ ...hosted, hosts: ['https://localhost'] }, /hosts/],
    'an index with a wildcard': [{ ...hosted, index_name: 'wiki*' }, /index_name/],
    'an index with capitals': [{ ...hosted, index_name: 'Wiki' }, /index_name/],
    'an index that is a path': [{ ...hosted, index_name: '../_all' }, /index_name/],
    'no key': [{ hosts: hosted.hosts, index_name: 'wiki' }, /search_api_key/],
    'no hosts': [{ ...hosted, hosts: [] }, /hosts/],
  } as Record<string, [object, RegExp]>)) {
    test(`refuses an index with ${what} and names the field`, async () => refused(await index(config), field))
  }

  test('says that self-managed clusters are for the command line', async () => {
    assert.match((await index({ ...hosted, hosts: ['https://search.acme.example'] })).text, /millrace-ingest/)
  })

  test('takes a host the operator allowed', async () => {
    assert.equal((await index({ ...hosted, hosts: ['http://search.inside.example:9200'] })).status, 200)
    assert.equal((await wiki({ url: 'http://wiki.inside.example', token: 'x1234567' })).status, 200)
  })

  test('suggests the nearest known name for an unknown field', async () => {
    assert.match((await wiki({ ...dataCenter, token: 'x', max_num_of_space: 3 })).text, /max_num_of_spaces/)
  })

  test('answers with the type and names a connector was created with, and finds it under either', async () => {
    const made = await api.post<Connector>('/destinations', {
      name: 'by their names',
      type: 'elasticsearch',
      config: { hosts: hosted.hosts, index_name: 'theirs', es_api_key: btoa('id:key') },
    })
    assert.equal(made.status, 200, made.text)
    assert.equal(made.body.type, 'elasticsearch')
    assert.equal(made.body.config.es_api_key, '**********')
    for (const type of ['elasticsearch', 'searchindex']) {
      const found = await api.get<Connector[]>(`/destinations/?destination_type=${type}`)
      assert.ok(
        found.body.some((each) => each.id === made.body.id),
        type,
      )
    }
    assert.equal((await api.get<Connector[]>('/destinations/?destination_type=other')).body.length, 0)
  })

  test('keeps a secret through an update that sends the mask or leaves it out, but not to another host', async () => {
    const { body } = await wiki({ ...dataCenter, token: 'kept-secret-1' })
    const path = `/sources/${body.id}`
    assert.equal(
      (await api.put(path, { config: { ...dataCenter, token: '**********', max_num_of_spaces: 3 } })).status,
      200,
    )
    assert.equal((await api.put(path, { config: { ...dataCenter, max_num_of_spaces: 4 } })).status, 200)
    const moved = await api.put<Refused>(path, {
      config: { url: 'https://other.example', token: '**********' },
    })
    refused(moved, /token/)
    assert.equal((await api.get<Connector>(path)).body.config.max_num_of_spaces, 4)
  })

  test('refuses a name that is taken, per kind', async () => {
    assert.equal((await wiki({ ...dataCenter, token: 'x1234567' }, 'taken')).status, 200)
    const second = await wiki({ ...dataCenter, token: 'x1234567' }, 'taken')
    assert.equal(second.status, 409)
    assert.match(second.text, /taken/)
    assert.equal((await index(hosted, 'taken')).status, 200)
  })

  test('knows no id that does not exist or is malformed', async () => {
    for (const id of ['00000000-0000-4000-8000-000000000000', 'nonsense', '%00', "1'--"]) {
      for (const kind of ['sources', 'destinations', 'workflows', 'jobs']) {
        assert.equal((await api.get(`/${kind}/${id}`)).status, 404, `${kind}/${id}`)
      }
      assert.equal((await api.get(`/jobs/${id}/details`)).status, 404)
      assert.equal((await api.post(`/workflows/${id}/run`)).status, 404)
      assert.equal(
        (await api.post(`/destinations/${id}/search`, { query: 'x', as: { user: 'u' } })).status,
        404,
      )
    }
  })

  test('never answers 500 to what a user sent', async () => {
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
        const response = await fetch(api.base + path, {
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
    const unknown = await api.post<Refused>('/sources', { name: 'x', type: 'sharepoint', config: {} })
    refused(unknown, /type/)
    refused(await api.get<Refused>('/workflows?page=zero'), /page/)
    refused(await api.get<Refused>('/jobs?status=dancing'), /status/)
  })

  test('makes, lists, changes and deletes workflows', async () => {
    const source = (await wiki({ ...dataCenter, token: 'x1234567' })).body.id
    const destination = (await index({ ...hosted, index_name: 'workflows' })).body.id
    const made = await api.post<Workflow>('/workflows/', {
      name: 'carry',
      workflow_type: 'custom',
      source_id: source,
      destination_id: destination,
      schedule: 'daily',
    })
    assert.equal(made.status, 200, made.text)
    assert.deepEqual(
      made.body.workflow_nodes.map((node) => node.type),
      ['partition', 'chunk', 'embed'],
    )
    assert.deepEqual(made.body.schedule, { crontab_entries: [{ cron_expression: '0 0 * * *' }] })
    assert.deepEqual([made.body.sources, made.body.destinations], [[source], [destination]])

    const same = await api.post('/workflows/', {
      name: 'carry too',
      workflow_type: 'custom',
      source_id: source,
      destination_id: destination,
    })
    assert.equal(same.status, 409)
    assert.match(same.text, /carry/)
    const inUse = await api.delete(`/sources/${source}`)
    assert.equal(inUse.status, 409)
    assert.match(inUse.text, /carry/)

    // Nor can a second workflow get to the same target by the back door, through its destination.
    const elsewhere = (await index({ ...hosted, index_name: 'elsewhere' })).body.id
    const beside = await api.post<Workflow>('/workflows/', {
      name: 'beside',
      workflow_type: 'custom',
      source_id: source,
      destination_id: elsewhere,
    })
    assert.equal(beside.status, 200, beside.text)
    const back = await api.put(`/destinations/${elsewhere}`, {
      config: { ...hosted, index_name: 'workflows' },
    })
    assert.equal(back.status, 409)
    assert.equal((await api.delete(`/workflows/${beside.body.id}`)).status, 200)

    const off = await api.put<Workflow>(`/workflows/${made.body.id}`, { schedule: null, state: 'inactive' })
    assert.deepEqual([off.body.status, off.body.schedule.crontab_entries], ['inactive', []])
    assert.equal((await api.post(`/workflows/${made.body.id}/run`)).status, 409)
    assert.equal((await api.get<Workflow[]>('/workflows/?sort_by=id&name=arr')).body.length, 1)
    assert.equal((await api.delete(`/workflows/${made.body.id}`)).text, '{}')
    assert.equal((await api.get(`/workflows/${made.body.id}`)).status, 404)
    assert.equal((await api.delete(`/sources/${source}`)).status, 200)
  })

  test('refuses workflows that cannot work, each with its place', async () => {
    const make = (more: object) =>
      api.post<Refused>('/workflows', { name: `w ${Math.random()}`, workflow_type: 'custom', ...more })
    refused(await make({ source_id: '00000000-0000-4000-8000-000000000000' }), /source_id/)
    refused(await make({ schedule: 'whenever' }), /schedule/)
    refused(
      await make({ workflow_nodes: [{ name: 'E', type: 'embed', subtype: 'local' }] }),
      /workflow_nodes/,
    )
    refused(
      await make({
        workflow_nodes: [
          { name: 'P', type: 'partition', subtype: 'auto' },
          { name: 'C', type: 'chunk', subtype: 'chunk_by_title', settings: { max_charcters: 3 } },
        ],
      }),
      /max_charcters/,
    )
    refused(
      await make({
        workflow_nodes: [{ name: 'P', type: 'partition', subtype: 'vlm', settings: { is_dynamic: false } }],
      }),
      /workflow_nodes/,
    )
    refused(await make({ colour: 'green' }), /colour/)
  })

  test('describes itself: connector types, templates, OpenAPI, docs, health and metrics', async () => {
    const types = (
      await api.get<
        { type: string; kind: string; schema: { properties: Record<string, Record<string, unknown>> } }[]
      >('/connector-types')
    ).body
    assert.deepEqual(types.map((each) => `${each.kind} ${each.type}`).sort(), [
      'destination searchindex',
      'source wiki',
    ])
    assert.equal(types.find((each) => each.type === 'wiki')?.schema.properties.token?.['x-secret'], true)
    const templates = (await api.get<{ id: string }[]>('/templates/')).body.map((each) => each.id)
    assert.ok(templates.includes('hi_res_partition') && templates.includes('hi_res_and_enrichment'))
    const missing = await api.get('/templates/none')
    assert.equal(missing.status, 404)
    assert.match(missing.text, /Template none not found/)
    const openapi = (await (await fetch(`${millrace.url}/openapi.json`)).json()) as { paths: object }
    assert.ok(Object.keys(openapi.paths).some((path) => path.startsWith('/api/v1/workflows')))
    for (const path of ['/docs', '/healthz', '/readyz', '/metrics'])
      assert.equal((await fetch(millrace.url + path)).status, 200, path)
  })

  /** A body exactly as given. */
  const send = async (method: string, path: string, { body, type = 'application/json' }: Raw = {}) => {
    const response = await fetch(api.base + path, {
      method,
      headers: { authorization: `Bearer ${TEST_KEY}`, ...(type ? { 'content-type': type } : {}) },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    return { status: response.status, text, headers: response.headers, body: JSON.parse(text) as Refused }
  }
  const field = async (method: string, path: string, body: string) => {
    const answer = await send(method, path, { body })
    assert.equal(answer.status, 422, answer.text)
    return answer.body.detail[0]
  }

  test('takes an empty body for none, whatever its type is said to be', async () => {
    const { body } = await index({ ...hosted, hosts: ['http://127.0.0.1:9'], index_name: 'empty-bodies' })
    const path = `/destinations/${body.id}`
    assert.equal((await send('POST', `${path}/connection-check`, { body: '' })).status, 202)
    const made = await api.post<Workflow>('/workflows', { name: 'without a source' })
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

  test('names the place of characters that nothing can store', async () => {
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
    refused(await api.get<Refused>('/workflows?name=%00'), /query.name/)
    refused(await api.get<Refused>('/sources?source_type=a%00'), /query.source_type/)
    const missing = await api.get<{ detail: string; code: string }>('/sources/%00')
    assert.deepEqual([missing.status, missing.body.code], [404, 'not_found'])
  })

  test('knows no id that is too long for any', async () => {
    for (const id of ['a'.repeat(101), 'a'.repeat(2000), '%zz']) {
      const { status, body } = await api.get<{ code: string }>(`/sources/${id}`)
      assert.deepEqual([status, body.code], [404, 'not_found'], id)
    }
  })

  test('refuses a body of the wrong kind or with unknown names, in words and with the place', async () => {
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

    const told = async (body: string) => (await send('POST', '/sources', { body })).body.detail
    assert.deepEqual(await told('{"name":1}'), [
      { loc: ['body', 'name'], msg: 'name should be text', type: 'string_type' },
      { loc: ['body', 'type'], msg: 'type is missing', type: 'missing' },
      { loc: ['body', 'config'], msg: 'config is missing', type: 'missing' },
    ])
    const page = await api.get<Refused>('/workflows?page=zero&page_size=1000&sort_by=size&source_id=x')
    assert.deepEqual(
      page.body.detail.map(({ loc, msg, type }) => `${loc.join('.')}: ${msg} (${type})`).sort(),
      [
        'query.page: page should be a whole number (int_type)',
        'query.page_size: page_size should be at most 100 (less_than_equal)',
        'query.sort_by: sort_by should be one of id, name, created_at, updated_at (enum)',
        'query.source_id: source_id should be an id (value_error)',
      ],
    )
    assert.match((await api.get('/workflows?page=1.5')).text, /page should be a whole number.*int_type/)
  })

  test('refuses names that would reach into objects, and depth without end', async () => {
    const proto = await field('POST', '/sources', '{"name":"a","type":"wiki","config":{"__proto__":{"a":1}}}')
    assert.deepEqual(proto?.loc, ['body', 'config', '__proto__'])
    const built = await field('POST', '/sources', '{"constructor":{"prototype":{}}}')
    assert.deepEqual(built?.loc, ['body', 'constructor'])
    const deep = `{"name":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
    assert.match((await field('POST', '/sources', deep))?.msg ?? '', /deep/)
  })

  test('takes JSON and nothing else', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const answer = await send('POST', '/sources', { body: '{}', type })
      assert.equal(answer.status, 415, type)
      assert.match(answer.text, /application\/json.*unsupported_media_type/)
    }
  })

  test('stops a job that is asked to stop, and logs it once', async () => {
    const nowhere = { url: 'http://127.0.0.1:9', token: 'x1234567' }
    const made = await api.post<Workflow>('/workflows', {
      name: 'to be stopped',
      source_id: (await wiki(nowhere)).body.id,
      destination_id: (await index({ ...hosted, hosts: ['http://127.0.0.1:9'], index_name: 'nowhere' })).body
        .id,
    })
    const job = (await api.post<{ id: string }>(`/workflows/${made.body.id}/run`)).body.id
    for (const _ of [1, 2]) {
      assert.equal((await api.post<{ status: string }>(`/jobs/${job}/cancel`)).body.status, 'STOPPED')
    }
    const told = millrace.lines.filter((line) => line.includes('job stopped') && line.includes(job))
    assert.equal(told.length, 1)

    const disguised = Buffer.from('a\0').toString('base64url')
    refused(await api.get<Refused>(`/jobs/${job}/documents?cursor=${disguised}`), /query/)
  })

  test('says which methods a path takes', async () => {
    const { status, headers } = await send('PATCH', '/sources/')
    assert.equal(status, 405)
    assert.equal(headers.get('allow'), 'GET, HEAD, POST')
    assert.equal((await send('POST', '/sources/abc')).headers.get('allow'), 'DELETE, GET, HEAD, PUT')
    assert.equal((await send('GET', '/sauces')).status, 404)
  })

  test('describes every operation with a name, its errors and the keys it takes', async () => {
    type Operation = { operationId: string; security?: object[]; responses: Record<string, unknown> }
    const described = (await (await fetch(`${millrace.url}/openapi.json`)).json()) as {
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
        if (!path.startsWith('/api/')) assert.deepEqual(security, [], path)
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

  test('shows its documentation over plain http', async () => {
    for (const path of ['/docs', '/docs/static/index.html', '/healthz']) {
      const { headers, status } = await fetch(millrace.url + path)
      assert.equal(status, 200, path)
      assert.doesNotMatch(headers.get('content-security-policy') ?? '', /upgrade-insecure-requests/, path)
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'self'/, path)
    }
  })

  test('stops answering an address that keeps sending unknown keys, but not the good ones from there', async () => {
    const database = await freshDatabase()
    const other = await startMillrace({ databaseUrl: database.url })
    try {
      const good = apiOf(other.url ?? '')
      const bad = apiOf(other.url ?? '', 'an-unknown-key-0123456789-0123456789')
      assert.equal((await good.get('/sources')).status, 200)
      for (let index = 0; index < 60; index++) assert.equal((await bad.get('/sources')).status, 401)
      const limited = await bad.get<{ code: string }>('/sources')
      assert.deepEqual([limited.status, limited.body.code], [429, 'rate_limited'])
      const seconds = Number(limited.headers.get('retry-after'))
      assert.ok(seconds > 0 && seconds <= 60)
      assert.equal((await good.get('/sources')).status, 200)
    } finally {
      await other.end('SIGTERM')
      await database.drop()
    }
  })

  test('limits how often a key may call, and says when again', async () => {
    const database = await freshDatabase()
    const strict = await startMillrace({ databaseUrl: database.url, env: { MILLRACE_RATE_LIMIT: '5' } })
    try {
      const calls = []
      for (let index = 0; index < 8; index++) calls.push(await apiOf(strict.url ?? '').get('/sources'))
      assert.deepEqual(
        calls.map((call) => call.status),
        [200, 200, 200, 200, 200, 429, 429, 429],
      )
      assert.ok(Number(calls.at(-1)?.headers.get('retry-after')) > 0)
    } finally {
      await strict.end('SIGTERM')
      await database.drop()
    }
  })
})

type Raw = { body?: string; type?: string }
type Connector = { id: string; name: string; type: string; config: Record<string, unknown> }
type Workflow = {
  id: string
  status: string
  sources: string[]
  destinations: string[]
  workflow_nodes: { type: string }[]
  schedule: { crontab_entries: { cron_expression: string }[] }
}

function refused({ status, body, text }: Answer<Refused>, field: RegExp): void {
  assert.equal(status, 422, text)
  assert.ok(Array.isArray(body.detail), text)
  assert.ok(
    body.detail.some((each) => field.test(each.loc.join('.'))),
    `${text} names ${field}`,
  )
  for (const each of body.detail) assert.ok(each.msg && each.type, text)
}
