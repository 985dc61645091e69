import { incompleteText } from '../../service/incomplete.ts'
import type { Job } from '../../service/types.ts'
import { stateTexts } from '../../texts/states.ts'
import { duration, exactTime } from '../../texts/times.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'
import { durationMs } from '../jobs/overview/job-numbers.ts'

type Tone = 'good' | 'warning' | 'bad' | 'active' | 'neutral'
export type Run = { value: number; label: string; tone: Tone }

const MAX_RUNS = 30
const tones: Record<Job['processing_status'], Tone> = {
  SCHEDULED: 'neutral',
  IN_PROGRESS: 'active',
  SUCCESS: 'good',
  COMPLETED_WITH_ERRORS: 'warning',
  STOPPED: 'neutral',
  FAILED: 'bad',
}

/** A workflow's jobs, newest first. */
export function jobsOf(jobs: Job[], workflowId: string): Job[] {
  return jobs
    .filter((job) => job.workflow_id === workflowId)
    .toSorted((one, other) => other.created_at.localeCompare(one.created_at))
}

/**
 * The last thirty runs as bars, oldest first. Heights are square roots: a first run takes a hundred times as
 * long.
 */
export function runsOf(jobs: Job[]): Run[] {
  return jobs
    .slice(0, MAX_RUNS)
    .reverse()
    .map((job) => {
      const { processing_status: state, created_at: at, runtime } = job
      const ms = durationMs(runtime)
      const durationText = ms === null ? texts.notStarted : duration(ms)
      return {
        value: Math.sqrt(ms ?? 0),
        tone: state === 'SUCCESS' && job.incomplete ? 'warning' : tones[state],
        label: texts.bar(exactTime(at), outcomeOf(job), durationText),
      }
    })
}

/** The bars in one sentence, for screen readers. */
export function summaryOf(jobs: Job[]): string {
  const last = jobs.slice(0, MAX_RUNS)
  const counts = Map.groupBy(last, ({ processing_status: state, incomplete }) =>
    state === 'SUCCESS' && incomplete ? texts.incomplete : stateTexts[state],
  )
  const parts = [...counts].map(([state, some]) => texts.summaryPart(some.length, state))
  return texts.summary(last.length, parts.join(', '))
}

/** The outcome, with counts of failures. */
function outcomeOf({ processing_status: state, counts, held_back: held, incomplete }: Job): string {
  const problems = [
    ...(incomplete ? [incompleteText(incomplete)] : []),
    ...(counts.failed > 0 ? [texts.failed(counts.failed)] : []),
    ...(held > 0 ? [texts.heldBack(held)] : []),
  ]
  return [stateTexts[state], ...problems].join(', ')
}
