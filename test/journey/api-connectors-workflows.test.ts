import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertFieldRefused, type Refusal } from '../world/answers.ts'
import {
  type Connector,
  cloud,
  dataCenter,
  hosted,
  openApiService,
  type Workflow,
} from '../world/api-service.ts'

/** Which connectors and workflows the API accepts. */
describe('connectors and workflows of the API', () => {
  const service = openApiService()
  const { wiki, index } = service

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
    test(`it accepts a wiki with ${mode} and masks the secret`, async () => {
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
    'http without permission': [{ url: 'http://wiki.acme.example', token: 'x' }, /url/],
    'an address that is plainly inside': [{ url: 'https://10.0.0.7', token: 'x' }, /url/],
    'a loopback address in disguise': [{ url: 'https://0x7f.1', token: 'x' }, /url/],
    'credentials in the address': [{ url: 'https://a:b@wiki.acme.example', token: 'x' }, /url/],
    'another protocol': [{ url: 'ftp://wiki.acme.example', token: 'x' }, /url/],
  } as Record<string, [object, RegExp]>)) {
    test(`it refuses a wiki with ${what} and names the field`, async () =>
      assertFieldRefused(await wiki(config), field))
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
    test(`it refuses an index with ${what} and names the field`, async () =>
      assertFieldRefused(await index(config), field))
  }

  test('it refuses self-managed clusters and names the command line', async () => {
    assert.match((await index({ ...hosted, hosts: ['https://search.acme.example'] })).text, /millrace-ingest/)
  })

  test('it accepts a host that the operator allows', async () => {
    assert.equal((await index({ ...hosted, hosts: ['http://search.inside.example:9200'] })).status, 200)
    assert.equal((await wiki({ url: 'http://wiki.inside.example', token: 'x1234567' })).status, 200)
  })

  test('it suggests the nearest known name for an unknown field', async () => {
    assert.match((await wiki({ ...dataCenter, token: 'x', max_num_of_space: 3 })).text, /max_num_of_spaces/)
  })

  test('it finds a connector by either name of its type', async () => {
    const made = await service.api.post<Connector>('/destinations', {
      name: 'by their names',
      type: 'elasticsearch',
      config: { hosts: hosted.hosts, index_name: 'theirs', es_api_key: btoa('id:key') },
    })
    assert.equal(made.status, 200, made.text)
    assert.equal(made.body.type, 'elasticsearch')
    assert.equal(made.body.config.es_api_key, '**********')
    for (const type of ['elasticsearch', 'searchindex']) {
      const found = await service.api.get<Connector[]>(`/destinations/?destination_type=${type}`)
      assert.ok(
        found.body.some((each) => each.id === made.body.id),
        type,
      )
    }
    assert.equal((await service.api.get<Connector[]>('/destinations/?destination_type=other')).body.length, 0)
  })

  test('it keeps a secret that an update masks or omits, but not for another host', async () => {
    const { body } = await wiki({ ...dataCenter, token: 'kept-secret-1' })
    const path = `/sources/${body.id}`
    assert.equal(
      (await service.api.put(path, { config: { ...dataCenter, token: '**********', max_num_of_spaces: 3 } }))
        .status,
      200,
    )
    assert.equal(
      (await service.api.put(path, { config: { ...dataCenter, max_num_of_spaces: 4 } })).status,
      200,
    )
    const moved = await service.api.put<Refusal>(path, {
      config: { url: 'https://other.example', token: '**********' },
    })
    assertFieldRefused(moved, /token/)
    assert.equal((await service.api.get<Connector>(path)).body.config.max_num_of_spaces, 4)
  })

  test('it refuses a duplicate name per kind', async () => {
    assert.equal((await wiki({ ...dataCenter, token: 'x1234567' }, 'taken')).status, 200)
    const second = await wiki({ ...dataCenter, token: 'x1234567' }, 'taken')
    assert.equal(second.status, 409)
    assert.match(second.text, /taken/)
    assert.equal((await index(hosted, 'taken')).status, 200)
  })

  test('it creates, lists, changes and deletes workflows', async () => {
    const source = (await wiki({ ...dataCenter, token: 'x1234567' })).body.id
    const destination = (await index({ ...hosted, index_name: 'workflows' })).body.id
    const made = await service.api.post<Workflow>('/workflows/', {
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

    const same = await service.api.post('/workflows/', {
      name: 'carry too',
      workflow_type: 'custom',
      source_id: source,
      destination_id: destination,
    })
    assert.equal(same.status, 409)
    assert.match(same.text, /carry/)
    for (const wrong of [{ schedule: 'whenever' }, { workflow_nodes: [{ type: 'nothing' }] }]) {
      const ids = { source_id: source, destination_id: destination }
      const unfit = await service.api.post('/workflows/', {
        name: 'unfit',
        workflow_type: 'custom',
        ...ids,
        ...wrong,
      })
      assert.equal(unfit.status, 422, unfit.text)
    }
    const inUse = await service.api.delete(`/sources/${source}`)
    assert.equal(inUse.status, 409)
    assert.match(inUse.text, /carry/)

    // A second workflow cannot reach the same target through its destination either.
    const elsewhere = (await index({ ...hosted, index_name: 'elsewhere' })).body.id
    const other = await service.api.post<Workflow>('/workflows/', {
      name: 'other',
      workflow_type: 'custom',
      source_id: source,
      destination_id: elsewhere,
    })
    assert.equal(other.status, 200, other.text)
    const moved = await service.api.put(`/workflows/${other.body.id}`, {
      destination_id: destination,
      schedule: 'whenever',
    })
    assert.equal(moved.status, 422, moved.text)
    const back = await service.api.put(`/destinations/${elsewhere}`, {
      config: { ...hosted, index_name: 'workflows' },
    })
    assert.equal(back.status, 409)
    assert.equal((await service.api.delete(`/workflows/${other.body.id}`)).status, 200)

    const off = await service.api.put<Workflow>(`/workflows/${made.body.id}`, {
      schedule: null,
      state: 'inactive',
    })
    assert.deepEqual([off.body.status, off.body.schedule.crontab_entries], ['inactive', []])
    assert.equal((await service.api.post(`/workflows/${made.body.id}/run`)).status, 409)
    assert.equal((await service.api.get<Workflow[]>('/workflows/?sort_by=id&name=arr')).body.length, 1)
    assert.equal((await service.api.delete(`/workflows/${made.body.id}`)).text, '{}')
    assert.equal((await service.api.get(`/workflows/${made.body.id}`)).status, 404)
    assert.equal((await service.api.delete(`/sources/${source}`)).status, 200)
  })

  test('it refuses invalid workflows and names the field', async () => {
    const make = (more: object) =>
      service.api.post<Refusal>('/workflows', {
        name: `w ${Math.random()}`,
        workflow_type: 'custom',
        ...more,
      })
    assertFieldRefused(await make({ source_id: '00000000-0000-4000-8000-000000000000' }), /source_id/)
    assertFieldRefused(await make({ schedule: 'whenever' }), /schedule/)
    assertFieldRefused(await make({ schedule: 'constructor' }), /schedule/)
    assertFieldRefused(
      await make({ workflow_nodes: [{ name: 'E', type: 'embed', subtype: 'local' }] }),
      /workflow_nodes/,
    )
    assertFieldRefused(
      await make({
        workflow_nodes: [
          { name: 'P', type: 'partition', subtype: 'auto' },
          { name: 'C', type: 'chunk', subtype: 'chunk_by_title', settings: { max_charcters: 3 } },
        ],
      }),
      /max_charcters/,
    )
    assertFieldRefused(
      await make({
        workflow_nodes: [{ name: 'P', type: 'partition', subtype: 'vlm', settings: { is_dynamic: false } }],
      }),
      /workflow_nodes/,
    )
    assertFieldRefused(await make({ colour: 'green' }), /colour/)
  })
})
