import cronstrue from 'cronstrue'
import { z } from 'zod'
import { AppError } from '../../../errors.ts'
import { nextRuns } from '../../../workflows/cron.ts'
import { DEFAULT_TIMEZONE, parseTimezone, scheduleToCron } from '../../../workflows/schedule.ts'
import type { App } from '../../http/context.ts'
import { nextRunsShape } from '../../shapes/workflow-runs.ts'

const RUNS = 3

/** Explains a schedule before it is saved. */
export function scheduleRoutes(app: App): void {
  app.get(
    '/schedules/next-runs',
    {
      config: { allows: 'viewer', keys: true },
      schema: {
        tags: ['workflows'],
        querystring: z.strictObject({
          schedule: z.string().min(1).max(200),
          schedule_timezone: z.string().max(64).default(DEFAULT_TIMEZONE),
        }),
        response: { 200: nextRunsShape },
      },
    },
    async (request) => {
      const { schedule, schedule_timezone: zone } = request.query
      const cron = inQuery(() => scheduleToCron(schedule))
      const timezone = inQuery(() => parseTimezone(zone || DEFAULT_TIMEZONE))
      const runs = nextRuns(cron, timezone, { after: new Date(), count: RUNS })
      return {
        cron_expression: cron,
        schedule_timezone: timezone,
        text: cronstrue.toString(cron, { use24HourTimeFormat: true, verbose: false }),
        next_runs: runs.map((run) => run.toISOString()),
      }
    },
  )
}

/** The same refusal, at the field of the query. */
function inQuery<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AppError) || !error.fields) throw error
    const fields = error.fields.map(({ loc: [, ...rest], ...field }) => ({
      ...field,
      loc: ['query', ...rest],
    }))
    throw new AppError(error.code, error.message, { fields })
  }
}
