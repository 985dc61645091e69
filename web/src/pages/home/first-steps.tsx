import { SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useState } from 'react'
import { useSandbox } from '../sandbox/sandbox.ts'
import { ConnectCard } from './connect-card.tsx'
import { ElementList } from './element-list.tsx'
import { FileCard } from './file-card.tsx'
import { useSample } from './sample.ts'
import { SampleCard } from './sample-card.tsx'
import { TryCard } from './try-card.tsx'
import type { FileElements, Overview } from './types.ts'

/** A workspace without runs. */
export function FirstSteps({ overview }: { overview: Overview }) {
  const sandbox = useSandbox()
  const sample = useSample()
  const offersTry = Boolean(sandbox.data?.available && sample.data)
  const [read, setRead] = useState<{ name: string; result: FileElements }>()
  if (sandbox.isPending || sample.isPending) return <Skeleton height={360} />
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
        {offersTry ? <TryCard /> : null}
        <ConnectCard overview={overview} isSecondary={offersTry} />
        {offersTry ? null : <SampleCard reason={sandbox.data?.reason} />}
        <FileCard onRead={setRead} />
      </SimpleGrid>
      {read ? <ElementList {...read} onClose={() => setRead(undefined)} /> : null}
    </Stack>
  )
}
