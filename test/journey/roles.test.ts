import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { isAtLeast, ROLES, type Role } from '../../src/accounts/roles.ts'
import type { App, RouteDeclaration } from '../../src/api/http/context.ts'
import { unstartedServer } from '../../src/api/http/unstarted-server.ts'
import { firstAdministrator, joinWorkspace, type PageClient } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../world/service.ts'

type Route = App['declarations'][number]

/** The access contract; a route that is missing here or declares something else fails. */
const promised: [path: RegExp, methods: string, declaration: RouteDeclaration][] = [
  [
    /^\/(setup|invitations\/:token(\/accept)?|password-resets\/:token)$/,
    '*',
    { allows: 'anyone', keys: false },
  ],
  [
    /^\/(session|account|account\/email|workspaces|organisation\/leave)$/,
    '*',
    { allows: 'person', keys: false },
  ],
  [/^\/workspaces\/:workspace_id\/leave$/, 'POST', { allows: 'reader', keys: false }],
  [/^\/workspaces\/:workspace_id(\/|$)/, '*', { allows: 'administrator', keys: false }],
  [/^\/identities\/(own|link)$/, '*', { allows: 'reader', keys: false }],
  [/^\/(identity|identities)([/.]|$)/, '*', { allows: 'administrator', keys: false }],
  [/^\/audit(\/actors)?$/, '*', { allows: 'administrator', keys: false }],
  [/^\/keys(\/|$)/, '*', { allows: 'developer', keys: false }],
  [/^(\/workflows\/:workflow_id)?\/notifications\/channels(\/|$)/, '*', { allows: 'developer', keys: true }],
  [/^\/notifications(\/|$)/, '*', { allows: 'viewer', keys: true }],
  [/^\/personal-tokens(\/|$)/, '*', { allows: 'reader', keys: false }],
  [/^\/search\/destinations$/, 'GET HEAD', { allows: 'reader', keys: true }],
  [/^\/mcp$/, 'POST', { allows: 'reader', keys: 'search' }],
  [/^\/destinations\/:id\/search$/, 'POST', { allows: 'reader', keys: 'search' }],
  [/^\/destinations\/:id\/documents\/\*$/, 'GET HEAD', { allows: 'reader', keys: 'search' }],
  [/^\/destinations\/:id\/compare$/, 'POST', { allows: 'reader', keys: true }],
  [/^\/destinations\/:id\/native-query$/, 'POST', { allows: 'viewer', keys: true }],
  [/^\/destinations\/:id\/explain$/, 'POST', { allows: 'reader', keys: true }],
  [/^\/destinations\/:id\/tokens$/, 'GET HEAD', { allows: 'administrator', keys: 'search' }],
  [/^\/destinations\/:id\/readers$/, 'GET HEAD', { allows: 'administrator', keys: true }],
  [/^\/destinations\/:id\/people$/, 'GET HEAD', { allows: 'administrator', keys: true }],
  [/^\/documents\/locate$/, 'GET HEAD', { allows: 'person', keys: true }],
  [/^\/documents\/(content|page|changes)$/, 'GET HEAD', { allows: 'developer', keys: true }],
  [/^\/documents(\/|$)/, 'GET HEAD', { allows: 'viewer', keys: true }],
  [/^\/destinations\/:id\/create-index$/, 'GET HEAD', { allows: 'developer', keys: true }],
  [/^\/workflows\/:id\/preview$/, 'POST', { allows: 'developer', keys: true }],
  [/^\/(sources|destinations)(\/|$)/, 'POST PUT DELETE', { allows: 'developer', keys: true }],
  [
    /^\/(elements|samples|samples\/try|sandbox|general\/v0\/general)$/,
    'POST',
    { allows: 'developer', keys: true },
  ],
  [/^\/(workflows|jobs)(\/|$)/, 'POST PUT DELETE', { allows: 'operator', keys: true }],
  [
    /^\/(sources|destinations|workflows|jobs|templates|connector-types|models|overview|activity|samples|sandbox|schedules)(\/|$)/,
    'GET HEAD',
    { allows: 'viewer', keys: true },
  ],
]

