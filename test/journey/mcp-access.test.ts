import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { startTokenProxy } from '../mcp/token-proxy.ts'
import { firstAdministrator, joinWorkspace, type PageClient } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../world/service.ts'

const execute = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const CONFORMANCE = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const PERSON_LIMIT = 150

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; text: string }

describe('access to /mcp', () => {
  let millrace: Millrace
  let databaseUrl: string
  let drop: () => Promise<void>
  let ada: PageClient
  let workspace: string
  let token: string

  before(async () => {
    const database = await migratedDatabase()
    databaseUrl = database.url
    drop = database.drop
    millrace = await startMillrace({
      databaseUrl,
      env: {
        MILLRACE_PERSON_RATE_LIMIT: String(PERSON_LIMIT),
        MILLRACE_PUBLIC_URL: 'https://mill.example.com',
      },
    })
    ;({ ada, workspace } = await firstAdministrator(millrace))
    token = await personalToken(ada)
  })
  after(async () => {
    await millrace?.end('SIGTERM')
    await drop?.()
  })

  const personalToken = async (person: PageClient) =>
    (await person.post<{ token: string }>('/personal-tokens', { name: 'assistant' })).body.token
  const reader = (name: string) =>
    joinWorkspace(ada, millrace.url ?? '', { email: `${name}@acme.example`, role: 'reader', workspace })

  /** Not fetch, which sets Host itself. */
  const post = (headers: Record<string, string>, body: unknown = LIST, method = 'POST'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${millrace.url}/mcp`,
        {
          method,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          },
        },
        async (response) => {
          let text = ''
          for await (const chunk of response) text += chunk
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
        },
      )
      sent.on('error', reject)
      sent.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
  const refused = async (answer: Promise<Answer>, status: number, message: RegExp) => {
    const { status: found, headers, text } = await answer
    assert.equal(found, status, text)
    const { jsonrpc, id, error } = JSON.parse(text)
    assert.deepEqual([jsonrpc, id], ['2.0', null])
    assert.match(error.message, message)
    return headers
  }

  test('it needs a token, and a session is none', async () => {
    const headers = await refused(post({}), 401, /personal token/)
    assert.match(String(headers['www-authenticate']), /^Bearer /)
    const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    await refused(post({ cookie, 'x-workspace': workspace }), 401, /a token is needed/)
    await refused(post({ ...bearer('mlr_unknown'), cookie }), 401, /unknown, disabled or expired/)
    await refused(post({ authorization: 'Basic YTpi', cookie }), 401, /a token is needed/)
  })

  test('it needs a person', async () => {
    const impersonator = await ada.post<{ key: string }>('/keys', {
      ...{ name: 'bot', scope: 'search', may_impersonate: true },
    })
    for (const key of [TEST_KEY, impersonator.body.key]) {
      const headers = await refused(post(bearer(key)), 403, /names no person/)
      assert.match(String(headers['www-authenticate']), /^Bearer .*insufficient_scope/)
    }
    const { status } = await post({ ...bearer(impersonator.body.key), 'x-person-token': 'not.a.token' })
    assert.ok([400, 401, 403].includes(status), String(status))
    await refused(post({ ...bearer(token), 'x-person-token': 'x.y.z' }), 400, /only an API key/)
  })

  test('it refuses a token that expired, was deleted or belongs to another workspace', async () => {
    assert.equal((await post(bearer(token))).status, 200)
    const rita = await reader('rita')
    const made = await rita.post<{ id: string; token: string }>('/personal-tokens', { name: 'old' })
    await query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [made.body.id])
    await refused(post(bearer(made.body.token)), 401, /expired/)
    const next = await rita.post<{ id: string; token: string }>('/personal-tokens', { name: 'next' })
    assert.equal((await post(bearer(next.body.token))).status, 200)
    await rita.delete(`/personal-tokens/${next.body.id}`)
    await refused(post(bearer(next.body.token)), 401, /unknown/)
    const other = await ada.post<{ id: string }>('/workspaces', { name: 'Other' })
    await refused(post({ ...bearer(token), 'x-workspace': other.body.id }), 404, /Workspace not found/)
  })

  test('it answers only for its own hosts and pages', async () => {
    for (const host of ['localhost:1', 'mill.example.com', '127.0.0.1'])
      assert.equal((await post({ ...bearer(token), host })).status, 200, host)
    for (const host of ['evil.example', 'localhost.evil.example:8080'])
      await refused(post({ ...bearer(token), host }), 403, /MILLRACE_PUBLIC_URL/)
    for (const origin of ['https://evil.example', 'null'])
      await refused(post({ ...bearer(token), origin }), 403, /another site/)
    assert.equal((await post({ ...bearer(token), origin: 'https://mill.example.com' })).status, 200)
  })

  test('it answers malformed requests with errors of the protocol', async () => {
    await refused(post(bearer(token), [LIST, LIST]), 400, /batches are not accepted/)
    await refused(post(bearer(token), `"${'x'.repeat(70_000)}"`), 413, /larger/)
    await refused(post({ ...bearer(token), 'content-type': 'text/plain' }, 'x'), 415, /json/)
    for (const body of [
      '{',
      '',
      'null',
      '7',
      '{}',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":{},"method":"x"}',
    ]) {
      const { status, text } = await post(bearer(token), body)
      assert.ok(status >= 400 && status < 500, `${body}: ${status}`)
      assert.ok(JSON.parse(text).error.code < 0, text)
    }
    const { status, headers } = await post(bearer(token), '', 'GET')
    assert.deepEqual([status, headers.allow], [405, 'POST'])
  })

  test('it limits requests by person, not by token', async () => {
    const sam = await reader('sam')
    const tokens = [await personalToken(sam), await personalToken(sam)]
    const answers = await Promise.all(
      Array.from({ length: PERSON_LIMIT + 2 }, (_, at) => post(bearer(tokens[at % 2]!))),
    )
    const limited = answers.filter(({ status }) => status === 429)
    assert.equal(limited.length, 2)
    assert.ok(Number(limited[0]!.headers['retry-after']) > 0)
    assert.equal(JSON.parse(limited[0]!.text).error.data.code, 'rate_limited')
    assert.equal((await post(bearer(await personalToken(await reader('tom'))))).status, 200)
  })

  for (const revision of ['2026-07-28', '2025-11-25'])
    test(`it conforms to ${revision} as the baseline says`, async () => {
      const proxy = await startTokenProxy(
        millrace.url ?? '',
        await personalToken(await reader(`c${revision}`)),
      )
      try {
        const baseline = join(root, `test/mcp/conformance-${revision}.yml`)
        const args = [
          'server',
          '--url',
          proxy.url,
          '--requirements',
          revision,
          '--expected-failures',
          baseline,
        ]
        await execute(process.execPath, [CONFORMANCE, ...args], { timeout: 180_000 }).catch(
          ({ stdout, stderr }) => assert.fail(`${stdout}${stderr}`.slice(-3000)),
        )
      } finally {
        await proxy.close()
      }
    })

  async function query(text: string, values: unknown[]): Promise<void> {
    const client = new pg.Client(databaseUrl)
    await client.connect()
    await client.query(text, values)
    await client.end()
  }
})
