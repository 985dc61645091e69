import type { Workflow } from '../../service/types.ts'
import { connectTexts as texts } from '../../texts/connect.ts'
import { findType } from '../connectors/connector-type.ts'
import type { Connector, ConnectorType } from '../connectors/types.ts'
import { ExistingWorkflow } from './existing-workflow.tsx'
import { GuideStep } from './guide-step.tsx'
import { RunForm } from './run-form.tsx'
import { RunProgress } from './run-progress.tsx'
import type { Guide } from './use-guide.ts'

type Props = {
  guide: Guide
  types: ConnectorType[]
  source: Connector | undefined
  destination: Connector | undefined
  workflows: Workflow[]
  /** A workflow of the chosen source and destination. */
  existing: Workflow | undefined
}

/** What to read and when, the first run, and the way to its search. */
export function RunStep({ guide, types, source, destination, workflows, existing }: Props) {
  const type = findType(types, 'source', source?.type)
  const isReady = source && destination && type
  return (
    <GuideStep number={3} title={texts.run.title} state={guide.step === 'run' ? 'open' : 'later'}>
      {isReady && guide.job ? (
        <RunProgress guide={guide} jobId={guide.job} destinationId={destination.id} terms={type.terms} />
      ) : existing ? (
        <ExistingWorkflow workflow={existing} />
      ) : isReady ? (
        <RunForm
          key={`${source.id} ${destination.id}`}
          guide={guide}
          type={type}
          source={source}
          destination={destination}
          workflows={workflows}
        />
      ) : null}
    </GuideStep>
  )
}
