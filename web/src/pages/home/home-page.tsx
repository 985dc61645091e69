import { SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useApi } from '../../service/session.ts'
import { homeTexts as texts } from '../../texts/home.ts'
import { type Sandbox, useSandbox } from '../sandbox/sandbox.ts'
import { DocumentsByDay } from './documents-by-day.tsx'
import { FileCard } from './file-card.tsx'
import { LastRuns } from './last-runs.tsx'
import { SummaryTiles } from './summary-tiles.tsx'
import type { FileElements, Overview } from './types.ts'

// Most workspaces need none of these, so the first screen loads without them.
const FirstSteps = lazyRouteComponent(() => import('./first-steps.tsx'), 'FirstSteps')
const SandboxPanel = lazyRouteComponent(() => import('./sandbox-panel.tsx'), 'SandboxPanel')
const HiddenPermissions = lazyRouteComponent(() => import('./hidden-permissions.tsx'), 'HiddenPermissions')
const ElementList = lazyRouteComponent(() => import('./element-list.tsx'), 'ElementList')

// Shows runs that ended while the screen was open.
const POLL_MS = 15_000

export function HomePage() {
  const api = useApi()
  const overview = useQuery({ ...api.query<Overview>('/overview'), refetchInterval: POLL_MS })
  const isOnlySandbox = overview.data?.has_sandbox === true && overview.data.destinations === 1
  const sandbox = useSandbox(isOnlySandbox)
  const isNew = overview.data?.last_runs.length === 0
  return (
    <>
      <PageHeader title={texts.title} description={isNew ? texts.emptyDescription : texts.description} />
      {overview.isError && !overview.data ? (
        <QueryFailure query={overview} />
      ) : !overview.data || (sandbox.isLoading && !isNew) ? (
        <DashboardSkeleton />
      ) : isNew ? (
        <Suspense fallback={<Skeleton height={360} />}>
          <FirstSteps overview={overview.data} />
        </Suspense>
      ) : (
        <Dashboard overview={overview.data} sandbox={sandbox.data} />
      )}
    </>
  )
}

function Dashboard({ overview, sandbox }: { overview: Overview; sandbox: Sandbox | undefined }) {
  const [read, setRead] = useState<{ name: string; result: FileElements }>()
  const isOnlySandbox = sandbox?.destination_id && overview.destinations === 1
  return (
    <Stack gap="lg">
      {isOnlySandbox ? (
        <Suspense fallback={<Skeleton height={144} />}>
          <SandboxPanel sandbox={sandbox} />
        </Suspense>
      ) : null}
      <SummaryTiles overview={overview} />
      {overview.hidden_scopes > 0 ? (
        <Suspense fallback={null}>
          <HiddenPermissions overview={overview} />
        </Suspense>
      ) : null}
      <DocumentsByDay overview={overview} />
      <LastRuns overview={overview} />
      <FileCard onRead={setRead} />
      {read ? (
        <Suspense>
          <ElementList {...read} onClose={() => setRead(undefined)} />
        </Suspense>
      ) : null}
    </Stack>
  )
}

function DashboardSkeleton() {
  return (
    <Stack gap="lg" aria-hidden="true">
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md">
        {['a', 'b', 'c', 'd', 'e'].map((key) => (
          <Skeleton key={key} height={88} />
        ))}
      </SimpleGrid>
      <Skeleton height={340} />
      <Skeleton height={280} />
    </Stack>
  )
}
