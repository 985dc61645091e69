import { z } from 'zod'
import { invalid } from '../../../errors.ts'
import type { ProvedScope } from '../../../store/workflows/freshness.ts'
import type { WorkflowRow } from '../../../store/workflows/workflows.ts'
import {
  minutesBetweenRuns,
  PERMISSIONS_PATTERN,
  permissionsMinutes,
  type Schedule,
} from '../../../workflows/schedule.ts'
import type { freshnessShape } from '../../shapes/resources.ts'

// Ten years; PostgreSQL cannot add much longer intervals.
const MAX_HOURS = 87_600
const hours = z
  .number()
  .positive('a number above 0 is needed')
  .max(MAX_HOURS, `at most ${MAX_HOURS} hours`)
  .nullable()
  .optional()

/** Fields of a workflow about the age of permissions; absent ones keep their value. */
export const freshnessFields = {
  permissions_schedule: z.string().meta({ pattern: PERMISSIONS_PATTERN }).optional(),
  max_permission_age_hours: hours,
  hide_in_index_after_hours: hours,
}

type FreshnessSettings = Pick<
  WorkflowRow,
  'permissions_minutes' | 'max_permission_age_hours' | 'hide_in_index_after_hours'
>
type FreshnessBody = {
  schedule?: unknown
  schedule_timezone?: unknown
  permissions_schedule?: string | undefined
  max_permission_age_hours?: number | null | undefined
  hide_in_index_after_hours?: number | null | undefined
}

const DEFAULT_MINUTES = 15
const DEFAULTS: FreshnessSettings = {
  permissions_minutes: DEFAULT_MINUTES,
  max_permission_age_hours: 24,
  hide_in_index_after_hours: null,
}

/** Refuses settings under which permissions always get too old. */
export function parseFreshnessSettings(
  body: FreshnessBody,
  { schedule, before = DEFAULTS }: { schedule: Schedule | null; before?: FreshnessSettings },
): FreshnessSettings {
  const {
    permissions_schedule: phrase,
    max_permission_age_hours: maxAge,
    hide_in_index_after_hours: hide,
  } = body
  const freshness = {
    permissions_minutes: phrase === undefined ? before.permissions_minutes : permissionsMinutes(phrase),
    max_permission_age_hours: maxAge === undefined ? before.max_permission_age_hours : maxAge,
    hide_in_index_after_hours: hide === undefined ? before.hide_in_index_after_hours : hide,
  }

  const { permissions_minutes: minutes, max_permission_age_hours: limit } = freshness
  if (minutes !== null || limit === null) return freshness
  const between = minutesBetweenRuns(schedule)
  if (between !== null && between < limit * 60) return freshness
  throw invalid(
    ['body', changedField(body)],
    `permissions would get older than max_permission_age_hours (${limit}), and search would hide all documents; set permissions_schedule to "every N minutes", use a shorter schedule, or set max_permission_age_hours to null`,
  )
}

function changedField(body: FreshnessBody): string {
  if (body.permissions_schedule !== undefined) return 'permissions_schedule'
  if (body.max_permission_age_hours !== undefined) return 'max_permission_age_hours'
  return body.schedule === undefined && body.schedule_timezone !== undefined
    ? 'schedule_timezone'
    : 'schedule'
}

type FreshnessResponse = z.infer<typeof freshnessShape>
type ScopeFreshness = FreshnessResponse['scopes'][number]

export function freshnessOf(
  workflow: WorkflowRow,
  { scopes, oldest, jobId }: { scopes: ProvedScope[]; oldest: Date | null; jobId: string | null },
): FreshnessResponse {
  const now = Date.now()
  const shown = scopes.map(
    ({ scope, name, proved_at: provedAt, decisions: count, oldest_decision: decidedAt }): ScopeFreshness => {
      const decisions = decidedAt ? { count, oldest: decidedAt.toISOString() } : null
      if (!provedAt) return { scope, name, proved_at: null, age_seconds: null, status: 'never', decisions }
      const age = Math.max(0, Math.round((now - provedAt.getTime()) / 1000))
      return {
        scope,
        name,
        proved_at: provedAt.toISOString(),
        age_seconds: age,
        status: freshnessStatus(age, workflow),
        decisions,
      }
    },
  )
  return { scopes: shown, oldest: oldest?.toISOString() ?? null, job_id: jobId }
}

/** `stale`: a reading was missed, but search still shows the documents. */
export function freshnessStatus(
  ageSeconds: number,
  workflow: WorkflowRow,
): Exclude<ScopeFreshness['status'], 'never'> {
  const { max_permission_age_hours: limit, permissions_minutes: minutes } = workflow
  if (limit !== null && ageSeconds > limit * 3600) return 'hidden'
  const interval = minutes ?? minutesBetweenRuns(scheduleOf(workflow)) ?? DEFAULT_MINUTES
  return ageSeconds < 2 * interval * 60 ? 'fresh' : 'stale'
}

export function scheduleOf({
  schedule,
  schedule_timezone: timezone,
}: Pick<WorkflowRow, 'schedule' | 'schedule_timezone'>): Schedule | null {
  return schedule === null ? null : { cron: schedule, timezone }
}
