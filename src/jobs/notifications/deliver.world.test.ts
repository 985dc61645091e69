import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { type FreshDatabase, migratedDatabase } from '../../../test/world/postgres.ts'
import { startReceiver, type WebhookReceiver } from '../../../test/world/webhook-receiver.ts'
import { parseAllowedHosts } from '../../connectors/egress/allowed-hosts.ts'
import type { Egress } from '../../connectors/egress/egress.ts'
import { createEgress } from '../../connectors/egress/guard.ts'
import { insertCheck, recordCheckReport } from '../../store/connectors/connectors.ts'
import { closeDatabase, type Database, openDatabase } from '../../store/database.ts'
import { endJob, insertJob, markStarted, setHeldBack } from '../../store/jobs/jobs.ts'
import { migrate } from '../../store/migrate.ts'
import { migrations } from '../../store/migrations/all.ts'
import { cancelDeliveries, insertChannel, updateChannel } from '../../store/notifications/channels.ts'
import { recordConnectorFailure, reportOldPermissions } from '../../store/notifications/conditions.ts'
import { channelsToDeliver, listDeliveries } from '../../store/notifications/deliveries.ts'
import { EVENT_TYPES, type EventType, recordEvent } from '../../store/notifications/events.ts'
import { pruneNotifications } from '../../store/notifications/feed.ts'
import type { JobKind } from '../../store/schema.ts'
import { createVault } from '../../store/vault.ts'
import { channelSealBinding, deliverTask } from './deliver.ts'
import { recordProgressEvents } from './progress-events.ts'
import { newWebhookSecret } from './signature.ts'

let fresh: FreshDatabase
let db: Database
let receiver: WebhookReceiver
let egress: Egress
const vault = createVault(Buffer.alloc(32, 1))
const secret = newWebhookSecret()

before(async () => {
  fresh = await migratedDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
  receiver = await startReceiver()
  egress = createEgress({ allowedHosts: parseAllowedHosts(new URL(receiver.url).host) })
})
after(async () => {
  await egress.close()
  await receiver.close()
  await closeDatabase(db)
  await fresh.drop()
})

