import { Button, Stack } from '@mantine/core'
import { IconDatabaseOff, IconListSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { labTexts as texts } from '../../texts/lab.ts'
import { useSourceTermsOfDestination } from '../connectors/source-terms.ts'
import { CheckDocument } from './check-document.tsx'
import { chosenDestination } from './destinations.ts'
import { LabContext, useLabAddress } from './lab-context.ts'
import { LabForm } from './lab-form.tsx'
import { Results } from './results.tsx'
import { focusField, StartActions } from './start-actions.tsx'
import type { Destination } from './types.ts'

/** Search as several people, with the reasons; members who are not administrators search as themselves. */
export function LabPage() {
  const { mayName } = useLabAddress()
  return (
    <>
      <PageHeader
        title={mayName ? texts.title : texts.ownTitle}
        description={mayName ? texts.description : texts.ownDescription}
        actions={mayName ? <CheckAction /> : null}
      />
      <Lab />
    </>
  )
}

/** The field is below the results. */
function CheckAction() {
  return (
    <Button variant="default" onClick={() => focusField('page')}>
      {texts.check.title}
    </Button>
  )
}

function Lab() {
  const destinations = useQuery(useApi().list<Destination>('/search/destinations'))
  const { address } = useLabAddress()
  const chosen = chosenDestination(destinations.data ?? [], address.destination)
  const terms = useSourceTermsOfDestination(chosen?.id)
  if (destinations.isError) return <QueryFailure query={destinations} />
  if (!destinations.data) return <PageSkeleton />
  if (!chosen) return <NoDestination />
  return (
    <LabContext value={{ destination: chosen, terms }}>
      <Stack gap="lg">
        <LabForm destinations={destinations.data} />
        {chosen.last_written_at === null ? (
          <NotWritten destination={chosen} />
        ) : address.query ? (
          <Results />
        ) : (
          <StartActions />
        )}
        <CheckDocument />
      </Stack>
    </LabContext>
  )
}

function NoDestination() {
  const { id: workspaceId, role } = useWorkspace()
  const isViewer = may(role, 'viewer')
  return (
    <EmptyState
      icon={<IconListSearch size={32} stroke={1.5} />}
      title={texts.noDestination.title}
      action={
        isViewer ? (
          <ButtonLink
            to="/w/$workspaceId/connectors"
            params={{ workspaceId }}
            search={{ tab: 'destination' }}
            variant="default"
          >
            {texts.noDestination.action}
          </ButtonLink>
        ) : undefined
      }
    >
      {texts.noDestination.text} {isViewer ? '' : texts.noDestination.ask}
    </EmptyState>
  )
}

function NotWritten({ destination: { name } }: { destination: Destination }) {
  const { id: workspaceId, role } = useWorkspace()
  const isViewer = may(role, 'viewer')
  return (
    <EmptyState
      icon={<IconDatabaseOff size={32} stroke={1.5} />}
      title={texts.notWritten.title}
      action={
        isViewer ? (
          <ButtonLink to="/w/$workspaceId/workflows" params={{ workspaceId }} variant="default">
            {texts.notWritten.action}
          </ButtonLink>
        ) : undefined
      }
    >
      {texts.notWritten.text(name)} {isViewer ? '' : texts.notWritten.ask}
    </EmptyState>
  )
}
