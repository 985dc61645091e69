import type {
  JobDetails,
  JobDocuments,
  WorkflowNode,
} from '../../../../packages/millrace-client/src/schema.ts'
import type { Job } from '../../service/types.ts'

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
export type Node = WorkflowNode

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

export const jobTabs = ['overview', 'documents', 'configuration', 'log'] as const

export type JobSearch = {
  tab?: (typeof jobTabs)[number] | undefined
  state?: (typeof documentStates)[number] | undefined
  error?: string | undefined
  /** The code of a warning that the documents have. */
  warning?: string | undefined
  title?: string | undefined
  /** The lowest level of the log, and a part of its lines. */
  level?: LogLevel | undefined
  text?: string | undefined
  space?: string | undefined
  sort?: (typeof documentSorts)[number] | undefined
  /** Descending; absent means ascending. */
  desc?: true | undefined
  /** Valid for one order and one set of filters. */
  cursor?: string | undefined
  page?: number | undefined
  /** The record id of the open document. */
  document?: string | undefined
}
