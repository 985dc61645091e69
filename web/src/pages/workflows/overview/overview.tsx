import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { useApi } from '../../../service/session.ts'
import type { Job, Workflow } from '../../../service/types.ts'
import { isActive } from '../../jobs/types.ts'
import { PermissionsPanel } from '../permissions/permissions-panel.tsx'
import { EstimatePanel } from './estimate-panel.tsx'
import { Facts } from './facts.tsx'
import { RunCharts } from './run-charts.tsx'
import type { WorkflowRun } from './types.ts'

type Props = { workflow: Workflow; jobs: Job[]; allowed: boolean }

const RUNS = 30
const POLL_MS = 5000

/** What the workflow did, does next, and how old its permissions are. */
export function WorkflowOverview({ workflow, jobs, allowed }: Props) {
  const isRunning = jobs.some(isActive)
  const runs = useQuery({
    ...useApi().query<WorkflowRun[]>(`/workflows/${workflow.id}/runs`, { limit: RUNS }),
    refetchInterval: isRunning ? POLL_MS : false,
  })
  const first = runs.data?.[0]
  return (
    <Stack gap="lg">
      <Facts workflow={workflow} jobs={jobs} />
      {runs.isError && !runs.data ? <QueryFailure query={runs} /> : null}
      {runs.data ? <RunCharts workflow={workflow} runs={runs.data} /> : <Skeleton height={600} />}
      <EstimatePanel workflow={workflow} last={first} allowed={allowed} />
      <PermissionsPanel workflow={workflow} allowed={allowed} />
    </Stack>
  )
}
