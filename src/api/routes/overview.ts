import { z } from 'zod'
import { lastJobs, readOverview } from '../../store/jobs/overview.ts'
import { type ApiContext, type App, callerOf } from '../context.ts'
import { jobShape } from '../shapes/resources.ts'
import { answerJobs } from './jobs/jobs.ts'

const LAST_RUNS = 10

export function overviewRoutes(app: App, { resources: { db } }: ApiContext): void {
  app.get(
    '/overview',
    {
      config: { allows: 'viewer', keys: true },
      schema: { tags: ['overview'], response: { 200: overviewShape } },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const [overview, jobs] = await Promise.all([
        readOverview(db, workspaceId),
        lastJobs(db, workspaceId, LAST_RUNS),
      ])
      const { failures, failedJobs, permissionsAsOf, byDay, ...totals } = overview
      return {
        ...totals,
        last_runs: await answerJobs(db, jobs),
        failures_7d: failures,
        failed_jobs_7d: failedJobs,
        permissions_as_of: permissionsAsOf?.toISOString() ?? null,
        by_day: byDay,
      }
    },
  )
}

const overviewShape = z.object({
  documents: z.number(),
  elements: z.number(),
  sources: z.number(),
  destinations: z.number(),
  workflows: z.number(),
  last_runs: z.array(jobShape),
  failures_7d: z.number().describe('Documents that failed in the last seven days'),
  failed_jobs_7d: z.number(),
  permissions_as_of: z.string().nullable(),
  by_day: z.array(
    z.object({
      day: z.string(),
      new: z.number(),
      changed: z.number(),
      removed: z.number(),
      failed: z.number(),
    }),
  ),
})
