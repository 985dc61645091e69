import { Button, Stack } from '@mantine/core'
import { IconDatabaseOff, IconListSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { labTexts as texts } from '../../texts/lab.ts'
import { useSourceTermsOfDestination } from '../connectors/source-terms.ts'
import { CheckDocument, focusCheck } from './check-document.tsx'
import { chosenDestination } from './destinations.ts'
import { LabContext, useLabAddress } from './lab-context.ts'
import { LabForm } from './lab-form.tsx'
import { Results } from './results.tsx'
import type { Destination } from './types.ts'

/** Search as several people, with the reasons; members who are not administrators search as themselves. */
export function LabPage() {
  const { mayName } = useLabAddress()
  const destinations = useQuery(useApi().list<Destination>('/search/destinations'))
  return (
    <>
      <PageHeader
        title={mayName ? texts.title : texts.ownTitle}
        description={mayName ? texts.description : texts.ownDescription}
        actions={
          mayName ? (
            <Button variant="default" onClick={focusCheck}>
              {texts.check.title}
            </Button>
          ) : null
        }
      />
      <Loaded query={destinations} size="page">
        {(all) => <Lab destinations={all} />}
      </Loaded>
    </>
  )
}

function Lab({ destinations }: { destinations: Destination[] }) {
  const { address } = useLabAddress()
  const chosen = chosenDestination(destinations, address.destination)
  const terms = useSourceTermsOfDestination(chosen?.id)
  if (!chosen) return <Empty of="noDestination" />
  return (
    <LabContext value={{ destination: chosen, terms }}>
      <Stack gap="md">
        <LabForm destinations={destinations} />
        {chosen.last_written_at === null ? <Empty of="notWritten" /> : address.query ? <Results /> : null}
        <CheckDocument />
      </Stack>
    </LabContext>
  )
}

const empty = {
  noDestination: { Icon: IconListSearch, to: '/w/$workspaceId/connectors', search: { tab: 'destination' } },
  notWritten: { Icon: IconDatabaseOff, to: '/w/$workspaceId/workflows', search: {} },
} as const

function Empty({ of }: { of: keyof typeof empty }) {
  const { id: workspaceId, role } = useWorkspace()
  const { Icon, ...link } = empty[of]
  const { title, text, action, ask } = texts[of]
  const isViewer = may(role, 'viewer')
  return (
    <EmptyState
      icon={<Icon size={32} stroke={1.5} />}
      title={title}
      action={
        isViewer ? (
          <ButtonLink {...link} params={{ workspaceId }} variant="default">
            {action}
          </ButtonLink>
        ) : undefined
      }
    >
      {text} {isViewer ? '' : ask}
    </EmptyState>
  )
}