describe('every route', () => {
  let millrace: Millrace
  let drop: () => Promise<void>
  let declared: Route[]
  let routes: Route[]
  let workspace: string
  const people = new Map<Role, PageClient>()
  let stranger: PageClient

  before(async () => {
    const app = await unstartedServer()
    declared = app.declarations
    // It also needs a person and takes no session; see mcp-access.test.ts.
    routes = declared.filter(({ url }) => url !== '/mcp')
    await app.close()

    const database = await migratedDatabase()
    drop = database.drop
    millrace = await startMillrace({ databaseUrl: database.url })
    const { ada, workspace: first } = await firstAdministrator(millrace)
    workspace = first
    people.set('administrator', ada)
    for (const role of ROLES.filter((each) => each !== 'administrator'))
      people.set(
        role,
        await joinWorkspace(ada, millrace.url ?? '', { email: `${role}@acme.example`, role, workspace }),
      )
    const other = await ada.post<{ id: string }>('/workspaces', { name: 'Other' })
    const email = 'stranger@acme.example'
    stranger = await joinWorkspace(ada, millrace.url ?? '', {
      email,
      role: 'administrator',
      workspace: other.body.id,
    })
    stranger.workspace = workspace
  })
  after(async () => {
    await millrace.end('SIGTERM')
    await drop()
  })

  /** Unknown ids and invalid bodies, so that an admitted caller changes nothing. */
  const path = ({ url }: Route) =>
    url.replace(':workspace_id', workspace).replaceAll(/:\w+/g, () => randomUUID())
  const body = ({ method }: Route) =>
    ['GET', 'HEAD', 'DELETE'].includes(method) ? {} : { body: { nonsense: 1 } }
  const called = (route: Route, by: PageClient) =>
    by.call<{ code?: string }>(route.method, path(route), body(route))
  const withHeaders = async (route: Route, headers: Record<string, string>) => {
    const sent = body(route).body
    return fetch((millrace.url ?? '') + path(route), {
      method: route.method,
      headers: { ...headers, ...(sent ? { 'content-type': 'application/json' } : {}) },
      ...(sent ? { body: JSON.stringify(sent) } : {}),
    })
  }
  const named = ({ method, url }: Route) => `${method} ${url}`
  const assertAdmitted = (status: number, what: string) =>
    assert.ok(status !== 401 && status !== 403 && status < 500, `${what}: ${status}`)

  test('it declares what the contract promises', () => {
    assert.ok(declared.length > 60, String(declared.length))
    for (const route of declared) {
      const at = route.url.replace(/^\/api\/v1/, '')
      const line = promised.find(
        ([url, methods]) => url.test(at) && (methods === '*' || methods.split(' ').includes(route.method)),
      )
      assert.ok(line, `${named(route)} is missing in the contract`)
      assert.deepEqual({ allows: route.allows, keys: route.keys }, line[2], named(route))
    }
  })

  test('it refuses missing and wrong credentials', async () => {
    for (const route of routes) {
      const statuses = [
        (await withHeaders(route, {})).status,
        (await withHeaders(route, { cookie: 'millrace.session_token=forged.AAAA' })).status,
      ]
      if (route.allows === 'anyone') for (const status of statuses) assertAdmitted(status, named(route))
      else assert.deepEqual(statuses, [401, 401], named(route))
    }
  })

  test('it accepts a key exactly where it declares so', async () => {
    for (const route of routes) {
      const { status } = await withHeaders(route, { authorization: `Bearer ${TEST_KEY}` })
      if (route.keys || route.allows === 'anyone') assertAdmitted(status, named(route))
      else assert.equal(status, 403, named(route))
    }
  })

  test('it accepts a search key and a personal token only where it declares so', async () => {
    const administrator = people.get('administrator')!
    const key = await administrator.post<{ key: string }>('/keys', {
      ...{ name: 'assistant', scope: 'search', may_impersonate: true },
    })
    const token = await people.get('reader')!.post<{ token: string }>('/personal-tokens', { name: 'mine' })
    for (const route of routes)
      for (const value of [key.body.key, token.body.token]) {
        const answer = await withHeaders(route, { authorization: `Bearer ${value}` })
        if (route.allows === 'anyone' || (route.keys === 'search' && value === key.body.key))
          assertAdmitted(answer.status, named(route))
        else if (route.keys !== 'search') {
          assert.equal(answer.status, 403, named(route))
          const code = route.keys ? 'key_scope' : 'forbidden'
          if (route.method !== 'HEAD') assert.match(await answer.text(), new RegExp(`"code":"${code}"`))
        }
      }
  })

  for (const role of ROLES) {
    test(`it lets a ${role} do exactly what the role may`, async () => {
      const person = people.get(role)!
      for (const route of routes) {
        const { status, body: answer } = await called(route, person)
        const { allows } = route
        if (allows === 'anyone' || allows === 'person' || isAtLeast(role, allows))
          assertAdmitted(status, named(route))
        else {
          assert.equal(status, 403, named(route))
          if (route.method !== 'HEAD') assert.equal(answer.code, 'forbidden', named(route))
        }
      }
    })
  }

  test('it shows a workspace only to its members', async () => {
    for (const route of routes) {
      const { status } = await called(route, stranger)
      if (route.allows === 'anyone' || route.allows === 'person') assertAdmitted(status, named(route))
      else assert.equal(status, 404, named(route))
    }
  })

  test('it changes nothing for a session without our header', async () => {
    const administrator = people.get('administrator')!
    for (const route of routes.filter(
      ({ method, allows }) => !/GET|HEAD/.test(method) && allows !== 'anyone',
    )) {
      const headers = { 'x-requested-with': null, 'x-workspace': null }
      const { status } = await administrator.call(route.method, path(route), { ...body(route), headers })
      assert.equal(status, 403, named(route))
    }
  })
})
