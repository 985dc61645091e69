import type { Job, ResponseOf } from '../../../service/types.ts'
import { hasNoWorkflow, isActive } from '../types.ts'

export type BulkAction = 'retry' | 'approve'

type Retried = ResponseOf<'POST /api/v1/jobs/retry'>['results'][number]
type Approved = ResponseOf<'POST /api/v1/jobs/approve-deletions'>['results'][number]
export type BulkResult = Pick<Retried, 'job_id' | 'error'> & Partial<Retried & Approved>

/** Whether a job can be part of a bulk action. */
export function allows(job: Job, action: BulkAction): boolean {
  if (isActive(job) || job.kind !== 'content') return false
  return action === 'approve' ? job.held_back > 0 : job.counts.failed > 0 && !hasNoWorkflow(job)
}

export function isSelectable(job: Job): boolean {
  return allows(job, 'retry') || allows(job, 'approve')
}

/** The selected jobs that the action applies to, and their documents. */
export function bulkOf(jobs: Job[], action: BulkAction): { jobs: Job[]; documents: number } {
  const chosen = jobs.filter((job) => allows(job, action))
  const count = (job: Job) => (action === 'approve' ? job.held_back : job.counts.failed)
  return { jobs: chosen, documents: chosen.reduce((sum, job) => sum + count(job), 0) }
}
