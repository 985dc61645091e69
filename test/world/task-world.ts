import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { parseAllowedHosts } from '../../src/connectors/egress/allowed-hosts.ts'
import { createEgress } from '../../src/connectors/egress/guard.ts'
import { serviceConnectors } from '../../src/connectors/registry.ts'
import { connections } from '../../src/jobs/connections.ts'
import type { TaskData, TaskName, TaskQueue } from '../../src/jobs/queue/engine.ts'
import type { Resources } from '../../src/jobs/resources.ts'
import { openRuns } from '../../src/jobs/runs.ts'
import { taskHandlers } from '../../src/jobs/tasks/handlers.ts'
import { unlimitedMeter } from '../../src/pipeline/models/token-meter.ts'
import { createRunnerFactory } from '../../src/pipeline/runner-factory.ts'
import { closeDatabase, type Database, openDatabase } from '../../src/store/database.ts'
import { createVault } from '../../src/store/vault.ts'
import { type CutAt, Cutter, cuttableConnections, cuttableDatabase } from './cut-calls.ts'
import { silent } from './search-engine/fresh-index.ts'
import { MASTER_KEY } from './service.ts'
import { openWorld, type World, type WorldOptions } from './world.ts'

export type Task = { name: TaskName; data: TaskData[TaskName] }
type Delivered = Pick<Cutter, 'calls' | 'cut'>

/** A world whose tasks run in this process, one after the other, in the order they were sent. */
export type TaskWorld = {
  world: World
  db: Database
  /** For code that sends tasks. */
  engine: TaskQueue
  waiting(): Promise<Task[]>
  /** Delivers a task as a new worker does; a cut task stays in the queue. */
  deliver(task: Task, cutAt?: CutAt): Promise<Delivered>
  close(): Promise<void>
}

export async function openTaskWorld({
  otherHosts = [],
  ...options
}: Pick<WorldOptions, 'wiki' | 'destination'> & { otherHosts?: string[] }): Promise<TaskWorld> {
  const world = await openWorld({ ...options, role: 'api' })
  const db = openDatabase(world.databaseUrl)
  await sql`create table test_tasks (
    name text, key text, data jsonb not null, id bigint generated always as identity, primary key (name, key))`.execute(
    db,
  )
  const wikiHosts = [world.wiki.siteUrl, world.wiki.mediaUrl].map((url) => new URL(url).host)
  const hosts = [...wikiHosts, ...otherHosts, world.destination.host]
  const egress = createEgress({ allowedHosts: parseAllowedHosts(hosts.join(',')) })
  const shared = {
    ...{ vault: createVault(MASTER_KEY), egress, registry: serviceConnectors, log: silent },
    ...{ runners: createRunnerFactory(), hide: () => () => {}, meter: () => unlimitedMeter },
    uploadQuotas: { activeJobs: 50, uploadBytes: 1e9, outputBytes: 5e9 },
  }

  /** The queue is a table, so that a task is part of the transaction that sends it. */
  function queue(own: Database): TaskQueue {
    const send: TaskQueue['send'] = async (name, data, transaction = undefined) => {
      // Sending a task that waits or runs has no effect, as in pg-boss.
      await sql`insert into test_tasks (name, key, data)
        values (${name}, ${Object.values(data).join(':')}, ${JSON.stringify(data)}::jsonb)
        on conflict do nothing`.execute(transaction ?? own)
    }
    const sendAll: TaskQueue['sendAll'] = async (name, tasks, transaction = undefined) => {
      for (const data of tasks) await send(name, data, transaction)
    }
    return { send, sendAll } as TaskQueue
  }

  /** The queue delivers the task of a dead worker again after its heartbeat of 20 s. */
  async function letHeartbeatPass(): Promise<void> {
    await sql`update documents set updated_at = updated_at - interval '20 seconds' where not settled`.execute(
      db,
    )
  }

  const deliveries = new Map<string, { id: string; tries: number }>()
  async function deliver({ name, data }: Task, cutAt?: CutAt): Promise<Delivered> {
    // Leases of earlier deliveries, which count as other processes, would leave no requests for this one.
    await sql`delete from site_leases`.execute(db)
    const key = JSON.stringify([name, data])
    const { id, tries } = {
      id: deliveries.get(key)?.id ?? randomUUID(),
      tries: (deliveries.get(key)?.tries ?? 0) + 1,
    }
    deliveries.set(key, { id, tries })
    const cutter = new Cutter(cutAt)
    const own = cuttableDatabase(world.databaseUrl, cutter)
    const resources: Resources = { ...shared, db: own }
    const connected = cuttableConnections(connections(resources), cutter)
    const runs = openRuns(resources, connected)
    const handlers = taskHandlers({ resources, engine: queue(own), runs, connections: connected })
    const handle = handlers[name as 'list'] as (data: TaskData[TaskName], attempt: object) => Promise<void>
    try {
      await handle(data, { id, tries, lastTry: false, signal: cutter.signal })
      if (!cutter.signal.aborted)
        await sql`delete from test_tasks where name = ${name} and data = ${JSON.stringify(data)}::jsonb`.execute(
          db,
        )
    } catch (error) {
      if (cutter.cut === null) throw error
      await letHeartbeatPass()
    } finally {
      await runs.close()
      await closeDatabase(own)
    }
    return cutter
  }

  return {
    world,
    db,
    engine: queue(db),
    async waiting() {
      const { rows } = await sql<Task>`select name, data from test_tasks order by id`.execute(db)
      return rows
    },
    deliver,
    async close() {
      await shared.runners.close()
      await egress.close()
      await closeDatabase(db)
      await world.close()
    },
  }
}

/** Delivers all waiting tasks until none is left, each of them twice. */
export async function workTwice({ waiting, deliver }: TaskWorld): Promise<void> {
  for (let [task] = await waiting(), count = 0; task; [task] = await waiting(), count++) {
    assert.ok(count < 100, `tasks are sent for ever: ${JSON.stringify(task)}`)
    await deliver(task)
    await deliver(task)
  }
}
