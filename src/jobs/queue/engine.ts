import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { fromKysely, PgBoss } from 'pg-boss'
import type { Log } from '../../connectors/type.ts'
import { counter, histogram } from '../../process-metrics.ts'
import { type Database, type PoolUse, poolUse, QUERY_TIMEOUT_MS } from '../../store/database.ts'
import { takeTurn, takeTurns } from './fair-queue.ts'

/** Only this file, fair-queue.ts, queue-ages.ts and restores use pg-boss. Another worker takes over the tasks of a dead one. */
export type TaskData = {
  list: { jobId: string }
  /** `claims`: how many documents the task claims. `alone`: those whose process died, a few at a time. */
  content: { jobId: string; number: number; claims: number; alone?: true }
  finish: { jobId: string }
  /** Each task of a job sends the next `part` when its time is over. */
  files: { jobId: string; part: number }
  permissions: { jobId: string }
  write_permissions: { workflowId: string }
  remove_elements: { jobId: string }
  /** Each task of a verification sends the next `part`. */
  verify: { jobId: string; part: number }
  check: { checkId: string }
  /** Sends the webhooks of one channel. */
  deliver: { channelId: string }
  scheduled: { workflowId: string }
}
export type TaskName = keyof TaskData

/** `id` is the same for every delivery. `tries` counts from one; after `lastTry` the queue gives the task up. */
export type TaskAttempt = {
  id: string
  tries: number
  lastTry: boolean
  signal: AbortSignal
  /** The process of the attempt before died or froze. */
  afterDeath?: true
  /** Counts the task as failed although its handler returns. */
  giveUp?(): void
}
export type Handler<N extends TaskName> = (data: TaskData[N], attempt: TaskAttempt) => Promise<void>
export type Handlers = { [N in TaskName]: Handler<N> }

/** A job without a task, and the tasks that were given up. */
export type LostJob = { jobId: string; givenUp: TaskName[]; givenUpTasks: string[] }

export interface TaskQueue {
  /** Sends as part of a transaction, if one is given. */
  send<N extends TaskName>(name: N, data: TaskData[N], transaction?: Database): Promise<void>
  /** Sends new content tasks of one job. */
  sendAll(name: 'content', tasks: TaskData['content'][], transaction?: Database): Promise<void>
  work(handlers: Handlers): Promise<void>
  /** The jobs of which no task waits or runs. */
  lostJobs(jobIds: string[]): Promise<LostJob[]>
  /** Fetches no more tasks and lets running ones finish. Those it interrupts use up no retry. Sending still works. */
  drain(): Promise<void>
  /** Drains, if not done, and closes. */
  stop(): Promise<void>
  /** The engine's own connections. */
  poolUse(): PoolUse
}

// Survives three missed touches; another worker takes over the tasks of a dead one within 30 s.
const HEARTBEAT_SECONDS = 20
const TOUCH_SECONDS = 5
const SUPERVISE_SECONDS = 5
const RETRIES = 5
/** After the drain, tasks get this time to react to the abort. */
const ABORT_MS = 5_000
/** Time for the statements that record how tasks ended. */
const RECORD_MS = 30_000
const RECORD_POLL_MS = 20

/** Tasks of each queue that run at once, and how many of them one workspace may have: fewer, so that others find a place. */
type Limits = { tasks: number; perWorkspace: number }
// Every queue has its own workers, so permissions and checks never wait for content.
const LIMITS: Record<TaskName, Limits> = {
  list: { tasks: 6, perWorkspace: 4 },
  // A few at a time overlap reading and writing.
  content: { tasks: 4, perWorkspace: 3 },
  finish: { tasks: 4, perWorkspace: 3 },
  files: { tasks: 3, perWorkspace: 2 },
  permissions: { tasks: 4, perWorkspace: 2 },
  write_permissions: { tasks: 3, perWorkspace: 2 },
  remove_elements: { tasks: 2, perWorkspace: 1 },
  verify: { tasks: 3, perWorkspace: 2 },
  check: { tasks: 6, perWorkspace: 2 },
  // A receiver may hang for 20 s, so a workspace has few of the places.
  deliver: { tasks: 8, perWorkspace: 2 },
  scheduled: { tasks: 2, perWorkspace: 1 },
}
const names = Object.keys(LIMITS) as TaskName[]

const takeovers = counter({
  name: 'millrace_task_takeovers_total',
  help: 'Tasks that this process took over from one that died or froze',
  labels: { queue: names },
})
const endedTasks = counter({
  name: 'millrace_tasks_total',
  help: 'Tasks that ended in this process: done, repeated after an error, given up as failed, or interrupted by a stop',
  labels: { queue: names, outcome: ['done', 'repeated', 'failed', 'interrupted'] },
})
const taskDurations = histogram({
  name: 'millrace_task_duration_seconds',
  help: 'Duration of tasks by queue',
  labels: { queue: names },
})
/** pg-boss records it for a task whose process sent no heartbeat. */
const HEARTBEAT_LOST = 'job heartbeat timeout'

