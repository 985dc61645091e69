import { Group, Stack, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { DataList } from '../../../components/data-list.tsx'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { DeleteButton } from '../../../components/delete-button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Panel } from '../../../components/panel.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useAction } from '../../../service/action.ts'
import { useCursor } from '../../../service/cursor.ts'
import { useApi } from '../../../service/session.ts'
import { identityTexts } from '../../../texts/identity.ts'
import { count } from '../../../texts/times.ts'
import { ImportActions } from './import-actions.tsx'
import type { IdentityPage } from './types.ts'

const texts = identityTexts.table
const PAGE_SIZE = 25
type Identity = IdentityPage['items'][number]

type Props = { sourceId: string | undefined; choice: ReactNode; isLoading: boolean }

export function IdentityTable({ sourceId, choice, isLoading }: Props) {
  return (
    <Panel title={texts.title} description={texts.text}>
      <Stack>
        {choice}
        {sourceId || isLoading ? <Rows sourceId={sourceId} /> : null}
      </Stack>
    </Panel>
  )
}

function Rows({ sourceId }: { sourceId: string | undefined }) {
  const api = useApi()
  const [query, setQuery] = useState('')
  const cursor = useCursor(query)
  const filters = { source_id: sourceId, query, cursor: cursor.at, limit: PAGE_SIZE }
  const identities = useQuery({
    ...api.query<IdentityPage>('/identities', filters),
    enabled: sourceId !== undefined,
    placeholderData: keepPreviousData,
  })
  const remove = useAction(({ id }: Identity) => api.delete(`/identities/${id}`), {
    refreshes: ['/identities'],
    notice: texts.deleted,
    showsError: false,
  })
  return (
    <>
      <Counts counts={identities.data?.counts} />
      {sourceId ? <ImportActions sourceId={sourceId} /> : null}
      <TextInput
        label={texts.search}
        maw={400}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
      />
      <DataTable
        label={texts.title}
        columns={columnsWith((identity) => remove.mutateAsync(identity))}
        rows={identities.data?.items}
        query={identities}
        rowId={({ id }) => id}
        paging={cursor.paging(identities.data?.next)}
        empty={
          <EmptyState title={texts.none} level={3}>
            {texts.noneText}
          </EmptyState>
        }
      />
    </>
  )
}

function Counts({ counts }: { counts: IdentityPage['counts'] | undefined }) {
  const names = ['total', 'import', 'source', 'link', 'ambiguous'] as const
  return <DataList entries={names.map((name) => [texts.counts[name], counts ? count(counts[name]) : '–'])} />
}

function columnsWith(onDelete: (identity: Identity) => Promise<unknown>): Column<Identity>[] {
  return [
    {
      id: 'value',
      header: texts.columns.value,
      cell: (identity) => (
        <Group gap="xs">
          {nameOf(identity)}
          {identity.ambiguous ? <StateBadge state="warning" label={texts.ambiguous} /> : null}
        </Group>
      ),
    },
    {
      id: 'account',
      header: texts.columns.account,
      cell: ({ account }) => <span className="mono">{account}</span>,
    },
    {
      id: 'origin',
      header: texts.columns.origin,
      hideOnPhone: true,
      cell: ({ origin }) => texts.origins[origin],
    },
    {
      id: 'actions',
      header: texts.columns.actions,
      hiddenHeader: true,
      align: 'end',
      cell: (identity) => (
        <DeleteButton
          label={texts.delete(nameOf(identity))}
          confirm={texts.deleteConfirm}
          text={texts.deleteText}
          onConfirm={() => onDelete(identity)}
        />
      ),
    },
  ]
}

function nameOf({ value, member }: Identity): string {
  return member ?? value
}
