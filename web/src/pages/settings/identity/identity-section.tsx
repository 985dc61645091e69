import { NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { may, type Workspace } from '../../../service/types.ts'
import { identityTexts as texts } from '../../../texts/identity.ts'
import { useConnectors } from '../../connectors/queries.ts'
import { IdentityTable } from './identity-table.tsx'
import { ProviderPanel } from './provider-panel.tsx'
import { TokenTest } from './token-test.tsx'
import { Unmatched } from './unmatched.tsx'

export function IdentitySection({ workspace }: { workspace: Workspace }) {
  if (!may(workspace.role, 'administrator'))
    return <EmptyState title={texts.title}>{texts.administratorsOnly}</EmptyState>
  return (
    <Stack gap="lg">
      <ProviderPanel />
      <TokenTest />
      <SourceIdentities />
    </Stack>
  )
}

/** The identities of one source at a time. */
function SourceIdentities() {
  const sources = useConnectors('source')
  const [chosen, setChosen] = useState<string>()
  if (sources.isError) return <QueryFailure query={sources} />
  const sourceId = chosen ?? sources.data?.[0]?.id
  const choice = sources.data?.length ? (
    <NativeSelect
      label={texts.table.source}
      maw={400}
      value={sourceId}
      onChange={(event) => setChosen(event.currentTarget.value)}
      data={sources.data.map(({ id, name }) => ({ value: id, label: name }))}
    />
  ) : (
    <Text c="dimmed">{sources.data ? texts.table.noSources : null}</Text>
  )
  return (
    <>
      <IdentityTable key={sourceId} sourceId={sourceId} choice={choice} isLoading={sources.isPending} />
      {sourceId ? <Unmatched key={`unmatched ${sourceId}`} sourceId={sourceId} /> : null}
    </>
  )
}
