import type { JobDetails, JobDocuments } from '../../../../packages/millrace-client/src/schema.ts'
import type { Job, ResponseOf } from '../../service/types.ts'
import { oneOf, textIn } from '../../shell/search-values.ts'

/** A run of uploaded files, without a workflow. */
export function hasNoWorkflow({ job_type: type }: Job): boolean {
  return type === 'ephemeral' || type === 'template'
}
export type { JobProgress as Progress } from '../../../../packages/millrace-client/src/events.ts'
export type { JobDetails } from '../../../../packages/millrace-client/src/schema.ts'
export type Counts = JobDetails['counts']
export type Warning = JobDetails['warnings'][number]
export type DocumentPage = JobDocuments
export type JobDocument = DocumentPage['items'][number]
export type ChangedDocuments = ResponseOf<'GET /api/v1/jobs/{id}/differences'>

export const statuses = ['SCHEDULED', 'IN_PROGRESS', 'COMPLETED', 'STOPPED', 'FAILED'] as const

/** Unchanged documents are only counted. */
export const documentStates = [
  'pending',
  'in_progress',
  'new',
  'changed',
  'permissions_only',
  'skipped',
  'failed',
  'removed',
] as const

export const documentSorts = ['title', 'state', 'elements', 'updated_at'] as const

export function isActive({ status }: Pick<Job, 'status'>): boolean {
  return status === 'SCHEDULED' || status === 'IN_PROGRESS'
}

export const logLevels = ['info', 'warning', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export const jobTabs = ['overview', 'documents', 'log'] as const

export type JobsSearch = Partial<ReturnType<typeof jobsSearchIn>>

/** The filters of the list, in the address. */
export function jobsSearchIn(search: Record<string, unknown>) {
  return {
    status: oneOf(search.status, statuses),
    workflow: textIn(search, 'workflow'),
    // The first and the last day, in the time zone of the browser.
    from: dayIn(search, 'from'),
    until: dayIn(search, 'until'),
  }
}

export type JobSearch = Partial<ReturnType<typeof jobSearchIn>>

/** What the screen of a run shows, in the address. */
export function jobSearchIn(search: Record<string, unknown>) {
  return {
    tab: oneOf(search.tab, jobTabs),
    state: oneOf(search.state, documentStates),
    error: textIn(search, 'error'),
    // The code of a warning that the documents have.
    warning: textIn(search, 'warning'),
    title: textIn(search, 'title'),
    // The lowest level of the log, and a part of its lines.
    level: oneOf(search.level, logLevels),
    text: textIn(search, 'text'),
    space: textIn(search, 'space'),
    // The earlier run to compare with.
    since: textIn(search, 'since'),
    sort: oneOf(search.sort, documentSorts),
    // Descending; absent means ascending.
    desc: search.desc === true || undefined,
    // Valid for one order and one set of filters.
    cursor: textIn(search, 'cursor'),
    page: pageIn(search.page),
  }
}

function pageIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 1 ? value : undefined
}

/** A day such as 2026-11-15. */
function dayIn(search: Record<string, unknown>, name: string): string | undefined {
  const text = textIn(search, name)
  return text && !Number.isNaN(Date.parse(`${text}T00:00`)) ? text : undefined
}
