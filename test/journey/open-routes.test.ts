import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type ApiResponse, apiOf } from '../world/api.ts'
import { firstAdministrator, openPageClient, PASSWORD, type PageClient } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../world/service.ts'

type Problem = { detail: string; code: string }

const signInAs = (
  person: PageClient,
  email: string,
  { password, from }: { password: string; from: string },
) =>
  person.call<Problem>('POST', '/api/auth/sign-in/email', {
    body: { email, password },
    headers: { 'x-forwarded-for': from },
  })

describe('routes without credentials', () => {
  let millrace: Millrace
  let drop: () => Promise<void>
  const url = () => millrace.url ?? ''
  before(async () => {
    const database = await migratedDatabase()
    drop = database.drop
    millrace = await startMillrace({ databaseUrl: database.url, role: 'api' })
    await firstAdministrator(millrace)
  })
  after(async () => {
    await millrace.end('SIGTERM')
    await drop()
  })

  test('it limits bodies to 16 KB, and to a megabyte with a key', async () => {
    const visitor = openPageClient(url())
    const body = { nonsense: 'x'.repeat(17 * 1024) }
    for (const path of [
      '/setup',
      '/invitations/x/accept',
      '/api/auth/sign-in/email',
      '/api/auth/sign-in/oauth2',
      '/api/auth/change-password',
      '/api/auth/revoke-session',
    ]) {
      const { status, body: problem } = await visitor.post<Problem>(path, body)
      assert.deepEqual([status, problem.code], [413, 'body_too_large'], path)
      assert.notEqual((await visitor.post(path, { nonsense: 'x'.repeat(8 * 1024) })).status, 413, path)
    }
    assert.equal((await apiOf(url()).post('/sources', { name: 'x'.repeat(100 * 1024) })).status, 422)
  })

  test('it delays password guessing without locking out the owner', async () => {
    const guesser = openPageClient(url())
    const guesses = async (email: string) => {
      const answers: ApiResponse<Problem>[] = []
      for (let tries = 0; tries < 11; tries++)
        answers.push(await signInAs(guesser, email, { password: 'guess', from: '203.0.113.7' }))
      return answers
    }
    const known = await guesses('ada@acme.example')
    assert.deepEqual(
      known.map(({ status }) => status),
      [...Array.from({ length: 10 }, () => 401), 429],
    )
    assert.ok(Number(known.at(-1)?.headers.get('retry-after')) > 60)
    const right = { password: PASSWORD, from: '203.0.113.7' }
    assert.equal((await signInAs(guesser, 'ada@acme.example', right)).status, 429)
    const owner = { password: PASSWORD, from: '203.0.113.8' }
    assert.equal((await signInAs(openPageClient(url()), 'ada@acme.example', owner)).status, 200)

    const unknown = await guesses('nobody@acme.example')
    const outcomesOf = (answers: ApiResponse<Problem>[]) =>
      answers.map(({ status, text }) => [status, text.replace(/\d+ seconds/, 'n seconds')])
    assert.deepEqual(outcomesOf(unknown), outcomesOf(known), 'the response does not show who exists')
  })

  test('it counts forged addresses and a /64 network as one', async () => {
    const visitor = openPageClient(url())
    for (const addressOf of [
      (tries: number) => `made up ${tries}`,
      (tries: number) => `2001:db8:7:7::${tries + 1}`,
    ]) {
      const statuses: number[] = []
      for (let tries = 0; tries < 61; tries++) {
        const headers = { 'x-forwarded-for': addressOf(tries), 'x-api-key': `mlr_guess-${tries}` }
        statuses.push((await visitor.call('GET', '/sources', { headers })).status)
      }
      assert.deepEqual([statuses[0], statuses[59], statuses[60]], [401, 401, 429])
    }
    const statuses: number[] = []
    for (let tries = 0; tries < 11; tries++) {
      const guess = { password: 'guess', from: `made up ${tries}` }
      statuses.push((await signInAs(visitor, 'zoe@acme.example', guess)).status)
    }
    assert.deepEqual([statuses[9], statuses[10]], [401, 429])
  })
})

test('it bounds search input and audit entries, and quotes misleading text', async () => {
  const database = await migratedDatabase()
  const millrace = await startMillrace({
    databaseUrl: database.url,
    role: 'api',
    allowedHosts: ['127.0.0.1:9'],
  })
  try {
    const { ada } = await firstAdministrator(millrace)
    // Nothing listens there; the audit log has a search before it runs.
    const config = { hosts: ['http://127.0.0.1:9'], index_name: 'wiki', search_api_key: btoa('id:key') }
    const made = await ada.post<{ id: string }>('/destinations', { name: 'd', type: 'searchindex', config })
    assert.equal(made.status, 200, made.text)
    const search = (body: object) =>
      ada.post<{ detail: { loc: (string | number)[]; msg: string }[] }>(
        `/destinations/${made.body.id}/search`,
        { query: 'x, as: somebody else', as: { groups: ['hr'] }, ...body },
      )
    const many = (count: number) => Array.from({ length: count }, (_, n) => `g${n}`)
    const texts = 'a text, or a list of at most 100, each of at most 1000 characters'
    for (const [body, loc, msg] of [
      [{ filters: { labels: many(101) } }, ['body', 'filters', 'labels'], texts],
      [
        { filters: { labels: ['x'.repeat(1001)] } },
        ['body', 'filters', 'labels', 0],
        'at most 1000 characters',
      ],
      [
        { filters: { space_key: 'x'.repeat(1001) } },
        ['body', 'filters', 'space_key'],
        'at most 1000 characters',
      ],
      [{ as: { groups: many(1001) } }, ['body', 'as', 'groups'], 'at most 1000 groups'],
      [{ as: { groups: ['x'.repeat(256)] } }, ['body', 'as', 'groups', 0], 'at most 255 characters'],
    ] as const) {
      const { status, body: refused } = await search(body)
      assert.deepEqual(
        [status, refused.detail[0]?.loc.map(String), refused.detail[0]?.msg],
        [422, loc.map(String), msg],
      )
    }
    const answers = await Promise.all([20, 21, 1000].map((count) => search({ as: { groups: many(count) } })))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [502, 502, 502],
    )
    const { items } = (await ada.get<{ items: { subject: string }[] }>('/audit?limit=3')).body
    const groups = items.map(({ subject }) => /as: (\{.*?\})/.exec(subject)?.[1])
    assert.deepEqual(groups.sort(), [
      '{"groups":1000}',
      '{"groups":21}',
      JSON.stringify({ groups: many(20) }),
    ])
    assert.ok(items[0]?.subject.includes('query: "x, as: somebody else"'), items[0]?.subject)
  } finally {
    await millrace.end('SIGTERM')
    await database.drop()
  }
})

