import { Text } from '@mantine/core'
import { jobTexts } from '../../../texts/jobs.ts'
import { duration } from '../../../texts/times.ts'
import type { JobDetails } from '../types.ts'

const texts = jobTexts.steps

/** How long the run worked on each step, in the order of the steps. */
export function StepTimes({ details: { step_seconds: spent } }: { details: JobDetails }) {
  const times = Object.entries(texts.names).flatMap(([step, name]) =>
    !spent[step] ? [] : `${name} ${duration(spent[step] * 1000)}`,
  )
  if (times.length === 0) return null
  return (
    <Text className="figures">
      <Text span inherit fw={500}>
        {texts.times}:
      </Text>{' '}
      {times.join(' · ')}
    </Text>
  )
}
