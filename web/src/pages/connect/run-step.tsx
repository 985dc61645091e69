import { Skeleton } from '@mantine/core'
import { connectTexts as texts } from '../../texts/connect.ts'
import { findType } from '../connectors/connector-type.ts'
import type { Connector, ConnectorType } from '../connectors/types.ts'
import { useAllWorkflows } from '../workflows/queries.ts'
import { GuideStep } from './guide-step.tsx'
import { RunForm } from './run-form.tsx'
import { RunProgress } from './run-progress.tsx'
import type { Guide } from './use-guide.ts'

type Props = {
  guide: Guide
  types: ConnectorType[]
  source: Connector | undefined
  destination: Connector | undefined
}

/** What to read and when, the first run, and the way to its search. */
export function RunStep({ guide, types, source, destination }: Props) {
  const type = findType(types, 'source', source?.type)
  const workflows = useAllWorkflows()
  const isReady = source && destination && type
  return (
    <GuideStep number={3} title={texts.run.title} state={guide.step === 'run' ? 'open' : 'later'}>
      {isReady && guide.job ? (
        <RunProgress guide={guide} jobId={guide.job} destinationId={destination.id} terms={type.terms} />
      ) : isReady && workflows.data ? (
        <RunForm
          key={`${source.id} ${destination.id}`}
          guide={guide}
          type={type}
          source={source}
          destination={destination}
          workflows={workflows.data}
        />
      ) : isReady ? (
        <Skeleton height={320} />
      ) : null}
    </GuideStep>
  )
}
