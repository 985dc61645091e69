import type { Environment } from '../environment.ts'
import { every } from '../jobs/queue/every.ts'
import { taskHandlers } from '../jobs/tasks/handlers.ts'
import { verifyTask } from '../jobs/tasks/verify.ts'
import { runIfDue } from '../store/periodic-tasks.ts'
import { startDueRuns } from '../workflows/due-runs.ts'
import { startRepairJob } from '../workflows/repair.ts'
import { startScheduled } from '../workflows/start.ts'
import type { StartContext } from './context.ts'
import { periodicWork } from './periodic-work.ts'
import type { Parts } from './resources.ts'

/** Takes tasks from the queue, and repeats the periodic work. */
export async function startWorker(
  { auditDays }: Environment,
  parts: Parts,
  { log, closers }: StartContext,
): Promise<void> {
  const { engine, resources } = parts
  const { db } = resources
  await engine.work({
    ...taskHandlers(parts),
    verify: verifyTask({
      ...parts,
      startRepairJob: (workflowId, startedBy) => startRepairJob(workflowId, startedBy, { db, engine }),
    }),
    scheduled: ({ workflowId }) => startScheduled(workflowId, { db, engine }),
  })
  await startDueRuns({ db, engine })
  for (const { pollMs, once, work } of periodicWork) {
    const run = () => work({ ...parts, db, auditDays })
    const repeated = once ? async () => void (await runIfDue(db, once, run)) : run
    closers.push(every(pollMs, repeated, log))
  }
}
