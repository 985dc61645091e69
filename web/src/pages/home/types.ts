import type { Job } from '../../service/types.ts'
import type { JobDetails } from '../jobs/types.ts'

export type Overview = {
  documents: number
  elements: number
  sources: number
  destinations: number
  workflows: number
  last_runs: (Job & Pick<JobDetails, 'processing_status'>)[]
  failures_7d: number
  failed_jobs_7d: number
  permissions_as_of: string | null
  hidden_scopes: number
  has_sandbox: boolean
  by_day: { day: string; new: number; changed: number; removed: number; failed: number }[]
}

export type Element = {
  type: string
  element_id: string
  text: string
  metadata: Record<string, unknown>
}
export type FileElements = { filetype: string; elements: Element[] }

/** What "Try it" created or found. */
export type TryResponse = {
  source_id: string
  destination_id: string
  workflow_id: string
  job_id: string
  people: { id: string; name: string; role: string; query: string }[]
}

/** The run that "Try it" started, and the search to open when it ends. */
export type TryAddress = {
  job?: string | undefined
  destination?: string | undefined
  query?: string | undefined
  user?: string | undefined
  user2?: string | undefined
}
