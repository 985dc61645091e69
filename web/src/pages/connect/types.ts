export const guideSteps = ['source', 'destination', 'run'] as const
export type GuideStepName = (typeof guideSteps)[number]

/** What the guide has created, and the open step; a reload continues with it. */
export type GuideAddress = {
  source?: string | undefined
  destination?: string | undefined
  workflow?: string | undefined
  job?: string | undefined
  step?: GuideStepName | undefined
}
