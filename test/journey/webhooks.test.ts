import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { closeDatabase, type Database, openDatabase } from '../../src/store/database.ts'
import { assertFieldRefused, assertRefused, type Refusal } from '../world/answers.ts'
import type { ApiResponse } from '../world/api.ts'
import { until } from '../world/flow.ts'
import { addOtherWorkspace } from '../world/other-workspace.ts'
import { firstAdministrator, joinWorkspace, type PageClient } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../world/service.ts'
import { type ReceivedWebhook, startReceiver, type WebhookReceiver } from '../world/webhook-receiver.ts'

type Channel = {
  id: string
  url: string
  enabled: boolean
  event_types: string[]
  description: string | null
  secret?: string
}
type Delivery = { id: string; status: string; event_type: string; attempts: number; error: string | null }
type Feed = {
  events: { id: string; event_type: string; workflow_id: string; created_at: string; is_read: boolean }[]
  next_cursor: string | null
}

const CHANNELS = '/notifications/channels'
const JOB_EVENTS = ['job.scheduled', 'job.in_progress', 'job.completed', 'job.stopped', 'job.failed']

describe('webhooks and notifications through the API', () => {
  let millrace: Millrace
  let database: Awaited<ReturnType<typeof migratedDatabase>>
  let db: Database
  let receiver: WebhookReceiver
  let ada: PageClient
  let workspace: string
  const answers: string[] = []

  const start = () => startMillrace({ databaseUrl: database.url, allowedHosts: [new URL(receiver.url).host] })
  before(async () => {
    database = await migratedDatabase()
    receiver = await startReceiver()
    millrace = await start()
    db = openDatabase(database.url)
    ;({ ada, workspace } = await firstAdministrator(millrace))
  })
  after(async () => {
    await receiver.close()
    await millrace.end('SIGTERM')
    await closeDatabase(db)
    await database.drop()
  })
  beforeEach(async () => {
    receiver.respond = () => ({ status: 204 })
    for (const { id } of (await list()).body.items) await call('DELETE', `${CHANNELS}/${id}`)
    receiver.received.length = 0
  })

  async function call<T>(method: string, path: string, body?: unknown): Promise<ApiResponse<T & Refusal>> {
    const response = await fetch(`${millrace.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TEST_KEY}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    answers.push(text)
    const parsed = text === '' ? null : JSON.parse(text)
    return { status: response.status, text, headers: response.headers, body: parsed }
  }
  const list = () => call<{ items: Channel[] }>('GET', `${CHANNELS}?channel_type=webhook`)
  async function create(more: object = {}, path = CHANNELS): Promise<Channel> {
    const body = { channel_type: 'webhook', event_types: JOB_EVENTS, url: receiver.url, ...more }
    const { status, body: channel, text } = await call<Channel>('POST', path, body)
    assert.equal(status, 201, text)
    return channel
  }
  const deliveries = async (id: string) =>
    (await call<{ items: Delivery[] }>('GET', `${CHANNELS}/${id}/deliveries`)).body.items
  const received = (type: string) =>
    until(
      async () => receiver.received.filter(({ body }) => JSON.parse(body).type === type),
      (found) => found.length > 0,
    )
  const feed = async (query = '') => (await call<Feed>('GET', `/notifications${query}`)).body

  /** A job that needs no other system. */
  async function runJob(): Promise<{ id: string; workflow_id: string }> {
    const form = new FormData()
    const nodes = [{ name: 'Partitioner', type: 'partition', subtype: 'fast' }]
    form.append('request_data', JSON.stringify({ job_nodes: nodes }))
    form.append('input_files[]', new Blob(['A page about the mill race.']), 'mill.txt')
    const headers = { authorization: `Bearer ${TEST_KEY}` }
    const response = await fetch(`${millrace.url}/api/v1/jobs/`, { method: 'POST', headers, body: form })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    const job = JSON.parse(text) as { id: string; workflow_id: string }
    const ended = async () => (await call<{ status: string }>('GET', `/jobs/${job.id}`)).body
    await until(ended, ({ status }) => status === 'COMPLETED')
    return job
  }

  test('it sends signed events of a job to a channel, and records them in the feed', async () => {
    const channel = await create()
    assert.match(channel.secret ?? '', /^whsec_/)
    const job = await runJob()
    await received('job.completed')
    const wanted = ['job.completed', 'job.in_progress', 'job.scheduled']
    await until(
      async () => receiver.received.map(({ body }) => JSON.parse(body).type as string).toSorted(),
      (types) => wanted.every((type) => types.includes(type)),
    )
    for (const { body, headers } of receiver.received) {
      const payload = new Webhook(channel.secret ?? '').verify(body, headers) as {
        job: { job_id: string; workflow_id: string }
        timestamp: string
        processing_time_ms: number
      }
      assert.equal(payload.job.job_id, job.id)
      assert.equal(payload.job.workflow_id, job.workflow_id)
      assert.equal(typeof payload.processing_time_ms, 'number')
      assert.ok(body.length < 20_000)
      assert.ok(!body.includes('mill.txt') && !body.includes('mill race'), 'no text and no title')
    }
    const { events } = await feed(`?workflow_id=${job.workflow_id}`)
    assert.deepEqual(
      events.map(({ event_type: type }) => type),
      wanted,
    )
    const one = await call<Feed['events'][number]>('GET', `/notifications/${events[0]?.id}`)
    assert.deepEqual(one.body, events[0])
  })

  test('it creates, lists, changes and deletes channels', async () => {
    const channel = await create({ description: 'To the chat', event_types: ['job.failed', 'job.failed'] })
    assert.deepEqual(channel.event_types, ['job.failed'])
    const shown = await call<Channel>('GET', `${CHANNELS}/${channel.id}`)
    assert.equal(shown.status, 200, shown.text)
    assert.ok(!('secret' in shown.body))
    assert.deepEqual((await list()).body.items, [shown.body])
    const count = async (query: string) =>
      (await call<{ items: Channel[] }>('GET', `${CHANNELS}?${query}`)).body.items.length
    assert.equal(await count('channel_type=webhook&enabled=false'), 0)
    assert.equal(await count('channel_type=email'), 0)
    const changed = await call<Channel>('PATCH', `${CHANNELS}/${channel.id}`, {
      enabled: false,
      description: null,
      event_types: ['job.completed', 'connector.failing'],
    })
    assert.equal(changed.status, 200, changed.text)
    const { enabled, description, event_types: types } = changed.body
    assert.deepEqual([enabled, description, types], [false, null, ['job.completed', 'connector.failing']])
    assert.equal(await count('channel_type=webhook&enabled=false'), 1)
    assert.equal((await call('DELETE', `${CHANNELS}/${channel.id}`)).status, 204)
    for (const method of ['GET', 'DELETE'])
      assert.equal((await call(method, `${CHANNELS}/${channel.id}`)).status, 404)
  })

  test('it shows a generated secret once, and a given one never', async () => {
    const given = `whsec_${Buffer.from('a secret that the customer chose').toString('base64')}`
    const channel = await create({ secret: given })
    assert.ok(!('secret' in channel))
    const tested = await call<Delivery>('POST', `${CHANNELS}/${channel.id}/test`)
    assert.equal(tested.status, 202, tested.text)
    const [webhook] = await received('channel.test')
    assert.ok(new Webhook(given).verify(webhook!.body, webhook!.headers))
    const rotated = await call<Channel>('PATCH', `${CHANNELS}/${channel.id}`, { secret: '' })
    assert.match(rotated.body.secret ?? '', /^whsec_/)
    const [sealed] = await db.selectFrom('notification_channels').select('secret').execute()
    assert.ok(!sealed?.secret.toString('latin1').includes('customer'))
    const output = [...answers, ...millrace.lines].join('\n')
    assert.ok(!output.includes(given.slice(6)), 'a given secret is in no answer and no log line')
    assert.equal(output.split(rotated.body.secret ?? '-').length, 2, 'a new one is shown once')
    const audit = await ada.get<{ items: { action: string; subject: string }[] }>('/audit')
    const actions = audit.body.items.map(({ action }) => action)
    assert.deepEqual(actions.slice(0, 3), ['rotate_channel_secret', 'test_channel', 'create_channel'])
    assert.ok(!audit.text.includes('whsec_'))
  })

  test('it refuses wrong settings and names the field', async () => {
    const valid = { channel_type: 'webhook', event_types: ['job.failed'], url: receiver.url }
    for (const [field, values] of Object.entries({
      url: [
        'nonsense',
        'ftp://hooks.acme.example/',
        'http://hooks.acme.example/',
        'https://127.0.0.1/',
        'https://localhost/x',
        'https://[::1]/',
        'https://[::ffff:127.0.0.1]/',
        'https://2130706433/',
        'https://10.0.0.1/',
        'https://169.254.169.254/latest/meta-data',
        'https://user:password@hooks.acme.example/',
        `https://hooks.acme.example/${'x'.repeat(3000)}`,
        7,
        null,
      ],
      event_types: [[], ['job.unknown'], ['channel.test'], 'job.failed', null],
      secret: ['short', 'not base64 but long enough for 24 bytes', `whsec_${'A'.repeat(120)}`, 7],
      description: ['x'.repeat(256), 7],
      enabled: ['yes', 1],
      surprise: [1],
    })) {
      const channel = field === 'url' ? await create() : null
      for (const value of values) {
        assertFieldRefused(await call('POST', CHANNELS, { ...valid, [field]: value }), RegExp(field))
        if (channel && value !== null)
          assertFieldRefused(await call('PATCH', `${CHANNELS}/${channel.id}`, { [field]: value }), /url/)
      }
    }
    assertFieldRefused(await call('GET', CHANNELS), /channel_type/)
    assertFieldRefused(await call('POST', CHANNELS, { ...valid, channel_type: 'fax' }), /channel_type/)
    const { id } = await create()
    assertFieldRefused(await call('PATCH', `${CHANNELS}/${id}`, { channel_type: 'email' }), /channel_type/)
  })

  test('it says that it sends no e-mail', async () => {
    const { id } = await create()
    const email = {
      channel_type: 'email',
      event_types: ['job.failed'],
      email_config: { recipient_email: 'ada@acme.example' },
    }
    assertRefused(await call('POST', CHANNELS, email), 422, /email_not_supported.*|sends no e-mail/)
    assertRefused(
      await call('POST', `${CHANNELS}/${id}/verify`, { code: '123456' }),
      422,
      /email_not_supported/,
    )
    assertFieldRefused(await call('POST', `${CHANNELS}/${id}/verify`, { code: '12' }), /code/)
  })

  test('it keeps channels of workspaces and workflows apart', async () => {
    const { body: workflow } = await call<{ id: string }>('POST', '/workflows', { name: randomUUID() })
    const path = `/workflows/${workflow.id}/notifications/channels`
    const ours = await create()
    const scoped = await create({}, path)
    assert.equal((await call('GET', `${CHANNELS}/${scoped.id}`)).status, 404)
    assert.equal((await call('GET', `${path}/${ours.id}`)).status, 404)
    assert.equal((await call('GET', `${path}/${scoped.id}`)).status, 200)
    const other = await addOtherWorkspace(database.url)
    const theirs = randomUUID()
    await sql`insert into notification_channels (id, workspace_id, url, event_types, enabled, secret)
      values (${theirs}, ${other.workspace}, ${receiver.url}, '{job.failed}', true, '')`.execute(db)
    const delivery = randomUUID()
    await sql`insert into webhook_deliveries (id, channel_id, workspace_id, event_type, body, max_attempts, status)
      values (${delivery}, ${theirs}, ${other.workspace}, 'job.failed', '{}', 10, 'failed')`.execute(db)
    for (const base of [CHANNELS, path])
      for (const [method, rest, body] of [
        ['GET', ''],
        ['PATCH', '', { enabled: false }],
        ['DELETE', ''],
        ['POST', '/test'],
        ['GET', '/deliveries'],
        ['POST', '/verify', { code: '123456' }],
        ['POST', `/deliveries/${delivery}/replay`],
      ] as const)
        assert.equal((await call(method, `${base}/${theirs}${rest}`, body)).status, 404, `${method} ${rest}`)
    const ofOther = `/workflows/${other.workflow}/notifications/channels`
    assert.equal((await call('GET', `${ofOther}?channel_type=webhook`)).status, 404)
    for (const id of [delivery, randomUUID(), 'nonsense'])
      assert.equal((await call('POST', `${CHANNELS}/${ours.id}/deliveries/${id}/replay`)).status, 404)
    await call('DELETE', `/workflows/${workflow.id}`)
    const left = await db
      .selectFrom('notification_channels')
      .select('id')
      .where('id', '=', scoped.id)
      .execute()
    assert.deepEqual(left, [], 'the channels of a deleted workflow are deleted')
    await sql`delete from notification_channels where id = ${theirs}`.execute(db)
  })

  test('it allows 50 channels', async () => {
    const created = await Promise.all(
      Array.from({ length: 55 }, () =>
        call('POST', CHANNELS, { channel_type: 'webhook', event_types: ['job.failed'], url: receiver.url }),
      ),
    )
    const statuses = created.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 201).length, 50)
    assert.equal(statuses.filter((status) => status === 409).length, 5)
  })

  test('it replays a delivery under the same id', async () => {
    const channel = await create({ event_types: ['job.completed'] })
    receiver.respond = () => ({ status: 410 })
    await runJob()
    const [first] = await until(
      () => deliveries(channel.id),
      (items) => items[0]?.status === 'failed',
    )
    const path = `${CHANNELS}/${channel.id}/deliveries/${first?.id}/replay`
    assertRefused(await call('POST', path), 409, /disabled/)
    const feedOfDisabled = await feed('?event_types=channel.disabled')
    assert.equal(feedOfDisabled.events.length, 1)
    receiver.respond = () => ({ status: 200, body: 'never stored' })
    await call('PATCH', `${CHANNELS}/${channel.id}`, { enabled: true })
    const replayed = await call<Delivery>('POST', path)
    assert.equal(replayed.status, 202, replayed.text)
    await until(
      () => deliveries(channel.id),
      (items) => items[0]?.status === 'delivered',
    )
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    assert.deepEqual(ids, [first?.id, first?.id])
    const page = await call<{ items: Delivery[] }>('GET', `${CHANNELS}/${channel.id}/deliveries`)
    assert.ok(!page.text.includes('never stored'))
  })

  describe('the feed', () => {
    test('it pages and filters', async () => {
      const first = await runJob()
      await runJob()
      const all = await feed('?limit=100')
      const paged: Feed['events'] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Feed = await feed(`?limit=2${cursor && `&cursor=${cursor}`}`)
        paged.push(...page.events)
        cursor = page.next_cursor
      }
      assert.deepEqual(paged, all.events)
      const ended = await feed(`?event_types=job.completed,job.failed&workflow_id=${first.workflow_id}`)
      assert.deepEqual(
        ended.events.map(({ event_type: type }) => type),
        ['job.completed'],
      )
      const since = await feed(`?since=${all.events[0]?.created_at}`)
      assert.equal(since.events[0]?.id, all.events[0]?.id)
      assert.ok(since.events.length < all.events.length)
      assert.deepEqual((await feed(`?workflow_id=${randomUUID()}`)).events, [])
      for (const [query, field] of [
        ['limit=0', 'limit'],
        ['limit=101', 'limit'],
        ['cursor=x', 'cursor'],
        ['since=yesterday', 'since'],
        ['event_types=job.unknown', 'event_types'],
        ['unread_only=perhaps', 'unread_only'],
        ['surprise=1', 'surprise'],
        ['since=2026-02-31T00:00:00Z', 'since'],
      ] as const)
        assertFieldRefused(await call('GET', `/notifications?${query}`), RegExp(field))
    })

    test('it remembers what each person has read', async () => {
      const bob = await joinWorkspace(ada, millrace.url ?? '', {
        ...{ email: 'bob@acme.example', role: 'viewer', workspace },
      })
      await runJob()
      const unread = async (by: PageClient) =>
        (await by.get<{ unread_count: number }>('/notifications/unread-count')).body.unread_count
      const mark = (by: PageClient, body: object) =>
        by.post<{ marked_count: number }>('/notifications/mark-read', body)
      const before = await unread(ada)
      assert.ok(before >= 3)
      const { events } = (await ada.get<Feed>('/notifications?limit=2')).body
      const ids = events.map(({ id }) => id)
      const marked = await mark(ada, { notification_ids: [...ids, ids[0], randomUUID(), 'nonsense'] })
      assert.deepEqual(marked.body, { marked_count: 2 }, marked.text)
      assert.deepEqual((await mark(ada, { notification_ids: ids })).body, { marked_count: 0 })
      assert.deepEqual([await unread(ada), await unread(bob)], [before - 2, before])
      const left = (await ada.get<Feed>('/notifications?unread_only=true&limit=100')).body.events
      assert.ok(left.every(({ id, is_read: isRead }) => !ids.includes(id) && !isRead))
      assert.ok((await mark(bob, { before: left[0]?.created_at })).body.marked_count < before)
      const workflow = events[0]?.workflow_id
      assert.ok((await mark(bob, { mark_all: true, workflow_id: workflow })).body.marked_count >= 1)
      await mark(bob, { mark_all: true })
      assert.deepEqual([await unread(bob), await unread(ada)], [0, before - 2])
      const ofKeys = await call<{ unread_count: number }>('GET', '/notifications/unread-count')
      assert.equal(ofKeys.body.unread_count, before)
      assert.equal((await bob.post(`${CHANNELS}`, {})).status, 403)
    })

    test('it marks as read by exactly one rule', async () => {
      for (const body of [
        {},
        { mark_all: false },
        { mark_all: true, before: '2026-01-01T00:00:00Z' },
        { notification_ids: [randomUUID()], mark_all: true },
        { notification_ids: [randomUUID()], workflow_id: randomUUID() },
        { notification_ids: [] },
        { notification_ids: Array.from({ length: 101 }, () => randomUUID()) },
        { before: 'yesterday' },
        { workflow_id: randomUUID() },
        { mark_all: true, surprise: 1 },
      ])
        assert.equal((await call('POST', '/notifications/mark-read', body)).status, 422, JSON.stringify(body))
      for (const before of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999+14:00']) {
        const marked = await call('POST', '/notifications/mark-read', { before, notification_ids: null })
        assert.equal(marked.status, 200, marked.text)
        assert.equal((await call('GET', `/notifications?since=${encodeURIComponent(before)}`)).status, 200)
      }
      const theirs = await addOtherWorkspace(database.url)
      const id = randomUUID()
      await sql`insert into notifications (id, workspace_id, event_type, payload)
        values (${id}, ${theirs.workspace}, 'job.failed', '{}')`.execute(db)
      assert.equal((await call('GET', `/notifications/${id}`)).status, 404)
      assert.deepEqual((await call('POST', '/notifications/mark-read', { notification_ids: [id] })).body, {
        marked_count: 0,
      })
    })
  })

  test('it reports permissions that are too old', async () => {
    const { body: workflow } = await call<{ id: string }>('POST', '/workflows', { name: randomUUID() })
    await sql`insert into workflow_scopes (workflow_id, scope, listed_at, proved_at)
      values (${workflow.id}, 'ENG', now(), now() - interval '25 hours')`.execute(db)
    await sql`update periodic_tasks set began_at = now() - interval '1 hour'`.execute(db)
    const { events } = await until(
      () => feed('?event_types=permissions.too_old'),
      (found) => found.events.length > 0,
    )
    assert.deepEqual(
      events.map(({ workflow_id: id }) => id),
      [workflow.id],
    )
  })

  test('it sends to other channels while one receiver hangs, also after kill -9', async () => {
    const slow = await create({ url: `${receiver.url}/slow`, event_types: ['job.completed'] })
    const fast = await create({ url: `${receiver.url}/fast`, event_types: ['job.completed'] })
    const at = ({ path }: ReceivedWebhook) => path.split('/').at(-1)
    receiver.respond = (webhook) => (at(webhook) === 'slow' ? 'hang' : { status: 204 })
    const job = await runJob()
    const sent = (path: string) => receiver.received.filter((webhook) => at(webhook) === path)
    await until(
      async () => [sent('slow').length, (await deliveries(fast.id))[0]?.status],
      ([hanging, other]) => hanging === 1 && other === 'delivered',
    )
    await millrace.end('SIGKILL')
    receiver.respond = () => ({ status: 204 })
    // Saves the time after which the queue and the claim count the worker as dead.
    await sql`delete from pgboss.job where name = 'deliver' and state = 'active'`.execute(db)
    await sql`update webhook_deliveries set next_attempt_at = now() where status = 'pending'`.execute(db)
    millrace = await start()
    await until(
      () => deliveries(slow.id),
      (items) => items[0]?.status === 'delivered',
    )
    const ids = sent('slow').map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body).job.job_id])
    assert.equal(ids.length, 2)
    assert.deepEqual(ids[0], ids[1])
    assert.equal(ids[0]?.[1], job.id)
    assert.equal(sent('fast').length, 1)
  })
})
