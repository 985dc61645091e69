import { SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense } from 'react'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useApi } from '../../service/session.ts'
import { homeTexts as texts } from '../../texts/home.ts'
import { Checklist } from './checklist.tsx'
import { DocumentsByDay } from './documents-by-day.tsx'
import { FileCard } from './file-card.tsx'
import { LastRuns } from './last-runs.tsx'
import { SummaryTiles } from './summary-tiles.tsx'
import type { Overview } from './types.ts'

// Most workspaces do not need it, so the first screen loads without it.
const HiddenPermissions = lazyRouteComponent(() => import('./hidden-permissions.tsx'), 'HiddenPermissions')

// Shows runs that ended while the screen was open.
const POLL_MS = 15_000

export function HomePage() {
  const overview = useQuery({ ...useApi().query<Overview>('/overview'), refetchInterval: POLL_MS })
  const isNew = overview.data?.last_runs.length === 0
  return (
    <>
      <PageHeader title={texts.title} description={isNew ? texts.emptyDescription : texts.description} />
      {overview.data ? (
        <Stack gap="lg">
          <Checklist overview={overview.data} />
          {isNew ? null : <Dashboard overview={overview.data} />}
          <FileCard />
        </Stack>
      ) : overview.isError ? (
        <QueryFailure query={overview} />
      ) : (
        <DashboardSkeleton />
      )}
    </>
  )
}

function Dashboard({ overview }: { overview: Overview }) {
  return (
    <>
      <SummaryTiles overview={overview} />
      {overview.hidden_scopes > 0 ? (
        <Suspense fallback={<Skeleton height={96} />}>
          <HiddenPermissions overview={overview} />
        </Suspense>
      ) : null}
      <DocumentsByDay overview={overview} />
      <LastRuns overview={overview} />
    </>
  )
}

function DashboardSkeleton() {
  return (
    <Stack gap="lg" aria-hidden="true">
      <Skeleton height={340} />
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md">
        {['a', 'b', 'c', 'd', 'e'].map((key) => (
          <Skeleton key={key} height={88} />
        ))}
      </SimpleGrid>
    </Stack>
  )
}
