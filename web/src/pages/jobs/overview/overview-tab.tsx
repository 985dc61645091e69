import { Stack } from '@mantine/core'
import type { LiveJob } from '../live-job.ts'
import { Equation } from './equation.tsx'
import { Stages } from './stages.tsx'
import { Throughput } from './throughput.tsx'
import { Warnings } from './warnings.tsx'

export function OverviewTab({ live }: { live: LiveJob }) {
  return (
    <Stack gap="lg">
      <Equation live={live} />
      <Stages live={live} />
      <Throughput live={live} />
      <Warnings live={live} />
    </Stack>
  )
}