// PostgreSQL notifies the workers of a new task; only retries wait for the next poll. All workers of a queue together poll
// about every two seconds, or without notifications each one twice a second.
const NOTIFIED_POLL_SECONDS = 2
const POLL_SECONDS = 0.5

export type EngineOptions = {
  db: Database
  log: Log
  /** Connections of the engine's own pool. */
  connections?: number
  /** Content tasks of one workspace that this process works on at once; one more is for the others. */
  contentTasks?: number
  /** How long running tasks may go on after `stop`. */
  drainMs?: number
}

export async function startEngine(
  databaseUrl: string,
  { db, log, connections = 3, contentTasks = LIMITS.content.perWorkspace, drainMs = 30_000 }: EngineOptions,
): Promise<TaskQueue> {
  const boss = await startBoss(databaseUrl, { connections, log })
  const tasks = new RunningTasks()
  const giveBack = (ids: string[]) => giveBackTasks(boss, ids, log)

  let drained: Promise<void> | null = null
  const drain = () => {
    drained ??= endTasks(boss, tasks, { drainMs, log })
    return drained
  }

  return {
    async send(name, data, transaction = undefined) {
      const key = keyOf(data)
      const taken = await takeTurn(transaction ?? db, { queue: name, key, data })
      if (!taken) return
      const { workspaceId, turn } = taken
      await boss.send(name, data, {
        singletonKey: key,
        priority: -turn,
        ...(workspaceId ? { group: { id: workspaceId } } : {}),
        ...(transaction ? { db: fromKysely(transaction) } : {}),
      })
    },

    async sendAll(name, tasks, transaction = undefined) {
      const [first] = tasks
      if (!first) return
      const numbers = tasks.map(({ number }) => number)
      const turns = await takeTurns(transaction ?? db, { queue: name, jobId: first.jobId, numbers })
      await boss.insert(
        name,
        tasks.flatMap((data, at) => {
          const turn = turns[at]
          if (!turn?.workspaceId) return []
          return { data, singletonKey: keyOf(data), priority: -turn.turn, group: { id: turn.workspaceId } }
        }),
        transaction ? { db: fromKysely(transaction) } : {},
      )
    },

    async work(handlers) {
      const content = { tasks: contentTasks + 1, perWorkspace: contentTasks }
      const limits = { ...LIMITS, content }
      for (const name of names)
        await workOn(boss, name, {
          handler: handlers[name] as Handler<TaskName>,
          limits: limits[name],
          tasks,
        })
    },

    async lostJobs(jobIds) {
      if (jobIds.length === 0) return []
      const { rows } = await boss.getDb().executeSql(LOST_JOBS, [jobIds, JOB_QUEUES])
      return rows as LostJob[]
    },

    drain,

    async stop() {
      await drain()
      const running = tasks.running()
      await boss.stop({ graceful: false, close: false })
      await giveBack(running)
      await boss.stop()
    },

    // The type leaves out the pool of the built-in driver.
    poolUse: () => poolUse((boss.getDb() as unknown as { pool: pg.Pool }).pool),
  }
}

async function startBoss(
  databaseUrl: string,
  { connections, log }: { connections: number; log: Log },
): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'millrace-engine',
    // One more listens for notifications.
    max: Math.max(1, connections - 1),
    useListenNotify: true,
    // Passed on to `pg`, but missing in the type.
    ...{ query_timeout: QUERY_TIMEOUT_MS },
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    schedule: false,
  })
  boss.on('error', (error) => log.error({ err: error }, 'the job engine failed'))
  await boss.start()
  for (const name of names) {
    const settings = {
      heartbeatSeconds: HEARTBEAT_SECONDS,
      expireInSeconds: 6 * 3600,
      retryLimit: RETRIES,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 30,
      deleteAfterSeconds: 24 * 3600,
      notify: true,
    }
    // Sending a task again while it waits or runs has no effect.
    await boss.createQueue(name, { policy: 'exclusive', ...settings })
    // `createQueue` leaves the settings of an existing queue as they are.
    await boss.updateQueue(name, settings)
  }
  return boss
}

/** Lets running tasks end, then aborts them. */
async function endTasks(
  boss: PgBoss,
  tasks: RunningTasks,
  { drainMs, log }: { drainMs: number; log: Log },
): Promise<void> {
  tasks.refuseNew()
  for (const name of names) await boss.offWork(name, { wait: false })
  await tasks.ended(drainMs)
  tasks.abort()
  await tasks.ended(ABORT_MS)
  // Until a finished task is recorded, stopping pg-boss would fail it, and it would run again.
  const end = Date.now() + RECORD_MS
  while (boss.getWipData().length > tasks.running().length && Date.now() < end) await sleep(RECORD_POLL_MS)
  await giveBackTasks(boss, tasks.interrupted(), log)
}

async function giveBackTasks(boss: PgBoss, ids: string[], log: Log): Promise<void> {
  if (ids.length === 0) return
  await boss
    .getDb()
    .executeSql(GIVE_BACK, [ids, names])
    .catch((error: unknown) => log.warn({ err: error }, 'returning interrupted tasks failed'))
}

