import type { TaskQueue } from '../jobs/queue/engine.ts'
import type { Database } from '../store/database.ts'
import { holdDueWorkflows, setNextRun } from '../store/workflows/run-schedule.ts'
import { nextRuns } from './cron.ts'
import type { Schedule } from './schedule.ts'

/** Spreads starts over the minute; the same for each start of a workflow. */
const MAX_START_DELAY_SECONDS = 55

/** When the schedule starts the workflow next, with its delay within the minute. */
export function nextRunAt(workflowId: string, { cron, timezone }: Schedule, after: Date): Date {
  const delay = Number.parseInt(workflowId.slice(0, 8), 16) % (MAX_START_DELAY_SECONDS + 1)
  const [next] = nextRuns(cron, timezone, { after, count: 1 })
  return new Date(next!.getTime() + delay * 1000)
}

/** Starts the runs that are due. Runs missed while no process worked start once. */
export async function startDueRuns({
  db,
  engine,
}: {
  db: Database
  engine: Pick<TaskQueue, 'send'>
}): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const workflow of await holdDueWorkflows(transaction)) {
      const { id, schedule: cron, schedule_timezone: timezone, next_run_at: due, now } = workflow
      if (due) await engine.send('scheduled', { workflowId: id }, transaction)
      await setNextRun(transaction, id, nextRunAt(id, { cron, timezone }, now))
    }
  })
}
