import { z } from 'zod'
import { systemsOf } from '../../connectors/type-information.ts'
import { countRunningJobs, lastJobs, readOverview, readSetup } from '../../store/jobs/overview.ts'
import { countUnread } from '../../store/notifications/feed.ts'
import { type ApiContext, type App, callerOf } from '../http/context.ts'
import { jobShape } from '../shapes/resources.ts'
import { findSandbox, sandboxReason } from './connectors/add-sandbox.ts'
import { offeredSample, SAMPLE_OFF } from './connectors/sample.ts'
import { jobResponses } from './jobs/jobs.ts'
import { eventTypesField, readerOf } from './notifications/feed.ts'

const LAST_RUNS = 10

export function overviewRoutes(app: App, { resources, reads }: ApiContext): void {
  const { db, registry } = resources
  const sampleTypes = registry.sources.filter(({ sample }) => sample).map(({ type }) => type)

  const systems = {
    sources: registry.sources.filter(({ sample }) => !sample).flatMap(systemsOf),
    destinations: registry.destinations.flatMap(systemsOf),
  }

  /** Why this service cannot run the sample; null if it can. */
  async function sampleReason(hasSandbox: boolean): Promise<string | null> {
    if (!(await offeredSample(registry))) return SAMPLE_OFF
    return hasSandbox && resources.egress.sandbox ? null : sandboxReason(resources)
  }

  app.get(
    '/overview',
    {
      config: { allows: 'viewer', keys: true },
      schema: { response: { 200: overviewShape } },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const [overview, jobs, sandbox, setup] = await Promise.all([
        reads.run(workspaceId, (transaction) => readOverview(transaction, workspaceId)),
        lastJobs(db, workspaceId, LAST_RUNS),
        findSandbox(db, workspaceId),
        readSetup(db, workspaceId, sampleTypes),
      ])
      const { failures, failedJobs, permissionsAsOf, hiddenScopes, byDay, ...totals } = overview
      return {
        ...totals,
        last_runs: await jobResponses(db, jobs),
        failures_7d: failures,
        failed_jobs_7d: failedJobs,
        permissions_as_of: permissionsAsOf?.toISOString() ?? null,
        hidden_scopes: hiddenScopes,
        setup: {
          ...setup,
          has_destination: totals.destinations > (sandbox ? 1 : 0),
          sample_reason: await sampleReason(sandbox !== undefined),
          systems,
        },
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
  setup: z
    .object({
      has_sample_run: z.boolean(),
      sample_reason: z
        .string()
        .nullable()
        .describe('Why the sample cannot run on this service; null if it can'),
      systems: z
        .object({ sources: z.array(z.string()), destinations: z.array(z.string()) })
        .describe('The products that this service connects to'),
      has_source: z.boolean().describe('Whether there is a source besides the sample'),
      has_destination: z.boolean().describe('Whether there is a destination besides the sandbox'),
      has_run: z.boolean().describe('Whether a run of such a source has completed'),
      has_schedule: z.boolean(),
      has_colleague: z.boolean().describe('Whether there is another member, or an invitation'),
      has_token: z.boolean().describe('Whether an assistant or program can search'),
    })
    .describe('What is done of setting up the workspace'),
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