const JOB_QUEUES: TaskName[] = [
  'list',
  'content',
  'finish',
  'files',
  'permissions',
  'remove_elements',
  'verify',
]

// One statement, because a task that ends sends the next one to another queue.
const LOST_JOBS = `
  with alive as (
    select distinct data->>'jobId' as job_id from pgboss.job
    where name = any($2::text[]) and state in ('created', 'retry', 'active')
  )
  select lost.job_id as "jobId", coalesce(failed.names, '{}') as "givenUp", coalesce(failed.tasks, '{}') as "givenUpTasks"
  from unnest($1::text[]) as lost(job_id) left join lateral (
    select array_agg(distinct name) as names,
           array_agg(id) filter (where name = 'content') as tasks
    from pgboss.job where name = any($2::text[]) and state = 'failed' and data->>'jobId' = lost.job_id
  ) as failed on true
  where lost.job_id not in (select job_id from alive where job_id is not null)
`

// The next worker counts no retry for a task whose process stopped.
const GIVE_BACK = `
  update pgboss.job set state = 'retry', started_on = null, completed_on = null, start_after = now()
  where id = any($1::uuid[]) and name = any($2::text[]) and state in ('retry', 'failed')
`

/** The tasks of this process, for its stop. */
class RunningTasks {
  readonly #running = new Map<string, Promise<void>>()
  readonly #stop = new AbortController()
  readonly #interrupted: string[] = []
  /** Started here and not done. */
  readonly #unfinished = new Set<string>()
  #isRefusing = false

  async run(id: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    // A fetch that began before the stop may still bring a task.
    if (this.#isRefusing) {
      this.#interrupted.push(id)
      throw new Error('the process stops')
    }
    const running = work(AbortSignal.any([signal, this.#stop.signal]))
    const ended = running.catch(() => {
      if (this.#stop.signal.aborted) this.#interrupted.push(id)
    })
    this.#running.set(id, ended)
    this.#unfinished.add(id)
    await running.finally(() => this.#running.delete(id))
    this.#unfinished.delete(id)
  }

  hasRun(id: string): boolean {
    return this.#unfinished.has(id)
  }

  refuseNew(): void {
    this.#isRefusing = true
  }

  abort(): void {
    this.#stop.abort(new Error('the process stops'))
  }

  /** Waits for the running tasks, up to a limit. */
  async ended(ms: number): Promise<void> {
    const cancel = new AbortController()
    const limit = sleep(ms, undefined, { signal: cancel.signal }).catch(() => {})
    await Promise.race([Promise.all(this.#running.values()), limit])
    cancel.abort()
  }

  running(): string[] {
    return [...this.#running.keys()]
  }

  /** Tasks that a stop ended before their time. */
  interrupted(): string[] {
    return [...this.#interrupted]
  }

  wasInterrupted(id: string): boolean {
    return this.#interrupted.includes(id)
  }
}

type Work = { handler: Handler<TaskName>; limits: Limits; tasks: RunningTasks }

async function workOn(boss: PgBoss, name: TaskName, { handler, limits, tasks }: Work): Promise<void> {
  const options = {
    includeMetadata: true,
    pollingIntervalSeconds: POLL_SECONDS,
    notifyPollingIntervalSeconds: NOTIFIED_POLL_SECONDS * limits.tasks,
    localConcurrency: limits.tasks,
    heartbeatRefreshSeconds: TOUCH_SECONDS,
    localGroupConcurrency: limits.perWorkspace,
  } as const
  const wakeAll = () => {
    for (const worker of boss.getWipData()) if (worker.name === name) boss.notifyWorker(worker.id)
  }
  await boss.work<TaskData[TaskName], void, typeof options>(name, options, async (batch) => {
    // More tasks may wait: idle workers fetch now, and this one after its task.
    wakeAll()
    for (const task of batch) {
      const lastTry = task.retryCount >= task.retryLimit
      let outcome: 'done' | 'repeated' | 'failed' | 'interrupted' = 'done'
      const giveUp = () => {
        outcome = 'failed'
      }
      const isLost = task.retryCount > 0 && wasLost(task.output)
      // A process that lost its database for a while may get its own task again.
      const afterDeath = isLost && !tasks.hasRun(task.id) ? { afterDeath: true as const } : {}
      const attempt = { id: task.id, tries: task.retryCount + 1, lastTry, giveUp, ...afterDeath }
      if (isLost) takeovers.add({ queue: name })
      const startedAt = performance.now()
      try {
        await tasks.run(task.id, task.signal, (signal) => handler(task.data, { ...attempt, signal }))
      } catch (error) {
        outcome = tasks.wasInterrupted(task.id) ? 'interrupted' : lastTry ? 'failed' : 'repeated'
        throw error
      } finally {
        endedTasks.add({ queue: name, outcome })
        taskDurations.observe({ queue: name }, (performance.now() - startedAt) / 1000)
      }
    }
  })
}

function wasLost(output: unknown): boolean {
  return (output as { value?: { message?: unknown } } | null)?.value?.message === HEARTBEAT_LOST
}

function keyOf(data: TaskData[TaskName]): string {
  return Object.values(data).join(':')
}
