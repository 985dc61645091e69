import type { Overview } from './types.ts'

export const steps = ['source', 'destination', 'workflow', 'run'] as const
export type NextStep = (typeof steps)[number]

/** A step is done when its object exists. */
export function doneSteps({
  sources,
  destinations,
  workflows,
  last_runs: runs,
}: Overview): Record<NextStep, boolean> {
  return { source: sources > 0, destination: destinations > 0, workflow: workflows > 0, run: runs.length > 0 }
}

export function nextStep(overview: Overview): NextStep | undefined {
  const done = doneSteps(overview)
  return steps.find((step) => !done[step])
}
