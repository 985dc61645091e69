import { SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useApi } from '../../service/session.ts'
import { homeTexts as texts } from '../../texts/home.ts'
import { ByDay } from './by-day.tsx'
import { ConnectCard } from './connect-card.tsx'
import { ElementList } from './element-list.tsx'
import { Figures } from './figures.tsx'
import { FileCard } from './file-card.tsx'
import { LastRuns } from './last-runs.tsx'
import { SampleCard } from './sample-card.tsx'
import type { FileElements, Overview } from './types.ts'

// Shows runs that ended while the screen was open.
const EVERY_MS = 15_000

export function HomePage() {
  const api = useApi()
  const overview = useQuery({ ...api.query<Overview>('/overview'), refetchInterval: EVERY_MS })
  const isNew = overview.data?.last_runs.length === 0
  return (
    <>
      <PageHeader title={texts.title} description={isNew ? texts.emptyDescription : texts.description} />
      {overview.isError && !overview.data ? (
        <QueryFailure query={overview} />
      ) : !overview.data ? (
        <Waiting />
      ) : isNew ? (
        <FirstSteps overview={overview.data} />
      ) : (
        <Dashboard overview={overview.data} />
      )}
    </>
  )
}

/** A workspace without runs. */
function FirstSteps({ overview }: { overview: Overview }) {
  const [read, setRead] = useState<{ name: string; found: FileElements }>()
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
        <ConnectCard overview={overview} />
        <SampleCard />
        <FileCard onRead={setRead} />
      </SimpleGrid>
      {read ? <ElementList {...read} onClose={() => setRead(undefined)} /> : null}
    </Stack>
  )
}

function Dashboard({ overview }: { overview: Overview }) {
  const [read, setRead] = useState<{ name: string; found: FileElements }>()
  return (
    <Stack gap="lg">
      <Figures overview={overview} />
      <ByDay overview={overview} />
      <LastRuns overview={overview} />
      <FileCard onRead={setRead} />
      {read ? <ElementList {...read} onClose={() => setRead(undefined)} /> : null}
    </Stack>
  )
}

function Waiting() {
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
