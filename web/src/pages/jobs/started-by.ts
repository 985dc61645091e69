import type { Job } from '../../service/types.ts'
import { jobsTexts } from '../../texts/jobs.ts'

const texts = jobsTexts.startedBy

/** The person, key or schedule that started a run. */
export function startedByText({ started_by: { kind, name } }: Pick<Job, 'started_by'>): string {
  return texts[kind](name)
}
