import { Alert, Stack } from '@mantine/core'
import { IconListSearch, IconLock, IconShieldCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { searchTexts as texts } from '../../texts/search.ts'
import { findType } from '../connectors/connector-type.ts'
import { useConnectorTypes } from '../connectors/queries.ts'
import { ExplainPanel } from './explain-panel.tsx'
import { Results } from './results.tsx'
import { SearchForm } from './search-form.tsx'
import type { Destination } from './types.ts'

export function SearchPage() {
  const { role } = useWorkspace()
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      {may(role, 'administrator') ? (
        <ForAdministrators />
      ) : (
        <EmptyState icon={<IconLock size={32} stroke={1.5} />} title={texts.onlyAdministrators.title}>
          {texts.onlyAdministrators.text(roleTexts[role].name)}
        </EmptyState>
      )}
    </>
  )
}

function ForAdministrators() {
  const api = useApi()
  const destinations = useQuery(api.query<Destination[]>('/destinations/'))
  const types = useConnectorTypes()
  if (destinations.isError) return <QueryFailure query={destinations} />
  if (types.isError) return <QueryFailure query={types} />
  if (!destinations.data || !types.data) return <PageSkeleton />
  const searchable = destinations.data.filter(({ type }) =>
    findType(types.data, 'destination', type)?.capabilities.includes('search'),
  )
  if (searchable.length === 0) return <NoDestination />
  return (
    <Stack gap="lg">
      <Alert variant="outline" color="var(--mr-accent)" icon={<IconShieldCheck size={18} />} p="sm">
        {texts.audited}
      </Alert>
      <SearchForm destinations={searchable} />
      <Results />
      <ExplainPanel />
    </Stack>
  )
}

function NoDestination() {
  const { id: workspaceId } = useWorkspace()
  return (
    <EmptyState
      icon={<IconListSearch size={32} stroke={1.5} />}
      title={texts.noDestination.title}
      action={
        <ButtonLink
          to="/w/$workspaceId/connectors"
          params={{ workspaceId }}
          search={{ tab: 'destination' }}
          variant="default"
        >
          {texts.noDestination.action}
        </ButtonLink>
      }
    >
      {texts.noDestination.text}
    </EmptyState>
  )
}
