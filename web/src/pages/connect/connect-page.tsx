import { Alert, Button, Stack } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { every, Loaded } from '../../components/loaded.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { connectTexts as texts } from '../../texts/connect.ts'
import { roleTexts } from '../../texts/roles.ts'
import { workflowsTexts } from '../../texts/workflows.ts'
import { useConnectors, useConnectorTypes } from '../connectors/queries.ts'
import { useAllWorkflows } from '../workflows/queries.ts'
import { ConnectorStep } from './connector-step.tsx'
import { findWorkflow } from './find-workflow.ts'
import { RunStep } from './run-step.tsx'
import { useGuide } from './use-guide.ts'

/** From nothing to the first search, in three steps on one page. */
export function ConnectPage() {
  const { role } = useWorkspace()
  const { source, destination, restart } = useGuide()
  const hasStarted = source !== undefined || destination !== undefined
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          hasStarted ? (
            <Button variant="default" onClick={() => void restart()}>
              {texts.restart}
            </Button>
          ) : null
        }
      />
      {may(role, 'operator') ? (
        <Steps />
      ) : (
        <Alert variant="outline" icon={<IconLock size={18} />}>
          {workflowsTexts.needsOperator(roleTexts[role].name)}
        </Alert>
      )}
    </>
  )
}

function Steps() {
  const guide = useGuide()
  const known = every(
    useConnectorTypes(),
    useConnectors('source'),
    useConnectors('destination'),
    useAllWorkflows(),
  )
  return (
    <Loaded query={known} size={360}>
      {([types, sources, destinations, workflows]) => {
        const source = sources.find(({ id }) => id === guide.source)
        const destination = destinations.find(({ id }) => id === guide.destination)
        const found =
          source &&
          destination &&
          findWorkflow({ types, sources, destinations, workflows }, { source, destination })
        // Not the one that this guide created.
        const existing = found?.id === guide.workflow ? undefined : found
        // A deleted connector, or a step that was typed into the address.
        const step = !source ? 'source' : !destination && guide.step === 'run' ? 'destination' : guide.step
        const common = { guide: { ...guide, step }, types, existing }
        return (
          <Stack gap="md">
            <ConnectorStep {...common} number={1} kind="source" connectors={sources} chosen={source} />
            <ConnectorStep
              {...common}
              number={2}
              kind="destination"
              connectors={destinations}
              chosen={destination}
            />
            <RunStep {...common} source={source} destination={destination} workflows={workflows} />
          </Stack>
        )
      }}
    </Loaded>
  )
}
