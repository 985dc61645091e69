import { Alert, Skeleton, Stack } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { connectTexts as texts } from '../../texts/connect.ts'
import { connectorsTexts } from '../../texts/connectors.ts'
import { roleTexts } from '../../texts/roles.ts'
import { useConnectors, useConnectorTypes } from '../connectors/queries.ts'
import { ConnectorStep } from './connector-step.tsx'
import { RunStep } from './run-step.tsx'
import { useGuide } from './use-guide.ts'

/** From nothing to the first search, in three steps on one page. */
export function ConnectPage() {
  const { role } = useWorkspace()
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      {may(role, 'developer') ? (
        <Steps />
      ) : (
        <Alert variant="outline" icon={<IconLock size={18} />}>
          {connectorsTexts.needsDeveloper(roleTexts[role].name)}
        </Alert>
      )}
    </>
  )
}

function Steps() {
  const guide = useGuide()
  const types = useConnectorTypes()
  const sources = useConnectors('source')
  const destinations = useConnectors('destination')
  const failed = [types, sources, destinations].find(({ isError }) => isError)
  if (failed) return <QueryFailure query={failed} />
  if (!types.data || !sources.data || !destinations.data) return <Skeleton height={360} />
  const source = sources.data.find(({ id }) => id === guide.source)
  const destination = destinations.data.find(({ id }) => id === guide.destination)
  // A deleted connector, or a step that was typed into the address.
  const step = !source ? 'source' : !destination && guide.step === 'run' ? 'destination' : guide.step
  const common = { guide: { ...guide, step }, types: types.data }
  return (
    <Stack gap="md">
      <ConnectorStep {...common} number={1} kind="source" connectors={sources.data} chosen={source} />
      <ConnectorStep
        {...common}
        number={2}
        kind="destination"
        connectors={destinations.data}
        chosen={destination}
      />
      <RunStep {...common} source={source} destination={destination} />
    </Stack>
  )
}