let workspaceId: string
let channelId: string
beforeEach(async () => {
  workspaceId = randomUUID()
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'ours')`.execute(db)
  channelId = await addChannel()
  receiver.received.length = 0
  receiver.respond = () => ({ status: 204 })
})

async function addChannel(more: { workflowId?: string; types?: EventType[] } = {}): Promise<string> {
  const id = randomUUID()
  const row = await insertChannel(
    db,
    { workspaceId, workflowId: more.workflowId ?? null },
    {
      id,
      url: receiver.url,
      description: null,
      event_types: more.types ?? [...EVENT_TYPES],
      enabled: true,
      secret: vault.seal(secret, channelSealBinding({ workspace_id: workspaceId, id })),
    },
  )
  assert.ok(row)
  return id
}

const record = (type: EventType = 'job.completed') =>
  recordEvent(db, { type, workspaceId, workflowId: null, details: { job: { job_id: randomUUID() } } })
const deliver = (channel = channelId, signal = new AbortController().signal) =>
  deliverTask({ db, vault, egress, hide: () => () => {} })(
    { channelId: channel },
    { id: randomUUID(), tries: 1, lastTry: false, signal },
  )
const deliveries = (channel = channelId) => listDeliveries(db, channel, { before: null, limit: 1000 })
const channel = () =>
  db.selectFrom('notification_channels').selectAll().where('id', '=', channelId).executeTakeFirstOrThrow()
const events = async (type?: EventType) => {
  const rows = await db
    .selectFrom('notifications')
    .select(['event_type', 'payload'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('sequence')
    .execute()
  return rows.filter((row) => !type || row.event_type === type)
}
/** Moves the clock of the deliveries instead of waiting. */
const skipTime = () =>
  sql`update webhook_deliveries set next_attempt_at = now() where channel_id = ${channelId}::uuid and status = 'pending'`.execute(
    db,
  )
/** The first delay is only a few seconds. */
const postpone = () =>
  sql`update webhook_deliveries set next_attempt_at = next_attempt_at + interval '1 hour' where channel_id = ${channelId}::uuid`.execute(
    db,
  )

/** Until a query waits for the lock of another transaction. */
async function waitForBlocked(): Promise<void> {
  for (;;) {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    if (rows.length > 0) return
    await sleep(10)
  }
}

describe('a delivery', () => {
  test('it sends a signed event once', async () => {
    await record()
    assert.deepEqual(await channelsToDeliver(db), [channelId])
    await deliver()
    await deliver()
    const [sent, ...more] = receiver.received
    assert.ok(sent && more.length === 0)
    assert.equal(sent.headers['content-type'], 'application/json')
    const payload = new Webhook(secret).verify(sent.body, sent.headers) as { type: string; timestamp: string }
    assert.equal(payload.type, 'job.completed')
    assert.ok(Math.abs(Date.parse(payload.timestamp) - Date.now()) < 60_000)
    const [row] = await deliveries()
    assert.deepEqual(
      [row?.status, row?.attempts, row?.response_status, row?.next_attempt_at],
      ['delivered', 1, 204, null],
    )
    assert.equal(sent.headers['webhook-id'], row?.id)
  })

  test('it retries on the schedule under one id, and then gives up', async () => {
    receiver.respond = () => ({ status: 500, body: 'a secret of the receiver' })
    await record()
    // The delays as seen from before and after the attempt.
    const waits: { longest: number; shortest: number }[] = []
    for (let attempt = 1; attempt <= 10; attempt++) {
      const before = Date.now()
      await deliver()
      const after = Date.now()
      const [row] = await deliveries()
      assert.deepEqual([row?.attempts, row?.response_status], [attempt, 500])
      const next = row?.next_attempt_at?.getTime()
      if (next) waits.push({ longest: (next - before) / 1000, shortest: (next - after) / 1000 })
      assert.equal(receiver.received.length, attempt)
      await postpone()
      await deliver()
      assert.equal(receiver.received.length, attempt, 'it waits')
      await skipTime()
    }
    const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    for (const [at, seconds] of schedule.entries())
      assert.ok(
        waits[at]!.longest > seconds - 5 && waits[at]!.shortest < seconds * 1.2 + 5,
        `${at}: ${JSON.stringify(waits[at])}`,
      )
    await deliver()
    assert.equal(receiver.received.length, 10)
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    for (const { body, headers } of receiver.received) assert.ok(new Webhook(secret).verify(body, headers))
    const [row] = await deliveries()
    assert.equal(row?.status, 'failed')
    assert.equal(row?.error, 'the receiver responded with 500')
  })

  test('it sends the next one only after a success', async () => {
    receiver.respond = () => ({ status: 503 })
    for (let count = 0; count < 3; count++) await record()
    await deliver()
    assert.equal(receiver.received.length, 1)
    receiver.respond = () => ({ status: 200 })
    await skipTime()
    await deliver()
    assert.equal(receiver.received.length, 4)
    assert.equal((await channel()).failing_since, null)
  })

  test('it pauses the whole channel for Retry-After', async () => {
    receiver.respond = () => ({ status: 429, headers: { 'retry-after': '99999999' } })
    await record()
    await record()
    await deliver()
    await skipTime()
    await deliver()
    assert.deepEqual(await channelsToDeliver(db), [])
    assert.equal(receiver.received.length, 1)
    const { paused_until: until } = await channel()
    assert.ok(until && until.getTime() - Date.now() <= 86_400_000, 'a day at most')
    await sql`update notification_channels set paused_until = now() where id = ${channelId}`.execute(db)
    receiver.respond = () => ({ status: 200 })
    await deliver()
    assert.equal(receiver.received.length, 3)
  })

  test('it disables a channel that is gone, and says so in the feed', async () => {
    receiver.respond = () => ({ status: 410 })
    await record()
    await record()
    await deliver()
    const { enabled, disabled_reason: reason } = await channel()
    assert.deepEqual([enabled, reason], [false, 'gone'])
    for (const { status } of await deliveries()) assert.equal(status, 'failed')
    const [notice, ...more] = await events('channel.disabled')
    assert.equal(more.length, 0)
    assert.deepEqual(notice?.payload.channel, {
      channel_id: channelId,
      host: new URL(receiver.url).host,
      reason: 'gone',
    })
    await record()
    assert.equal((await deliveries()).length, 2, 'a disabled channel gets no new deliveries')
  })

  test('it disables a channel that failed for five days', async () => {
    receiver.respond = () => ({ status: 500 })
    const failFor = async (days: number) => {
      await sql`update notification_channels set failing_since = now() - make_interval(days => ${days}) where id = ${channelId}`.execute(
        db,
      )
      await record()
      await skipTime()
      await deliver()
      return channel()
    }
    assert.equal((await failFor(4)).enabled, true)
    const failed = await failFor(6)
    assert.deepEqual([failed.enabled, failed.disabled_reason], [false, 'failing'])
    assert.equal((await events('channel.disabled')).length, 1)
    const enabled = await updateChannel(db, channelId, { enabled: true })
    assert.deepEqual([enabled?.disabled_reason, enabled?.failing_since], [null, null])
  })

  test('it signs with the old secret too for a day after a rotation', async () => {
    const next = newWebhookSecret()
    await updateChannel(db, channelId, {
      secret: vault.seal(next, channelSealBinding({ workspace_id: workspaceId, id: channelId })),
    })
    await record()
    await deliver()
    const [both] = receiver.received
    for (const each of [secret, next]) assert.ok(new Webhook(each).verify(both!.body, both!.headers))
    await sql`update notification_channels set old_secret_until = now() where id = ${channelId}`.execute(db)
    await record()
    await deliver()
    const last = receiver.received.at(-1)!
    assert.ok(new Webhook(next).verify(last.body, last.headers))
    assert.throws(() => new Webhook(secret).verify(last.body, last.headers))
  })

  test('it gives a delivery back when the process stops', async () => {
    const stop = new AbortController()
    receiver.respond = () => {
      stop.abort(new Error('the process stops'))
      return 'hang'
    }
    await record()
    await assert.rejects(deliver(channelId, stop.signal), /the process stops/)
    const [row] = await deliveries()
    assert.deepEqual([row?.status, row?.attempts], ['pending', 0])
    receiver.respond = () => ({ status: 200 })
    await deliver()
    assert.equal((await deliveries())[0]?.status, 'delivered')
  })

  test('it sends the delivery of a killed worker again after a minute', async () => {
    await record()
    await sql`update webhook_deliveries set attempts = 1, next_attempt_at = now() + interval '1 minute'
      where channel_id = ${channelId}`.execute(db)
    await deliver()
    assert.equal(receiver.received.length, 0)
    await skipTime()
    await deliver()
    assert.equal(receiver.received.length, 1)
  })

  test('it lets other channels have their turn when a receiver is slow', async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    try {
      receiver.respond = () => {
        mock.timers.tick(15_000)
        return { status: 200 }
      }
      for (let count = 0; count < 5; count++) await record()
      await deliver()
      assert.equal(receiver.received.length, 2)
    } finally {
      mock.timers.reset()
    }
  })

  test('it forgets pauses and failures of an address that changed', async () => {
    receiver.respond = () => ({ status: 503, headers: { 'retry-after': '86400' } })
    await record()
    await deliver()
    await updateChannel(db, channelId, { url: `${receiver.url}/moved` })
    const { failing_since, paused_until } = await channel()
    assert.deepEqual([failing_since, paused_until], [null, null])
  })

  test('it does not disable a channel for what its earlier address responded', async () => {
    receiver.respond = async () => {
      await updateChannel(db, channelId, { url: `${receiver.url}/moved` })
      return { status: 410 }
    }
    await record()
    await deliver()
    assert.equal((await channel()).enabled, true)
  })

  test('it records a failure while a person disables the channel', async () => {
    receiver.respond = () => ({ status: 500 })
    await record()
    let delivering: Promise<void> = Promise.resolve()
    await db.transaction().execute(async (transaction) => {
      await sql`update notification_channels set enabled = false where id = ${channelId}`.execute(transaction)
      delivering = deliver()
      // Only an enabled channel is claimed, and the change is not committed yet.
      await waitForBlocked()
      await cancelDeliveries(transaction, channelId)
    })
    await delivering
    assert.equal((await deliveries())[0]?.status, 'failed')
  })
})

describe('the events of jobs', () => {
  let connectors: { source: string; destination: string }
  let workflowId: string
  beforeEach(async () => {
    connectors = { source: randomUUID(), destination: randomUUID() }
    workflowId = randomUUID()
    for (const [kind, id] of Object.entries(connectors))
      await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
        values (${id}, ${workspaceId}, ${kind}, 'x', ${kind}, '{}', '{}')`.execute(db)
    await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
      values (${workflowId}, ${workspaceId}, 'flow', 'custom', '[]', false, 'active')`.execute(db)
  })

  async function startJob(kind: JobKind = 'content'): Promise<string> {
    const id = randomUUID()
    const settings = {
      source_id: connectors.source,
      destination_id: connectors.destination,
      nodes: [],
      reprocess_all: false,
    }
    const job = { id, workspaceId, workflowId, workflowName: 'flow', jobType: 'persistent', kind } as const
    assert.ok('inserted' in (await insertJob(db, { ...job, startedBy: null, settings })))
    await markStarted(db, id)
    await markStarted(db, id)
    return id
  }
  const complete = async (id: string, processingStatus: 'SUCCESS' | 'COMPLETED_WITH_ERRORS' = 'SUCCESS') => {
    await sql`update jobs set listed = true, complete = true where id = ${id}`.execute(db)
    await endJob(db, id, { status: 'COMPLETED', processingStatus, message: null })
  }
  const failWith = async (errorCode: 'source_unreachable' | 'internal' | 'destination_unreachable') => {
    const id = await startJob()
    const ending = { status: 'FAILED', processingStatus: 'FAILED', message: 'It failed.' } as const
    assert.equal(await endJob(db, id, { ...ending, errorCode }), true)
    assert.equal(await endJob(db, id, { ...ending, errorCode }), false)
  }

  test('it records each change of the status once', async () => {
    await complete(await startJob())
    const types = (await events()).map(({ event_type: type }) => type)
    assert.deepEqual(types, ['job.scheduled', 'job.in_progress', 'job.completed'])
    const [, , last] = await events()
    const payload = last?.payload as { job: Record<string, unknown>; processing_time_ms: number }
    assert.equal(payload.job.workflow_id, workflowId)
    assert.equal(payload.job.processing_status, 'SUCCESS')
    assert.ok(payload.processing_time_ms >= 0)
    assert.equal((await deliveries()).length, 3)
  })

  test('it records nothing for permission passes and verifications', async () => {
    for (const kind of ['permissions', 'verify'] as const) await complete(await startJob(kind))
    assert.deepEqual(await events(), [])
  })

  test('it records nothing if the transaction of the job fails', async () => {
    const id = await startJob()
    const before = (await events()).length
    const failed = db.transaction().execute(async (transaction) => {
      await endJob(transaction, id, { status: 'STOPPED', processingStatus: 'STOPPED', message: null })
      throw new Error('rolled back')
    })
    await assert.rejects(failed, /rolled back/)
    assert.equal((await events()).length, before)
    assert.equal((await deliveries()).length, before)
  })

  test('it records a change of the status while a channel is deleted', async () => {
    const id = await startJob()
    let ending: Promise<boolean> = Promise.resolve(false)
    await db.transaction().execute(async (transaction) => {
      await sql`delete from notification_channels where id = ${channelId}`.execute(transaction)
      ending = endJob(db, id, { status: 'STOPPED', processingStatus: 'STOPPED', message: null })
      ending.catch(() => {})
      await waitForBlocked()
    })
    assert.equal(await ending, true)
    assert.equal((await events('job.stopped')).length, 1)
  })

  test('it counts a failure again if its event could not be stored', async () => {
    const failure = { connectorId: connectors.source, errorCode: 'source_unreachable' }
    for (let count = 0; count < 2; count++) await recordConnectorFailure(db, failure)
    await sql`alter table notifications rename to away`.execute(db)
    await assert.rejects(recordConnectorFailure(db, failure))
    await sql`alter table away rename to notifications`.execute(db)
    await recordConnectorFailure(db, failure)
    assert.equal((await events('connector.failing')).length, 1)
  })

  test('it adds no progress while earlier progress waits', async () => {
    await startJob()
    await recordProgressEvents(db)
    const progress = async () =>
      (await deliveries()).filter(({ event_type: type }) => type === 'job.progress').length
    await sql`update webhook_deliveries set created_at = now() - interval '1 minute'`.execute(db)
    await recordProgressEvents(db)
    assert.equal(await progress(), 1)
    await deliver()
    await recordProgressEvents(db)
    assert.equal(await progress(), 2)
  })

  test('it sends progress to channels only, and only while a job runs', async () => {
    const other = await addChannel({ types: ['job.failed'] })
    const id = await startJob()
    await recordProgressEvents(db)
    assert.deepEqual(
      (await deliveries()).map(({ event_type: type }) => type),
      ['job.progress', 'job.in_progress', 'job.scheduled'],
    )
    assert.deepEqual(await deliveries(other), [])
    assert.deepEqual(await events('job.progress'), [])
    await complete(id)
    await recordProgressEvents(db)
    assert.equal((await deliveries()).length, 4)
  })

  test('it sends events of a workflow to its own channels', async () => {
    const own = await addChannel({ workflowId })
    await record()
    assert.equal((await deliveries(own)).length, 0)
    await complete(await startJob())
    assert.equal((await deliveries(own)).length, 3)
  })

  test('it reports a failing connector at the third failure, once until it works', async () => {
    const failing = async () => (await events('connector.failing')).length
    await failWith('source_unreachable')
    await failWith('internal')
    await failWith('source_unreachable')
    assert.equal(await failing(), 0)
    await failWith('source_unreachable')
    assert.equal(await failing(), 1)
    for (let count = 0; count < 4; count++) await failWith('source_unreachable')
    assert.equal(await failing(), 1)
    const [notice] = await events('connector.failing')
    const { connector, error_code: code } = notice?.payload ?? {}
    assert.deepEqual(connector, { connector_id: connectors.source, kind: 'source', name: 'source' })
    assert.equal(code, 'source_unreachable')
    await complete(await startJob())
    for (let count = 0; count < 3; count++) await failWith('source_unreachable')
    assert.equal(await failing(), 2)
  })

  test('it takes a successful check as the end of the failures', async () => {
    const check = async (ok: boolean) => {
      const id = randomUUID()
      await db
        .transaction()
        .execute((transaction) => insertCheck(transaction, { id, connectorId: connectors.destination }))
      await recordCheckReport(db, id, { ok, reason: null, steps: [] })
    }
    for (const ok of [false, true]) {
      await failWith('destination_unreachable')
      await failWith('destination_unreachable')
      await check(ok)
    }
    assert.equal((await events('connector.failing')).length, 1)
    await failWith('destination_unreachable')
    await failWith('destination_unreachable')
    assert.equal((await events('connector.failing')).length, 1)
  })

  test('it keeps the failures of a destination that a pass could not write', async () => {
    for (let count = 0; count < 2; count++) await failWith('destination_unreachable')
    await complete(await startJob('permissions'), 'COMPLETED_WITH_ERRORS')
    await failWith('destination_unreachable')
    assert.equal((await events('connector.failing')).length, 1)
  })

  test('it reports deletions that are held back once, until a run holds none back', async () => {
    const heldBack = async () => (await events('deletions.held_back')).length
    const runHolding = async (documents: number) => {
      const id = await startJob()
      if (documents > 0) await setHeldBack(db, id, documents)
      await complete(id)
      return id
    }
    await runHolding(30)
    const last = await runHolding(31)
    assert.equal(await heldBack(), 1)
    await setHeldBack(db, last, 0)
    await runHolding(25)
    assert.equal(await heldBack(), 2)
    await runHolding(0)
    await runHolding(28)
    assert.equal(await heldBack(), 3)
    assert.equal((await events('deletions.held_back'))[2]?.payload.held_back, 28)
  })

  test('it reports permissions that are too old once, until they are fresh again', async () => {
    const tooOld = async () => {
      await reportOldPermissions(db)
      return (await events('permissions.too_old')).length
    }
    const proved = (hours: number) =>
      sql`insert into workflow_scopes as s (workflow_id, scope, listed_at, proved_at)
        values (${workflowId}, 'ENG', now(), now() - make_interval(hours => ${hours}))
        on conflict (workflow_id, scope) do update set proved_at = excluded.proved_at`.execute(db)
    await proved(23)
    assert.equal(await tooOld(), 0)
    await proved(25)
    assert.deepEqual([await tooOld(), await tooOld()], [1, 1])
    await proved(0)
    assert.equal(await tooOld(), 1)
    await proved(30)
    assert.equal(await tooOld(), 2)
    const [notice] = await events('permissions.too_old')
    assert.deepEqual([notice?.payload.scopes, notice?.payload.max_permission_age_hours], [1, 24])
  })
})

test('it deletes events and deliveries after 30 days', async () => {
  await record()
  await record('job.failed')
  for (const table of ['notifications', 'webhook_deliveries'])
    await sql`update ${sql.table(table)} set created_at = now() - interval '31 days'
      where workspace_id = ${workspaceId} and event_type = 'job.failed'`.execute(db)
  await pruneNotifications(db)
  assert.deepEqual(
    (await events()).map(({ event_type: type }) => type),
    ['job.completed'],
  )
  assert.equal((await deliveries()).length, 1)
})

test('it keeps a waiting delivery however many others there are', async () => {
  await record('job.failed')
  await sql`insert into webhook_deliveries (id, channel_id, workspace_id, event_type, body, max_attempts, status)
    select gen_random_uuid(), ${channelId}, ${workspaceId}, 'job.progress', '{}', 1, 'delivered'
    from generate_series(1, 16000)`.execute(db)
  await pruneNotifications(db)
  const { rows } = await sql<{ event_type: string; count: number }>`
    select event_type, count(*)::int as count from webhook_deliveries where channel_id = ${channelId}
    group by event_type order by event_type`.execute(db)
  assert.deepEqual(rows, [
    { event_type: 'job.failed', count: 1 },
    { event_type: 'job.progress', count: 10_000 },
  ])
})

test('it keeps a problem in the feed however many jobs run', async () => {
  await record('deletions.held_back')
  await sql`insert into notifications (id, workspace_id, event_type, payload)
    select gen_random_uuid(), ${workspaceId}, 'job.completed', '{}' from generate_series(1, 10500)`.execute(
    db,
  )
  await pruneNotifications(db)
  assert.equal((await events('deletions.held_back')).length, 1)
  assert.equal((await events()).length, 10_001)
})
