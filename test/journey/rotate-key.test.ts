import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { apiKeyBinding } from '../../src/accounts/keys.ts'
import { createVault } from '../../src/store/vault.ts'
import { assertAgreement } from '../world/agreement.ts'
import { apiOf } from '../world/api.ts'
import { detailsOf, type Flow, finish, makeFlow, run, startRun, until } from '../world/flow.ts'
import { operatorCommand, startOperatorCommand } from '../world/operator-command.ts'
import { firstAdministrator, joinWorkspace, openPageClient, type PageClient } from '../world/person.ts'
import { MASTER_KEY } from '../world/service.ts'
import { startReceiver, type WebhookReceiver } from '../world/webhook-receiver.ts'
import { openWorld, type World } from '../world/world.ts'

const A = MASTER_KEY.toString('base64')
const B = `b:${Buffer.alloc(32, 9).toString('base64')}`
const C = `c:${Buffer.alloc(32, 11).toString('base64')}`
const KEYS = 150
/** The rotation goes by id, so this key is the last one, and no request uses it. */
const LAST_KEY = 'ffffffff-ffff-4fff-bfff-ffffffffffff'

/** The steps follow each other on one installation. */
describe('a rotation of the master key', () => {
  let world: World
  let client: pg.Client
  let receiver: WebhookReceiver
  let flow: Flow
  let workspace: string
  let channel: { id: string; secret: string }
  let ada: PageClient
  let rita: PageClient
  let keys: { full: string; search: string; token: string }
  let before_: Record<string, number>
  let jobId: string
  const env: Record<string, string> = {
    MILLRACE_ALLOWED_HOSTS: '127.0.0.1',
    MILLRACE_MASTER_KEY: A,
    // The default is below KEYS.
    MILLRACE_MAX_KEYS: '1000',
  }

  const rotate = (list: string, ...args: string[]) =>
    operatorCommand('rotate-key', args, { DATABASE_URL: world.databaseUrl, MILLRACE_MASTER_KEY: list })
  const restart = async (list: string) => {
    env.MILLRACE_MASTER_KEY = list
    await world.millrace.end('SIGTERM')
    await world.restart()
    ;[ada, rita] = [moved(ada), moved(rita)]
  }
  /** The same browser at the new address of the service. */
  const moved = (person: PageClient) => {
    const next = openPageClient(world.millrace.url ?? '')
    next.workspace = person.workspace
    for (const [name, value] of person.cookies) next.cookies.set(name, value)
    return next
  }
  /** The status of one request with each credential. */
  const statuses = async (): Promise<Record<string, number>> => {
    const search = { query: 'quagga', as: { user: 'nobody' } }
    const with_ = (key: string) => apiOf(world.millrace.url ?? '', key)
    const path = `/destinations/${flow.destinationId}/search`
    const answers = {
      setupKey: world.api.get('/sources'),
      fullKey: with_(keys.full).get('/workflows'),
      searchKey: with_(keys.search).post(path, search),
      personalToken: with_(keys.token).post(path, { query: 'quagga' }),
      session: ada.get('/keys'),
      otherSession: rita.get('/session'),
    }
    const entries = Object.entries(answers).map(async ([name, answer]) => [name, (await answer).status])
    return Object.fromEntries(await Promise.all(entries))
  }
  /** Apart from `statuses`, because wrong keys are limited per minute. */
  const wrongKeyStatus = async () =>
    (await apiOf(world.millrace.url ?? '', `${keys.full}x`).get('/workflows')).status
  /** Sends a test event and returns the one that arrived, whose signature fits. */
  const webhookArrives = async () => {
    receiver.received.length = 0
    const { status, text } = await world.api.post(`/notifications/channels/${channel.id}/test`)
    assert.ok(status < 300, text)
    await until(
      async () => receiver.received.length,
      (count) => count > 0,
    )
    const [got] = receiver.received
    assert.ok(new Webhook(channel.secret).verify(got!.body, got!.headers))
  }
  const sealedWith = async (prefix: string) => {
    const count = (table: string, column: string) =>
      `select substring(${column} from 1 for 3) = '\\x${prefix}' as fits from ${table} where ${column} is not null`
    const { rows } = await client.query(
      `select fits, count(*)::int from (${count('connectors', 'secrets')} union all ${count('api_keys', 'sealed')}
        union all ${count('notification_channels', 'secret')}
        union all ${count('notification_channels', 'old_secret')}) as all_values group by fits`,
    )
    const of = (fits: boolean) => rows.find((row) => row.fits === fits)?.count ?? 0
    return { fits: of(true), others: of(false) }
  }
  const NAMED_B = Buffer.from('\x02\x01b').toString('hex')
  const NAMED_C = Buffer.from('\x02\x01c').toString('hex')

  before(async () => {
    receiver = await startReceiver()
    world = await openWorld({ wiki: { seed: 61, pages: 12, spaces: 1, people: 6, groups: 2 }, env })
    client = new pg.Client(world.databaseUrl)
    await client.connect()
    ;({ ada, workspace } = await firstAdministrator(world.millrace))
    const email = 'rita@acme.example'
    rita = await joinWorkspace(ada, world.millrace.url ?? '', { email, role: 'reader', workspace })
    flow = await makeFlow(world)
    const made = async <T>(answer: Promise<{ status: number; body: T; text: string }>): Promise<T> => {
      const { status, body, text } = await answer
      assert.equal(status, 201, text)
      return body
    }
    const full = await made(ada.post<{ key: string }>('/keys', { name: 'full' }))
    const search = { name: 'search', scope: 'search', may_impersonate: true }
    const limited = await made(ada.post<{ key: string }>('/keys', search))
    const token = await made(rita.post<{ token: string }>('/personal-tokens', { name: 'mine' }))
    keys = { full: full.key, search: limited.key, token: token.token }
    const hook = { channel_type: 'webhook', event_types: ['job.completed'], url: receiver.url }
    channel = await made(world.api.post('/notifications/channels', hook))
    const rotated = await ada.patch<{ secret: string }>(`/notifications/channels/${channel.id}`, {
      secret: '',
    })
    assert.equal(rotated.status, 200, rotated.text)
    channel.secret = rotated.body.secret
    await run(world, flow)
    const vault = createVault(MASTER_KEY)
    for (let count = 0; count < KEYS; count++) {
      const row = { id: count === 0 ? LAST_KEY : randomUUID(), workspace_id: workspace }
      await client.query(
        `insert into api_keys (id, workspace_id, name, sealed, lookup, last_four)
          values ($1, $2, 'one of many', $3, $4, 'last')`,
        [row.id, workspace, vault.seal(`value-${row.id}`, apiKeyBinding(row)), vault.lookup(row.id)],
      )
    }
    before_ = await statuses()
    assert.equal(await wrongKeyStatus(), 401)
    for (const [name, status] of Object.entries(before_))
      assert.ok(status !== 401 && status < 500, `${name}: ${status}`)
    for (const name of ['setupKey', 'fullKey', 'searchKey', 'session', 'otherSession'])
      assert.equal(before_[name], 200, name)
  })
  after(async () => {
    await client.end()
    await world.close()
    await receiver.close()
  })

  test('it refuses while a process seals with the old key, or without a new one', async () => {
    const { code, text } = await rotate(`${B},${A}`)
    assert.equal(code, 1)
    assert.match(
      text,
      /^millrace: these processes still seal with another master key: all \d+ on .*"b" first/,
    )
    const alone = await rotate(A)
    assert.deepEqual([alone.code, /has no id.*MILLRACE_MASTER_KEY=/.test(alone.text)], [1, true], alone.text)
    assert.match((await rotate(`${B},${C}`)).text, /the master key is not the one/)
    assert.deepEqual(await sealedWith(NAMED_B), { fits: 0, others: KEYS + 7 })
  })

  test('it is not needed to start with both keys, and a start with one of them is refused', async () => {
    await world.wiki.control.fail({ path: 'body[.-]', isHeld: true, times: null })
    const { control } = world.wiki
    const [page] = (await control.truth()).pages
    await control.editPage(page!.id, { body: '<p>The quagga while the key changes.</p>' })
    jobId = await startRun(world, flow)
    await restart(`${B},${A}`)
    assert.deepEqual(await statuses(), before_)
    await webhookArrives()
    const created = await ada.post<{ id: string }>('/keys', { name: 'later' })
    assert.equal(created.status, 201, created.text)
    assert.equal((await sealedWith(NAMED_B)).fits, 1)
    for (const [list, says] of [
      [A, /sealed with the master key "b", which is not listed\. Add b:KEY to MILLRACE_MASTER_KEY/],
      [B, /the master key is not the one this database was set up with/],
    ] as const) {
      env.MILLRACE_MASTER_KEY = list
      await assert.rejects(world.start('worker'), says)
    }
    env.MILLRACE_MASTER_KEY = `${B},${A}`
  })

  test('it survives kill -9 and two at once during a run, without a failed request', async () => {
    assert.equal((await detailsOf(world, jobId)).processing_status, 'IN_PROGRESS')
    // Holds the rotation at its last key, which the old master key has sealed.
    const other = new pg.Client(world.databaseUrl)
    await other.connect()
    await other.query('begin')
    const held = await other.query(
      `select from api_keys where id = $1 and substring(sealed from 1 for 1) = '\\x01' for update`,
      [LAST_KEY],
    )
    assert.equal(held.rowCount, 1)
    const failures: unknown[] = []
    let calls = 0
    let isOver = false
    const traffic = (async () => {
      while (!isOver) {
        const now = await statuses()
        calls += Object.keys(now).length
        try {
          assert.deepEqual(now, before_)
        } catch (error) {
          failures.push(error)
        }
      }
    })()
    const killed = startOperatorCommand('rotate-key', [], {
      DATABASE_URL: world.databaseUrl,
      MILLRACE_MASTER_KEY: `${B},${A}`,
    })
    // The two values of the webhook come after the last key.
    await until(
      () => sealedWith(NAMED_B),
      ({ others }) => others === 3,
    )
    killed.process.kill('SIGKILL')
    await killed.result
    await other.query('rollback')
    await other.end()
    const results = await Promise.all([rotate(`${B},${A}`), rotate(`${B},${A}`)])
    isOver = true
    await traffic
    for (const { code, text } of results) {
      assert.equal(code, 0, text)
      assert.match(text, /No longer used: the key without an id/)
    }
    assert.equal((await sealedWith(NAMED_B)).others, 0)
    assert.deepEqual(failures, [])
    assert.ok(calls > 0)
    await webhookArrives()
  })

  test('it leaves everything working with the new key alone', async () => {
    await restart(B)
    assert.deepEqual(await statuses(), before_)
    assert.equal(await wrongKeyStatus(), 401)
    await webhookArrives()
    await world.wiki.control.clearFaults()
    const { details } = await finish(world, jobId)
    assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
    await assertAgreement(world)
    const { rows } = await client.query(`select id from api_keys where name = 'one of many' limit 1`)
    const shown = await ada.post<{ key: string }>(`/keys/${rows[0].id}/reveal`)
    assert.equal(shown.body.key, `value-${rows[0].id}`)
    env.MILLRACE_MASTER_KEY = A
    await assert.rejects(world.start('worker'), /the master key is not the one/)
  })

  test('it rotates again in spite of a suspended process, and renews the secrets on request', async () => {
    env.MILLRACE_MASTER_KEY = B
    const suspended = await world.start('worker')
    suspended.process.kill('SIGSTOP')
    await restart(`${C},${B}`)
    await client.query(
      `update master_key_holders set seen_at = now() - interval '61 s' where process like 'worker %'`,
    )
    const { code, text } = await rotate(`${C},${B}`, '--renew-secrets')
    assert.equal(code, 0, text)
    assert.match(text, /No longer used: the key b\..*sessions end/s)
    assert.equal((await sealedWith(NAMED_C)).others, 0)
    const ended = once(suspended.process, 'close')
    suspended.process.kill('SIGCONT')
    assert.deepEqual(await ended, [1, null])
    assert.match(suspended.lines.join('\n'), /"fatal".*no longer used\. Restart it with the current keys/)
    await restart(C)
    assert.deepEqual(await statuses(), { ...before_, session: 401, otherSession: 401 })
    await webhookArrives()
  })

  test('it covers every column of sealed values', async () => {
    const { rows } = await client.query(
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'public' and data_type = 'bytea' order by 1`,
    )
    assert.deepEqual(
      rows.map(({ name }) => name),
      [
        'api_keys.sealed',
        'connectors.secrets',
        'embeddings.key',
        'embeddings.vector',
        'installation.derived_keys',
        'model_answers.key',
        'notification_channels.old_secret',
        'notification_channels.secret',
        'outputs.elements',
        'uploads.content',
      ],
    )
  })
})