test('it applies the rate limit before reading the body', async () => {
  const database = await migratedDatabase()
  const millrace = await startMillrace({
    databaseUrl: database.url,
    role: 'api',
    env: { MILLRACE_RATE_LIMIT: '3' },
  })
  try {
    const { port } = new URL(millrace.url ?? '')
    const answered = async (path: string, headers: string[]): Promise<string> => {
      const socket = connect({ host: '127.0.0.1', port: Number(port) })
      await once(socket, 'connect')
      const lines = [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...headers]
      socket.write([...lines, 'Content-Length: 5000', '', ''].join('\r\n'))
      // The body never continues, so waiting for it would never end.
      const [data] = await once(socket, 'data', { signal: AbortSignal.timeout(60_000) })
      socket.destroy()
      return String(data)
    }
    const key = [`Authorization: Bearer ${TEST_KEY}`]
    const api = apiOf(millrace.url ?? '')
    const visitor = openPageClient(millrace.url ?? '')
    for (let calls = 0; calls < 3; calls++) {
      await api.get('/sources')
      await visitor.get('/setup')
      await visitor.get('/api/auth/list-sessions')
    }
    for (const [path, headers] of [
      ['/api/v1/sources', key],
      ['/api/v1/setup', []],
      ['/api/auth/sign-in/email', []],
    ] as const) {
      const text = await answered(path, [...headers])
      assert.match(text, /^HTTP\/1.1 429 /, path)
      assert.match(text, /retry-after: \d+/i, path)
    }
    const madeUp = []
    for (let calls = 0; calls < 4; calls++) {
      const headers = { 'x-forwarded-for': `made up ${calls}` }
      madeUp.push((await visitor.call('GET', '/api/auth/list-sessions', { headers })).status)
    }
    assert.deepEqual(madeUp, [401, 401, 401, 429])
  } finally {
    await millrace.end('SIGTERM')
    await database.drop()
  }
})

test('it trusts only proxies that the operator names', async () => {
  const database = await migratedDatabase()
  const start = (proxies: string) =>
    startMillrace({ databaseUrl: database.url, role: 'api', env: { MILLRACE_TRUSTED_PROXIES: proxies } })
  const clientOf = async (millrace: Millrace) => {
    const ada = openPageClient(millrace.url ?? '')
    const headers = { 'x-forwarded-for': '203.0.113.8', 'x-forwarded-proto': 'https', origin: null }
    const body = { email: 'ada@acme.example', password: PASSWORD }
    const answer = await ada.call('POST', '/api/auth/sign-in/email', { body, headers })
    assert.equal(answer.status, 200, answer.text)
    const sessions = await ada.get<{ ipAddress: string; createdAt: string }[]>('/api/auth/list-sessions')
    const last = sessions.body.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).at(-1)
    return { address: last?.ipAddress, secure: /; Secure/.test(answer.headers.getSetCookie().join()) }
  }
  try {
    const elsewhere = await start('10.1.2.3, fd00::/8')
    await firstAdministrator(elsewhere)
    assert.deepEqual(await clientOf(elsewhere), { address: '127.0.0.1', secure: false })
    await elsewhere.end('SIGTERM')
    const here = await start('10.1.2.3,127.0.0.1')
    assert.deepEqual(await clientOf(here), { address: '203.0.113.8', secure: true })
    await here.end('SIGTERM')
    await assert.rejects(
      start('proxy.example'),
      /ended with 2 .*\nmillrace: MILLRACE_TRUSTED_PROXIES must be/,
    )
  } finally {
    await database.drop()
  }
})

test('it exits with 2 and one line if the first password is too short', async () => {
  const env = { MILLRACE_SETUP_EMAIL: 'ada@acme.example', MILLRACE_SETUP_PASSWORD: 'eleven char' }
  await assert.rejects(startMillrace({ env }), ({ message }: Error) => {
    const [first, ...lines] = message.split('\n')
    assert.match(first ?? '', /ended with 2 /)
    assert.deepEqual(lines, ['millrace: MILLRACE_SETUP_PASSWORD must be 12 to 128 characters long'])
    return true
  })
})
