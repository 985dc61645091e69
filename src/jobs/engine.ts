import { PgBoss } from 'pg-boss'
import type { Log } from '../connectors/connector.ts'

/**
 * The only file that knows pg-boss. It carries tasks to workers and hands a dead worker's tasks to another;
 * what a task means, and what has been done, is the ledger's and the jobs table's business.
 */
export type TaskData = {
  list: { jobId: string }
  slice: { jobId: string; slice: number }
  finish: { jobId: string }
  files: { jobId: string }
  check: { checkId: string }
  scheduled: { workflowId: string }
}
export type TaskName = keyof TaskData

/** `tries` counts from one; `lastTry` tells a handler that nobody will come after it. */
export type Handler<N extends TaskName> = (
  data: TaskData[N],
  task: { tries: number; lastTry: boolean; signal: AbortSignal },
) => Promise<void>
export type Handlers = { [N in TaskName]: Handler<N> }

export interface TaskQueue {
  send<N extends TaskName>(name: N, data: TaskData[N]): Promise<void>
  work(handlers: Handlers): Promise<void>
  /** Whether a task of this job is waiting or being worked on, and which were given up. */
  tasksOf(jobId: string): Promise<{ alive: boolean; givenUp: TaskName[] }>
  setSchedule(workflowId: string, cron: string | null): Promise<void>
  /** Fetches no more tasks, and gives those under way a moment to end. */
  stop(): Promise<void>
}

// A worker that has been silent for 10 s is dead; the look-round every 5 s makes 15 s at worst until another has
// its work. Slices are ~50 documents: two at a time keep reading and writing overlapped on two cores.
const HEARTBEAT_SECONDS = 10
const LOOK_SECONDS = 5
const RETRIES = 5
const CONCURRENCY: Record<TaskName, number> = {
  list: 6,
  slice: 3,
  finish: 4,
  files: 2,
  check: 4,
  scheduled: 1,
}
const names = Object.keys(CONCURRENCY) as TaskName[]

export async function startEngine(databaseUrl: string, log: Log): Promise<TaskQueue> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'millrace-engine',
    max: 6,
    superviseIntervalSeconds: LOOK_SECONDS,
    monitorIntervalSeconds: LOOK_SECONDS,
    cronMonitorIntervalSeconds: 15,
    cronWorkerIntervalSeconds: 5,
  })
  boss.on('error', (error) => log.error({ err: error }, 'the job engine met an error'))
  await boss.start()
  for (const name of names) {
    await boss.createQueue(name, {
      // One task for one thing: sending it again while it waits or runs changes nothing.
      policy: 'exclusive',
      heartbeatSeconds: HEARTBEAT_SECONDS,
      expireInSeconds: 6 * 3600,
      retryLimit: RETRIES,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 30,
      deleteAfterSeconds: 24 * 3600,
    })
  }

  return {
    async send(name, data) {
      await boss.send(name, data, { singletonKey: keyOf(data) })
    },

    async work(handlers) {
      for (const name of names) await workOn(boss, name, handlers[name] as Handler<TaskName>)
    },

    async tasksOf(jobId) {
      const queues = ['list', 'slice', 'finish', 'files'] as const
      const found = await Promise.all(
        queues.map((name) => boss.findJobs<TaskData['list']>(name, { data: { jobId } })),
      )
      const alive = found.flat().some((task) => ['created', 'retry', 'active'].includes(task.state))
      const givenUp = queues.filter((_, index) => found[index]?.some((task) => task.state === 'failed'))
      return { alive, givenUp }
    },

    async setSchedule(workflowId, cron) {
      if (cron)
        await boss.schedule('scheduled', cron, { workflowId }, { key: workflowId, singletonKey: workflowId })
      else await boss.unschedule('scheduled', workflowId)
    },

    async stop() {
      await boss.stop({ graceful: true, timeout: 10_000 })
    },
  }
}

async function workOn(boss: PgBoss, name: TaskName, handler: Handler<TaskName>): Promise<void> {
  let workerId = ''
  workerId = await boss.work<
    TaskData[TaskName],
    void,
    { includeMetadata: true; pollingIntervalSeconds: 0.5; localConcurrency: number }
  >(
    name,
    { includeMetadata: true, pollingIntervalSeconds: 0.5, localConcurrency: CONCURRENCY[name] },
    async (tasks) => {
      for (const task of tasks) {
        await handler(task.data, {
          tries: task.retryCount + 1,
          lastTry: task.retryCount >= task.retryLimit,
          signal: task.signal,
        })
      }
      // Whoever just finished looks for more at once instead of after the polling pause.
      boss.notifyWorker(workerId)
    },
  )
}

function keyOf(data: TaskData[TaskName]): string {
  return Object.values(data).join(':')
}
