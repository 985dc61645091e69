import type { Job } from '../../service/types.ts'
import { jobsTexts } from '../../texts/jobs.ts'

const texts = jobsTexts.startedBy

/** Who or what started a run, in a few words: a person by name, a key as one. */
export function starterOf({ started_by: { kind, name } }: Pick<Job, 'started_by'>): string {
  return texts[kind](name)
}
