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
  by_day: { day: string; new: number; changed: number; removed: number; failed: number }[]
}

export type Element = {
  type: string
  element_id: string
  text: string
  metadata: Record<string, unknown>
}
export type FileElements = { filetype: string; elements: Element[] }
