import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { App } from '../../src/api/http/context.ts'
import { unstartedServer } from '../../src/api/http/unstarted-server.ts'
import { okBody } from '../world/answers.ts'
import { apiOf } from '../world/api.ts'
import { cloud, hosted } from '../world/api-service.ts'
import { firstAdministrator, joinWorkspace, type PageClient } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'

type Route = App['declarations'][number]
/** Ids of one workspace, by the segment in front of the parameter. */
type Ids = Record<string, string>

/** Parameters of things that belong to no workspace. */
const GLOBAL = ['templates']

const WEBHOOK = { channel_type: 'webhook', event_types: ['job.completed'], url: 'https://hooks.acme.example' }

/** Valid bodies, where an empty one is refused before the id is looked up. */
const bodies: [path: RegExp, body: unknown][] = [
  [/^PUT \/(sources|destinations|workflows)\/:id$/, { name: 'renamed' }],
  [/^POST \/destinations\/:id\/(search|native-query)$/, { query: 'mill', as: { user: 'ann' } }],
  [/^POST \/destinations\/:id\/names$/, { users: ['ann'] }],
  [/^POST \/destinations\/:id\/compare$/, { query: 'mill', people: [{ user: 'ann' }] }],
  [/^POST \/destinations\/:id\/explain$/, { record_id: 'a/1', as: { user: 'ann' } }],
  [/^PATCH .*\/channels\/:channel_id$/, { description: 'renamed' }],
  [/^POST .*\/channels\/:channel_id\/verify$/, { code: '123456' }],
  [/^POST \/workflows\/:workflow_id\/notifications\/channels$/, WEBHOOK],
  [/^PATCH \/keys\/:id$/, { enabled: false }],
  [/^PUT \/workspaces\/:workspace_id\/members\/:user_id$/, { role: 'viewer' }],
  [/^PATCH \/workspaces\/:workspace_id$/, { name: 'renamed' }],
  [/^POST \/workspaces\/:workspace_id\/invitations$/, { email: 'eve@acme.example', role: 'viewer' }],
]
const queries: [path: RegExp, query: string][] = [
  [/^(GET|HEAD) \/jobs\/:id\/differences$/, '?to=00000000-0000-4000-8000-000000000000'],
  [/^(GET|HEAD) \/jobs\/:id\/download$/, '?file_id=00000000-0000-4000-8000-000000000000'],
  [/^(GET|HEAD) .*\/channels$/, '?channel_type=webhook'],
  [/^(GET|HEAD) \/workflows\/:id\/documents$/, '?record_id=a/1'],
  [/^(GET|HEAD) \/destinations\/:id\/tokens$/, '?user=ann'],
  [/^(GET|HEAD) \/destinations\/:id\/readers$/, '?record_id=a/1'],
]

