import { z } from 'zod'
import { countRunningJobs, lastJobs, readOverview } from '../../store/jobs/overview.ts'
import { countUnread } from '../../store/notifications/feed.ts'
import { type ApiContext, type App, callerOf } from '../http/context.ts'
import { jobShape } from '../shapes/resources.ts'
import { findSandbox } from './connectors/add-sandbox.ts'
import { jobResponses } from './jobs/jobs.ts'
import { eventTypesField, readerOf } from './notifications/feed.ts'

const LAST_RUNS = 10

export function overviewRoutes(app: App, { resources: { db }, reads }: ApiContext): void {
  app.get(
    '/overview',
    {
      config: { allows: 'viewer', keys: true },
      schema: { response: { 200: overviewShape } },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const [overview, jobs, sandbox] = await Promise.all([
        reads.run(workspaceId, (transaction) => readOverview(transaction, workspaceId)),
        lastJobs(db, workspaceId, LAST_RUNS),
        findSandbox(db, workspaceId),
      ])
      const { failures, failedJobs, permissionsAsOf, hiddenScopes, byDay, ...totals } = overview
      return {
        ...totals,
        last_runs: await jobResponses(db, jobs),
        failures_7d: failures,
        failed_jobs_7d: failedJobs,
        permissions_as_of: permissionsAsOf?.toISOString() ?? null,
        hidden_scopes: hiddenScopes,
        has_sandbox: sandbox !== undefined,
        by_day: byDay,
      }
    },
  )

  // One small request, because the page repeats it on every screen.
  app.get(
    '/activity',
    {
      config: { allows: 'viewer', keys: true },
      schema: {
        tags: ['overview'],
        querystring: z.strictObject({ event_types: eventTypesField }),
        response: { 200: z.object({ running_jobs: z.number(), unread_count: z.number() }) },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { event_types: eventTypes } = request.query
      const [running, unread] = await Promise.all([
        countRunningJobs(db, caller.workspaceId),
        countUnread(db, readerOf(caller), { eventTypes }),
      ])
      return { running_jobs: running, unread_count: unread }
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
  hidden_scopes: z
    .number()
    .describe('Scopes whose documents search hides because their permissions are too old'),
  has_sandbox: z.boolean().describe('Whether one of the destinations is the sandbox'),
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
