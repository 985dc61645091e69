import { PgBoss } from 'pg-boss'
import type { Log } from '../connectors/connector.ts'

/** The only file that uses pg-boss. Another worker takes over the tasks of a dead one. */
export type TaskData = {
  list: { jobId: string }
  slice: { jobId: string; slice: number }
  finish: { jobId: string }
  files: { jobId: string }
  check: { checkId: string }
  scheduled: { workflowId: string }
}
export type TaskName = keyof TaskData

/** `tries` counts from one; after `lastTry` the queue gives the task up. */
export type TaskAttempt = { tries: number; lastTry: boolean; signal: AbortSignal }
export type Handler<N extends TaskName> = (data: TaskData[N], attempt: TaskAttempt) => Promise<void>
export type Handlers = { [N in TaskName]: Handler<N> }

export interface TaskQueue {
  send<N extends TaskName>(name: N, data: TaskData[N]): Promise<void>
  work(handlers: Handlers): Promise<void>
  /** Whether a task of this job waits or runs, and which were given up. */
  tasksOf(jobId: string): Promise<{ alive: boolean; givenUp: TaskName[] }>
  setSchedule(workflowId: string, cron: string | null): Promise<void>
  /** Fetches no more tasks, and waits 10 s for running ones. */
  stop(): Promise<void>
}

// Another worker takes over the tasks of a dead one within 15 s.
const HEARTBEAT_SECONDS = 10
const SUPERVISE_SECONDS = 5
const RETRIES = 5
// Slices have 50 documents; a few at a time overlap reading and writing.
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
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    cronMonitorIntervalSeconds: 15,
    cronWorkerIntervalSeconds: 5,
  })
  boss.on('error', (error) => log.error({ err: error }, 'the job engine failed'))
  await boss.start()
  for (const name of names) {
    await boss.createQueue(name, {
      // Sending a task again while it waits or runs has no effect.
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
      // Fetches the next task at once, without the polling pause.
      boss.notifyWorker(workerId)
    },
  )
}

function keyOf(data: TaskData[TaskName]): string {
  return Object.values(data).join(':')
}