describe('every route with an id', () => {
  let millrace: Millrace
  let drop: () => Promise<void>
  let routes: Route[]
  let own: Ids
  let theirs: Ids
  let ada: PageClient
  let person: PageClient
  let key: string

  before(async () => {
    const app = await unstartedServer()
    routes = app.declarations.filter(({ url, allows }) => url.includes(':') && allows !== 'anyone')
    await app.close()
    const database = await migratedDatabase()
    drop = database.drop
    // Without a worker, jobs stay scheduled.
    millrace = await startMillrace({ databaseUrl: database.url, role: 'api' })
    const { ada: first, workspace } = await firstAdministrator(millrace)
    ada = first
    const other = await ada.post<{ id: string }>('/workspaces', { name: 'Other' })
    const url = millrace.url ?? ''
    own = await fill(ada, url, workspace)
    theirs = await fill(ada, url, other.body.id)
    ada.workspace = workspace
    const role = 'administrator'
    person = await joinWorkspace(ada, url, { email: 'own@acme.example', role, workspace })
    const made = await person.post<{ key: string }>('/keys', { name: 'walk' })
    key = made.body.key
  })
  after(async () => {
    await millrace.end('SIGTERM')
    await drop()
  })

  /** One of everything, through the public API. */
  async function fill(by: PageClient, url: string, workspace: string): Promise<Ids> {
    by.workspace = workspace
    const idOf = async (path: string, body: unknown) => {
      const { status, text, body: created } = await by.post<{ id: string }>(path, body)
      assert.ok(status < 300, `${path}: ${text}`)
      return created.id
    }
    const config = { ...cloud, username: 'ann@acme.example', token: 'token' }
    const source = await idOf('/sources', { name: 'wiki', type: 'wiki', config })
    const destination = await idOf('/destinations', { name: 'index', type: 'searchindex', config: hosted })
    const made = await by.post<{ id: string; key: string }>('/keys', { name: 'key' })
    const email = `${workspace}@acme.example`
    const member = await joinWorkspace(by, url, { email, role: 'viewer', workspace })
    const session = okBody(await member.get<{ user: { id: string } }>('/session'))
    const channel = await idOf('/notifications/channels', WEBHOOK)
    const jobs = await startJob(url, made.body.key)
    return {
      sources: source,
      destinations: destination,
      workflows: await idOf('/workflows', { name: 'flow', source_id: source, destination_id: destination }),
      jobs,
      verify: await startJob(url, made.body.key),
      keys: made.body.id,
      'personal-tokens': await idOf('/personal-tokens', { name: 'token' }),
      invitations: await idOf(`/workspaces/${workspace}/invitations`, { email: `x${email}`, role: 'viewer' }),
      members: session.user.id,
      workspaces: workspace,
      generations: `generation-of-${workspace}`,
      documents: `${workspace}/1`,
      channels: channel,
      notifications: await firstNotification(by),
      deliveries: await idOf(`/notifications/channels/${channel}/test`, undefined),
      identities: await importIdentity(by, source),
    }
  }

  /** The job that was scheduled. */
  async function firstNotification(by: PageClient): Promise<string> {
    const { events } = okBody(await by.get<{ events: { id: string }[] }>('/notifications'))
    assert.ok(events[0])
    return events[0].id
  }

  async function importIdentity(by: PageClient, source: string): Promise<string> {
    const identities = [{ email: 'ann@acme.example', account: 'ann' }]
    okBody(await by.put('/identities', { source_id: source, identities }))
    const { items } = okBody(await by.get<{ items: { id: string }[] }>(`/identities?source_id=${source}`))
    assert.ok(items[0])
    return items[0].id
  }

  async function startJob(url: string, key: string): Promise<string> {
    const form = new FormData()
    form.append('request_data', JSON.stringify({ template_id: 'hi_res_partition' }))
    form.append('input_files', new Blob(['text']), 'a.txt')
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${apiOf(url).base}/jobs`, { method: 'POST', headers, body: form })
    return ((await response.json()) as { id: string }).id
  }

  /** The addresses of a route in which one id belongs to the other workspace. */
  function foreignAddresses({ url }: Route): string[] {
    const path = url.replace(/^\/api\/v1/, '')
    const segments = path.split('/')
    const nounAt = (at: number) => segments[at - 1] ?? ''
    const parameters = segments.flatMap((segment, at) =>
      segment.startsWith(':') && !GLOBAL.includes(nounAt(at)) ? [at] : [],
    )
    return parameters.map((foreign) =>
      segments
        .map((segment, at) => {
          if (!segment.startsWith(':') || GLOBAL.includes(nounAt(at))) return segment
          const id = (at === foreign ? theirs : own)[nounAt(at)]
          assert.ok(id, `${path}: add the parameter after "${nounAt(at)}" to this walk`)
          return encodeURIComponent(id)
        })
        .join('/'),
    )
  }

  const named = ({ method, url }: Route) => `${method} ${url.replace(/^\/api\/v1/, '')}`
  const valueFor = <Value>(route: Route, table: [RegExp, Value][]) =>
    table.find(([path]) => path.test(named(route)))?.[1]

  test('it answers 404 to a person for an id of another workspace', async () => {
    assert.ok(routes.length > 40, String(routes.length))
    for (const route of routes)
      for (const address of foreignAddresses(route)) {
        const body = ['GET', 'HEAD', 'DELETE'].includes(route.method) ? undefined : valueFor(route, bodies)
        const query = valueFor(route, queries) ?? ''
        const { status, text } = await person.call(route.method, address + query, { body })
        assert.equal(status, 404, `${named(route)} at ${address}: ${text}`)
      }
  })

  test('it answers 404 to a key for an id of another workspace', async () => {
    for (const route of routes.filter(({ keys }) => keys))
      for (const address of foreignAddresses(route)) {
        const body = ['GET', 'HEAD', 'DELETE'].includes(route.method) ? undefined : valueFor(route, bodies)
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const query = valueFor(route, queries) ?? ''
        const response = await fetch(`${apiOf(millrace.url ?? '').base}${address}${query}`, {
          ...{ method: route.method, headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        assert.equal(response.status, 404, `${named(route)} at ${address}: ${await response.text()}`)
      }
  })

  test('it leaves the other workspace as it was', async () => {
    ada.workspace = theirs.workspaces ?? ''
    const names: unknown[] = []
    for (const noun of ['sources', 'destinations', 'workflows'])
      names.push(okBody(await ada.get<{ name: string }>(`/${noun}/${theirs[noun]}`)).name)
    assert.deepEqual(names, ['wiki', 'index', 'flow'])
    const jobs = okBody(await ada.get<{ status: string }[]>('/jobs'))
    assert.deepEqual([...new Set(jobs.map(({ status }) => status))], ['SCHEDULED'])
    const keys = okBody(await ada.get<{ id: string; enabled: boolean }[]>('/keys'))
    assert.equal(keys.find(({ id }) => id === theirs.keys)?.enabled, true)
  })
})
