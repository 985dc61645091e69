import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { apiOf } from '../world/api.ts'
import { until } from '../world/flow.ts'
import {
  firstAdministrator,
  joinWorkspace,
  openPageClient,
  PASSWORD,
  type PageClient,
  type Session,
  waitForSetupToken,
} from '../world/person.ts'
import { freshDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../world/service.ts'

type Problem = { detail: string; code: string }
type Key = { id: string; name: string; key: string; enabled: boolean; last_four: string }
type AuditPage = {
  items: { actor: string; actor_name: string | null; action: string; subject: string }[]
  next: string | null
}

const STRANGER = '00000000-0000-4000-8000-000000000000'

describe('the first start', () => {
  let millrace: Millrace
  let drop: () => Promise<void>
  before(async () => {
    const database = await freshDatabase()
    drop = database.drop
    millrace = await startMillrace({ databaseUrl: database.url })
  })
  after(async () => {
    await millrace.end('SIGTERM')
    await drop()
  })
  const setupBody = (token: string, more: object = {}) => ({
    token,
    email: 'ada@acme.example',
    name: 'Ada',
    password: PASSWORD,
    tier: 'personal',
    ...more,
  })

  test('it prints a setup link that works once', async () => {
    const ada = openPageClient(millrace.url ?? '')
    const token = await waitForSetupToken(millrace)
    assert.match(token, /^[\w-]{43}$/)
    assert.deepEqual((await ada.get('/setup')).body, { needed: true, oidc: false })
    assert.equal((await ada.get('/session')).status, 401)

    const wrong = await ada.post<Problem>('/setup', setupBody('x'.repeat(43)))
    assert.deepEqual([wrong.status, wrong.body.code], [404, 'not_found'])
    for (const more of [
      { password: 'eleven char' },
      { email: 'ada' },
      { tier: 'free' },
      { tier: 'business' },
    ])
      assert.equal((await ada.post('/setup', setupBody(token, more))).status, 422, JSON.stringify(more))

    const made = await ada.post<Session>('/setup', setupBody(token, { email: 'Ada@Acme.example' }))
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(made.body.user.email, 'ada@acme.example')
    assert.deepEqual([made.body.tier, made.body.organisation], ['personal', null])
    assert.deepEqual(
      made.body.workspaces.map(({ role }) => role),
      ['administrator'],
    )
    assert.deepEqual((await ada.get<Session>('/session')).body, made.body)

    const again = await openPageClient(millrace.url ?? '').post<Problem>('/setup', setupBody(token))
    assert.deepEqual([again.status, again.body], [404, wrong.body])
    assert.deepEqual((await ada.get('/setup')).body, { needed: false, oidc: false })
  })

  test('it gives the first person the workspace of the set-up key', async () => {
    const api = apiOf(millrace.url ?? '')
    const source = {
      name: 'old',
      type: 'wiki',
      config: { url: 'https://wiki.acme.example', token: 'some-token' },
    }
    assert.equal((await api.post('/sources', source)).status, 200)
    const ada = openPageClient(millrace.url ?? '')
    await ada.signIn('ada@acme.example', PASSWORD)
    ada.workspace = (await ada.get<Session>('/session')).body.workspaces[0]?.id ?? ''
    assert.deepEqual(
      (await ada.get<{ name: string }[]>('/sources')).body.map(({ name }) => name),
      ['old'],
    )
  })

  test('it limits a personal account to one workspace and one member', async () => {
    const ada = openPageClient(millrace.url ?? '')
    await ada.signIn('ada@acme.example', PASSWORD)
    const { body: session } = await ada.get<Session>('/session')
    const workspace = session.workspaces[0]?.id ?? ''
    assert.equal((await ada.post('/workspaces', { name: 'Second' })).status, 409)
    const inviting = { email: 'bob@acme.example', role: 'viewer' }
    assert.equal((await ada.post(`/workspaces/${workspace}/invitations`, inviting)).status, 409)

    assert.equal((await ada.post('/account', { tier: 'personal', organisation: 'Acme' })).status, 422)
    const business = await ada.post<Session>('/account', { tier: 'business', organisation: 'Acme' })
    assert.equal(business.status, 200, business.text)
    assert.deepEqual([business.body.tier, business.body.organisation?.name], ['business', 'Acme'])
    assert.equal((await ada.post('/account', { tier: 'business', organisation: 'Acme' })).status, 409)
    assert.equal((await ada.post('/workspaces', { name: 'Second' })).status, 201)
    assert.equal((await ada.post(`/workspaces/${workspace}/invitations`, inviting)).status, 201)
  })
})

test('it creates the first account from the environment once and prints no link', async () => {
  const database = await freshDatabase()
  const setup = { MILLRACE_SETUP_EMAIL: 'Op@acme.example', MILLRACE_SETUP_PASSWORD: PASSWORD }
  const first = await startMillrace({ databaseUrl: database.url, env: setup })
  try {
    const operator = openPageClient(first.url ?? '')
    assert.equal((await operator.signIn('op@acme.example', PASSWORD)).status, 200)
    assert.equal((await operator.get<Session>('/session')).body.tier, 'personal')
    await first.end('SIGTERM')

    const env = { ...setup, MILLRACE_SETUP_PASSWORD: 'another password altogether' }
    const second = await startMillrace({ databaseUrl: database.url, env })
    assert.equal((await openPageClient(second.url ?? '').signIn('op@acme.example', PASSWORD)).status, 200)
    await second.end('SIGTERM')
    assert.equal(second.lines.filter((line) => line.includes('setup')).length, 0)
  } finally {
    await database.drop()
  }
})

describe('people of a business account', () => {
  let millrace: Millrace
  let ada: PageClient
  let workspace: string
  let drop: () => Promise<void>
  let database: { url: string }
  const url = () => millrace.url ?? ''
  before(async () => {
    const fresh = await freshDatabase()
    database = fresh
    drop = fresh.drop
    millrace = await startMillrace({ databaseUrl: fresh.url, allowedHosts: ['127.0.0.1:9'] })
    const first = await firstAdministrator(millrace)
    ada = first.ada
    workspace = first.workspace
  })
  after(async () => {
    await millrace.end('SIGTERM')
    await drop()
  })
  const query = async <T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> => {
    const client = new pg.Client(database.url)
    await client.connect()
    try {
      return (await client.query<T>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  test('it answers unknown addresses and wrong passwords alike and equally fast', async () => {
    const visitor = openPageClient(url())
    const timed = async (email: string) => {
      const began = performance.now()
      const { status, text } = await visitor.signIn(email, 'a password that is wrong')
      assert.equal(status, 401)
      return { text, ms: performance.now() - began }
    }
    const known = []
    const unknown = []
    for (let round = 0; round < 5; round++) {
      known.push(await timed('ada@acme.example'))
      unknown.push(await timed(`nobody-${round}@acme.example`))
    }
    assert.equal(new Set([...known, ...unknown].map(({ text }) => text)).size, 1)
    // Other work on the machine only adds time.
    const least = (all: { ms: number }[]) => Math.min(...all.map(({ ms }) => ms))
    // Hashing takes about 60 ms; a response without it takes 5.
    assert.ok(least(unknown) > least(known) / 3, `${least(unknown)} and ${least(known)} ms`)
  })

  test('it limits wrong passwords per e-mail address and says for how long', async () => {
    await joinWorkspace(ada, url(), { email: 'guessed@acme.example', role: 'viewer', workspace })
    const guesser = openPageClient(url())
    let answer = await guesser.signIn('guessed@acme.example', 'guess')
    for (let tries = 1; tries < 10; tries++) answer = await guesser.signIn('Guessed@acme.example', 'guess')
    assert.equal(answer.status, 401)
    const limited = await guesser.signIn('guessed@acme.example', PASSWORD)
    assert.deepEqual([limited.status, (limited.body as unknown as Problem).code], [429, 'rate_limited'])
    assert.ok(Number(limited.headers.get('retry-after')) > 60)
    assert.equal((await openPageClient(url()).signIn('ada@acme.example', PASSWORD)).status, 200)
  })

  test('it has no route for signing up or other library features', async () => {
    const visitor = openPageClient(url())
    const body = { email: 'eve@acme.example', password: PASSWORD, name: 'Eve' }
    for (const path of [
      'sign-up/email',
      'delete-user',
      'update-user',
      'change-email',
      'sign-in/social',
      'link-social',
    ])
      assert.equal((await visitor.post(`/api/auth/${path}`, body)).status, 404, path)
    for (const path of ['get-session', 'list-accounts', 'error', 'callback/github'])
      assert.equal((await ada.get(`/api/auth/${path}`)).status, 404, path)
  })

  test('it keeps the session in an HttpOnly cookie that is Secure over https', async () => {
    const visitor = openPageClient(url())
    const plain = await visitor.signIn('ada@acme.example', PASSWORD)
    const cookie = plain.headers.getSetCookie().find((each) => each.includes('session_token')) ?? ''
    for (const part of [/HttpOnly/, /SameSite=Lax/, /Path=\//, /Max-Age=604800/]) assert.match(cookie, part)
    assert.doesNotMatch(cookie, /Secure/)
    assert.doesNotMatch(plain.text, /token/)
    const body = { email: 'ada@acme.example', password: PASSWORD }
    const headers = { 'x-forwarded-proto': 'https', origin: url().replace('http:', 'https:') }
    const secure = await visitor.call('POST', '/api/auth/sign-in/email', { body, headers })
    assert.equal(secure.status, 200, secure.text)
    assert.match(secure.headers.getSetCookie().join(), /session_token[^,]*; Secure/)
  })

  test('it uses the client address that a local proxy forwards', async () => {
    const behind = openPageClient(url())
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    const attempt = (password: string) =>
      behind.call('POST', '/api/auth/sign-in/email', {
        body: { email: `nobody-${Math.random()}@acme.example`, password },
        headers,
      })
    // At once: the limit is for a minute, and hashing takes a while.
    const attempts = await Promise.all(Array.from({ length: 31 }, () => attempt('guess')))
    assert.deepEqual(
      attempts.map(({ status }) => status).sort((a, b) => a - b),
      [...Array(30).fill(401), 429],
    )
    const other = await behind.call('POST', '/api/auth/sign-in/email', {
      body: { email: 'ada@acme.example', password: PASSWORD },
      headers: { 'x-forwarded-for': '203.0.113.8' },
    })
    assert.equal(other.status, 200, other.text)
    const sessions = await behind.get<{ ipAddress: string }[]>('/api/auth/list-sessions')
    assert.ok(sessions.body.some(({ ipAddress }) => ipAddress === '203.0.113.8'))
  })

  test('it refuses requests from other sites and changes without our header', async () => {
    const body = { name: 'made by another site' }
    const foreign = { origin: 'https://evil.example' }
    for (const headers of [foreign, { origin: 'null' }, { 'x-requested-with': null, 'x-workspace': null }]) {
      const { status, body: problem } = await ada.call<Problem>('POST', '/workspaces', { body, headers })
      assert.deepEqual([status, problem.code], [403, 'forbidden'], JSON.stringify(headers))
    }
    assert.equal((await ada.call('GET', '/session', { headers: foreign })).status, 403)
    const out = await ada.call('POST', '/api/auth/sign-out', {
      headers: { 'x-requested-with': null, 'x-workspace': null },
    })
    assert.equal(out.status, 403)
    const credentials = { email: 'ada@acme.example', password: PASSWORD }
    const signIn = await ada.call('POST', '/api/auth/sign-in/email', { body: credentials, headers: foreign })
    assert.equal(signIn.status, 403)
    assert.equal((await ada.get('/session')).status, 200)
  })

  test('it ends one session, all others, and all others with a new password', async () => {
    const bob = await joinWorkspace(ada, url(), { email: 'bob@acme.example', role: 'viewer', workspace })
    const [second, third] = [openPageClient(url()), openPageClient(url())]
    for (const each of [second, third]) await each.signIn('bob@acme.example', PASSWORD)
    const sessions = await bob.get<{ token: string; ipAddress: string }[]>('/api/auth/list-sessions')
    assert.equal(sessions.body.length, 3)
    assert.deepEqual(new Set(sessions.body.map(({ ipAddress }) => ipAddress)), new Set(['127.0.0.1']))

    const secondToken = [...second.cookies.values()][0]?.split('.')[0]
    assert.equal((await ada.post('/api/auth/revoke-session', { token: secondToken })).status, 200)
    assert.equal((await second.get('/session')).status, 200, 'a person cannot end sessions of others')
    assert.equal((await bob.post('/api/auth/revoke-session', { token: secondToken })).status, 200)
    assert.equal((await second.get('/session')).status, 401)
    assert.equal((await bob.post('/api/auth/revoke-other-sessions')).status, 200)
    assert.equal((await third.get('/session')).status, 401)

    await third.signIn('bob@acme.example', PASSWORD)
    const change = (currentPassword: string, newPassword: string) =>
      bob.post('/api/auth/change-password', { currentPassword, newPassword, revokeOtherSessions: true })
    assert.equal((await change('wrong', 'a new long password')).status, 422)
    assert.equal((await change(PASSWORD, 'short')).status, 422)
    assert.equal((await change(PASSWORD, 'a new long password')).status, 200)
    assert.equal((await third.get('/session')).status, 401)
    assert.equal((await bob.get('/session')).status, 200)
    assert.equal((await third.signIn('bob@acme.example', PASSWORD)).status, 401)
    assert.equal((await bob.post('/api/auth/sign-out')).status, 200)
    assert.equal((await bob.get('/session')).status, 401)
  })

  test('it ends a session after seven days without use', async () => {
    const carol = await joinWorkspace(ada, url(), { email: 'carol@acme.example', role: 'viewer', workspace })
    const mine = `user_id = (select id from auth_users where email = 'carol@acme.example')`
    await query(`update auth_sessions set expires_at = now() + interval '5 days' where ${mine}`)
    const used = await carol.get('/session')
    assert.match(used.headers.getSetCookie().join(), /Max-Age=604800/)
    const [row] = await query<{ days: number }>(
      `select extract(epoch from expires_at - now())::float / 86400 as days from auth_sessions where ${mine}`,
    )
    assert.ok((row?.days ?? 0) > 6.9, String(row?.days))
    await query(`update auth_sessions set expires_at = now() - interval '1 second' where ${mine}`)
    assert.equal((await carol.get('/session')).status, 401)
  })

  test('it stores passwords and tokens of links and cookies only as hashes', async () => {
    const rows = await query<{ password: string }>(`select password from auth_accounts`)
    for (const { password } of rows) assert.match(password, /^[0-9a-f]{32}:[0-9a-f]{128}$/)
    const invited = await ada.post<{ link: string }>(`/workspaces/${workspace}/invitations`, {
      email: 'hashed@acme.example',
      role: 'viewer',
    })
    const token = invited.body.link.split('/').at(-1) ?? ''
    const [stored] = await query<{ whole: string }>(
      `select string_agg(i::text, ' ') as whole from invitations i`,
    )
    assert.ok(stored && !stored.whole.includes(token))
    const [session] = await query<{ token: string }>(`select token from auth_sessions limit 1`)
    const thief = openPageClient(url())
    thief.cookies.set('millrace.session_token', session?.token ?? '')
    assert.equal((await thief.get('/session')).status, 401)
    thief.cookies.set('millrace.session_token', `${session?.token}.${'A'.repeat(43)}%3D`)
    assert.equal((await thief.get('/session')).status, 401)
  })

  test('it invites one address with a link that works once', async () => {
    const invitations = `/workspaces/${workspace}/invitations`
    const invite = (email: string, role = 'operator') =>
      ada.post<{ id: string; link: string }>(invitations, { email, role })
    const first = await invite('Dan@acme.example')
    assert.equal(first.status, 201, first.text)
    assert.match(first.body.link, new RegExp(`^${url()}/invitation/[\\w-]{43}$`))
    const replaced = first.body.link.split('/').at(-1)
    const second = await invite('dan@acme.example', 'developer')
    const token = second.body.link.split('/').at(-1)
    const visitor = openPageClient(url())
    assert.equal((await visitor.get(`/invitations/${replaced}`)).status, 404)
    assert.deepEqual((await visitor.get(`/invitations/${token}`)).body, {
      workspace: 'First workspace',
      organisation: 'Acme',
      email: 'dan@acme.example',
      role: 'developer',
    })
    const listed = await ada.get<{ email: string; invited_by: { name: string } }[]>(invitations)
    assert.deepEqual(
      listed.body
        .filter(({ email }) => email === 'dan@acme.example')
        .map(({ invited_by }) => invited_by.name),
      ['Ada'],
    )
    assert.doesNotMatch(listed.text, new RegExp(token ?? ''))

    const accept = `/invitations/${token}/accept`
    assert.equal((await visitor.post(accept, {})).status, 422)
    assert.equal((await ada.post(accept, {})).status, 403, 'it is for another address')
    const accepted = await Promise.all(
      [1, 2, 3].map(() => openPageClient(url()).post<Session>(accept, { name: 'Dan', password: PASSWORD })),
    )
    assert.deepEqual(
      accepted.map(({ status }) => status).filter((status) => status === 200),
      [200],
      accepted.map(({ text }) => text).join(),
    )
    assert.equal((await visitor.get(`/invitations/${token}`)).status, 404)
    assert.equal((await invite('dan@acme.example')).status, 409)

    const gone = await invite('late@acme.example')
    await query(`update invitations set expires_at = now() where email = 'late@acme.example'`)
    assert.equal((await visitor.get(`/invitations/${gone.body.link.split('/').at(-1)}`)).status, 404)
    const taken = await invite('taken@acme.example')
    assert.equal((await ada.delete(`${invitations}/${taken.body.id}`)).status, 200)
    assert.equal((await visitor.get(`/invitations/${taken.body.link.split('/').at(-1)}`)).status, 404)
    assert.equal((await ada.delete(`${invitations}/${taken.body.id}`)).status, 404)
  })

  test('it lets a person with an account join another workspace by signing in', async () => {
    const erin = await joinWorkspace(ada, url(), { email: 'erin@acme.example', role: 'viewer', workspace })
    const other = await ada.post<{ id: string }>('/workspaces', { name: 'Erin joins' })
    const elsewhere = `/workspaces/${other.body.id}`
    const invited = await ada.post<{ link: string }>(`${elsewhere}/invitations`, {
      email: 'erin@acme.example',
      role: 'administrator',
    })
    const accept = `/invitations/${invited.body.link.split('/').at(-1)}/accept`
    const intruder = openPageClient(url())
    assert.equal((await intruder.post(accept, { name: 'Erin', password: 'a password of mine' })).status, 409)
    const now = await erin.post<Session>(accept, {})
    assert.equal(now.status, 200, now.text)
    assert.deepEqual(
      now.body.workspaces.map(({ name, role }) => [name, role]),
      [
        ['First workspace', 'viewer'],
        ['Erin joins', 'administrator'],
      ],
    )
    assert.equal((await erin.patch(`/workspaces/${workspace}`, { name: 'Mine' })).status, 403)
    const renamed = await erin.patch<{ name: string }>(elsewhere, { name: 'Renamed' })
    assert.deepEqual([renamed.status, renamed.body.name], [200, 'Renamed'])
    assert.equal((await erin.post('/workspaces', { name: 'A third' })).status, 403)
  })

  test('it changes roles and removes members at once, but never the last administrator', async () => {
    const made = await ada.post<{ id: string }>('/workspaces', { name: 'Roles' })
    const id = made.body.id
    const fred = await joinWorkspace(ada, url(), {
      email: 'fred@acme.example',
      role: 'viewer',
      workspace: id,
    })
    const fredId = (await fred.get<Session>('/session')).body.user.id
    const adaId = (await ada.get<Session>('/session')).body.user.id
    const members = `/workspaces/${id}/members`
    assert.equal((await fred.get('/jobs')).status, 200)
    assert.equal((await fred.get(members)).status, 403)
    assert.equal((await ada.put(`${members}/${adaId}`, { role: 'viewer' })).status, 409)
    const last = await ada.delete<Problem>(`${members}/${adaId}`)
    assert.deepEqual([last.status, last.body.code], [409, 'not_possible'])

    assert.equal((await ada.put(`${members}/${fredId}`, { role: 'administrator' })).status, 200)
    assert.equal((await fred.get(members)).status, 200)
    // Two administrators demote each other at once: one of them stays.
    const demoted = await Promise.all([
      ada.put(`${members}/${fredId}`, { role: 'viewer' }),
      fred.put(`${members}/${adaId}`, { role: 'viewer' }),
    ])
    assert.equal(
      demoted.filter(({ status }) => status === 200).length,
      1,
      demoted.map(({ text }) => text).join(),
    )
    const roles = await query<{ role: string }>(
      `select role from workspace_members where workspace_id = $1`,
      [id],
    )
    assert.deepEqual(roles.map(({ role }) => role).sort(), ['administrator', 'viewer'])

    await query(`update workspace_members set role = 'administrator' where workspace_id = $1`, [id])
    assert.equal((await ada.delete(`${members}/${fredId}`)).status, 200)
    assert.equal((await fred.get('/jobs')).status, 404)
    assert.deepEqual((await fred.get<Session>('/session')).body.workspaces, [])
    assert.equal((await ada.delete(`${members}/${fredId}`)).status, 404)
    assert.equal((await ada.put(`${members}/${STRANGER}`, { role: 'viewer' })).status, 404)
    assert.equal((await ada.put(`${members}/nobody`, { role: 'viewer' })).status, 404)
    assert.equal((await ada.put(`${members}/${fredId}`, { role: 'owner' })).status, 422)
  })

  test('it creates keys for one workspace, shows them to creator and administrators, and disables them', async () => {
    const gina = await joinWorkspace(ada, url(), { email: 'gina@acme.example', role: 'developer', workspace })
    const hal = await joinWorkspace(ada, url(), { email: 'hal@acme.example', role: 'developer', workspace })
    const made = await gina.post<Key>('/keys', { name: 'of Gina' })
    assert.equal(made.status, 201, made.text)
    const { id, key } = made.body
    assert.match(key, /^mlr_[\w-]{43}$/)
    assert.equal(made.body.last_four, key.slice(-4))
    const api = apiOf(url(), key)
    const wiki = { url: 'https://wiki.acme.example', token: 'some-token-1' }
    const source = await api.post<{ id: string }>('/sources', { name: 'by key', type: 'wiki', config: wiki })
    assert.equal(source.status, 200, source.text)

    const listed = await hal.get<Key[]>('/keys')
    assert.ok(listed.body.some((each) => each.id === id))
    assert.ok(!listed.text.includes(key))
    for (const person of [gina, ada]) {
      const shown = await person.post<{ key: string }>(`/keys/${id}/reveal`)
      assert.deepEqual([shown.status, shown.body.key], [200, key])
      assert.equal(shown.headers.get('cache-control'), 'no-store')
    }
    assert.equal((await hal.post(`/keys/${id}/reveal`)).status, 403)
    assert.equal((await hal.patch(`/keys/${id}`, { enabled: false })).status, 403)
    assert.equal((await hal.delete(`/keys/${id}`)).status, 403)
    assert.equal((await ada.post(`/keys/${STRANGER}/reveal`)).status, 404)

    const other = await ada.post<{ id: string }>('/workspaces', { name: 'Elsewhere' })
    const elsewhere = openPageClient(url())
    await elsewhere.signIn('ada@acme.example', PASSWORD)
    elsewhere.workspace = other.body.id
    const otherKey = await elsewhere.post<Key>('/keys', { name: 'elsewhere' })
    const otherApi = apiOf(url(), otherKey.body.key)
    assert.equal((await otherApi.get(`/sources/${source.body.id}`)).status, 404)
    assert.deepEqual((await otherApi.get('/sources')).body, [])
    assert.equal((await elsewhere.post(`/keys/${id}/reveal`)).status, 404)
    const headers = { authorization: `Bearer ${key}`, 'x-workspace': other.body.id }
    assert.equal((await fetch(`${url()}/api/v1/sources`, { headers })).status, 404)

    assert.equal((await api.get('/keys')).status, 403)
    assert.equal((await api.post('/keys', { name: 'a key of a key' })).status, 403)
    assert.equal((await api.get('/session')).status, 403)

    assert.equal((await gina.patch(`/keys/${id}`, { enabled: false })).status, 200)
    assert.equal((await api.get('/sources')).status, 401)
    assert.equal((await gina.patch(`/keys/${id}`, { enabled: true })).status, 200)
    assert.equal((await api.get('/sources')).status, 200)
    assert.equal((await ada.delete(`/keys/${id}`)).status, 200)
    assert.equal((await api.get('/sources')).status, 401)
  })

  test('it stops a key that another process disabled within five seconds', async () => {
    const second = await startMillrace({ databaseUrl: database.url, role: 'api' })
    try {
      const made = await ada.post<Key>('/keys', { name: 'in two processes' })
      const there = apiOf(second.url ?? '', made.body.key)
      assert.equal((await there.get('/sources')).status, 200)
      await ada.patch(`/keys/${made.body.id}`, { enabled: false })
      const disabledAt = Date.now()
      let sentAfter = 0
      let status = 200
      while (status === 200 && sentAfter < 5_500) {
        sentAfter = Date.now() - disabledAt
        status = (await there.get('/sources')).status
      }
      assert.equal(status, 401, `for a request sent after ${sentAfter} ms`)
    } finally {
      await second.end('SIGTERM')
    }
  })

  test('it cannot decrypt the stored value of one key for another', async () => {
    const [one, two] = await Promise.all(['one', 'two'].map((name) => ada.post<Key>('/keys', { name })))
    await query(`update api_keys set sealed = (select sealed from api_keys where id = $1) where id = $2`, [
      one?.body.id,
      two?.body.id,
    ])
    const shown = await ada.post<Problem>(`/keys/${two?.body.id}/reveal`)
    assert.deepEqual([shown.status, shown.body.code], [409, 'secret_unreadable'])
  })

  test('it shows the audit log to administrators only, page by page', async () => {
    const ivan = await joinWorkspace(ada, url(), { email: 'ivan@acme.example', role: 'developer', workspace })
    const ivanId = (await ivan.get<Session>('/session')).body.user.id
    const made = await ivan.post<Key>('/keys', { name: 'of Ivan' })
    await ivan.post(`/keys/${made.body.id}/reveal`)
    await ivan.post('/api/auth/change-password', {
      currentPassword: PASSWORD,
      newPassword: 'yet another password',
    })
    await ada.delete(`/keys/${made.body.id}`)
    await ada.put(`/workspaces/${workspace}/members/${ivanId}`, { role: 'viewer' })
    assert.equal((await ivan.get('/audit')).status, 403)

    const { body } = await ada.get<AuditPage>('/audit?limit=7')
    const { items } = body
    assert.deepEqual(
      items.map(({ action }) => action),
      [
        'change_role',
        'delete_key',
        'change_password',
        'reveal_key',
        'create_key',
        'accept_invitation',
        'invite',
      ],
    )
    assert.equal(items[3]?.actor, `person:${ivanId}`)
    assert.match(items[3]?.subject ?? '', new RegExp(`${made.body.id}.*of Ivan`))
    assert.equal(items[0]?.actor_name, 'Ada')
    for (const part of [/member: ivan@acme.example/, /was: developer/, /role: viewer/])
      assert.match(items[0]?.subject ?? '', part)
    const before = await ada.get<AuditPage>(`/audit?limit=7&cursor=${body.next}`)
    assert.equal(before.body.items.length, 7)
    assert.notDeepEqual(before.body.items[0], items[0])
    assert.equal((await ada.get('/audit?cursor=x')).status, 422)
    assert.ok(![...items, ...before.body.items].some(({ subject }) => subject.includes(PASSWORD)))
  })

  test('it lets administrators and keys search as a person, and logs who searched', async () => {
    // Nothing listens there; the audit log has a search before it runs.
    const config = { hosts: ['http://127.0.0.1:9'], index_name: 'wiki', search_api_key: btoa('id:key') }
    const made = await ada.post<{ id: string }>('/destinations', { name: 'd', type: 'searchindex', config })
    assert.equal(made.status, 200, made.text)
    const search = { query: 'salaries', as: { groups: ['hr'] } }
    const path = `/destinations/${made.body.id}/search`
    const jane = await joinWorkspace(ada, url(), { email: 'jane@acme.example', role: 'developer', workspace })
    assert.equal((await jane.post(path, search)).status, 403)
    assert.equal((await ada.post(path, search)).status, 502)
    assert.equal((await apiOf(url()).post(path, search)).status, 502)
    const { items } = (await ada.get<AuditPage>('/audit?limit=2')).body
    assert.deepEqual(
      items.map(({ action, actor_name }) => [action, actor_name]),
      [
        ['search_as', 'set-up key'],
        ['search_as', 'Ada'],
      ],
    )
    assert.match(items[1]?.subject ?? '', /salaries/)
  })

  test('it deletes a workspace with everything in it, but not the last one', async () => {
    const other = (await ada.post<{ id: string }>('/workspaces', { name: 'Doomed' })).body.id
    ada.workspace = other
    const key = (await ada.post<Key>('/keys', { name: 'of Doomed' })).body.key
    const byKey = apiOf(url(), key)
    const type = 'sample'
    const source = await byKey.post<{ id: string }>('/sources', { name: 'Sample', type, config: {} })
    assert.equal(source.status, 200, source.text)
    const bo = await joinWorkspace(ada, url(), {
      ...{ email: 'bo.developer@acme.example', role: 'developer', workspace: other },
    })
    assert.equal((await bo.delete(`/workspaces/${other}`)).status, 403)
    assert.equal((await byKey.delete(`/workspaces/${other}`)).status, 403)
    assert.equal((await ada.delete(`/workspaces/${STRANGER}`)).status, 404)

    const deleted = await ada.delete(`/workspaces/${other}`)
    assert.equal(deleted.status, 200, deleted.text)
    assert.equal((await byKey.get('/sources')).status, 401)
    assert.equal((await bo.get('/sources')).status, 404)
    assert.equal((await ada.get('/sources')).status, 404)
    await until(
      () => rowsOf(other),
      (rows) => rows.length === 0,
    )
    ada.workspace = workspace
    assert.equal((await ada.get('/sources')).status, 200)
    const [entry] = (await ada.get<AuditPage>('/audit')).body.items
    assert.equal(entry?.action, 'delete_workspace')
    assert.match(entry?.subject ?? '', /Doomed/)

    for (const { id } of (await ada.get<Session>('/session')).body.workspaces)
      if (id !== workspace) assert.equal((await ada.delete(`/workspaces/${id}`)).status, 200)
    const refused = await ada.delete<Problem>(`/workspaces/${workspace}`)
    assert.deepEqual([refused.status, refused.body.code], [409, 'not_possible'])
    assert.equal((await ada.get('/sources')).status, 200)
  })

  /** Tables with rows of a workspace. */
  async function rowsOf(id: string): Promise<string[]> {
    const tables = await query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where column_name = 'workspace_id' and table_schema = current_schema()`,
    )
    const found: string[] = []
    for (const { name } of tables)
      if ((await query(`select 1 from ${name} where workspace_id::text = $1 limit 1`, [id])).length > 0)
        found.push(name)
    return found
  }

  test('it limits requests per person, not per address', async () => {
    const fresh = await freshDatabase()
    const strict = await startMillrace({ databaseUrl: fresh.url, env: { MILLRACE_RATE_LIMIT: '20' } })
    try {
      const { ada: first, workspace: id } = await firstAdministrator(strict)
      const kim = await joinWorkspace(first, strict.url ?? '', {
        email: 'kim@acme.example',
        role: 'viewer',
        workspace: id,
      })
      let last = await kim.get('/jobs')
      for (let calls = 0; calls < 25 && last.status === 200; calls++) last = await kim.get('/jobs')
      assert.equal(last.status, 429)
      assert.ok(Number(last.headers.get('retry-after')) > 0)
      assert.equal((await first.get('/jobs')).status, 200)
      assert.equal((await apiOf(strict.url ?? '', TEST_KEY).get('/jobs')).status, 200)
    } finally {
      await strict.end('SIGTERM')
      await fresh.drop()
    }
  })
})
