import { Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useAction } from '../../service/action.ts'
import { useApi } from '../../service/session.ts'
import type { ApiKey, PersonalToken } from '../../service/types.ts'
import { keysTexts } from '../../texts/keys.ts'

type Props<Row> = {
  kind: 'key' | 'token'
  /** The API path of the list. */
  path: string
  query: UseQueryResult<Row[]>
  columns: Column<Row>[]
  canDelete: (row: Row) => boolean
}

/** API keys, or personal tokens. */
export function CredentialTable<Row extends ApiKey | PersonalToken>(props: Props<Row>) {
  const { kind, path, query, columns, canDelete } = props
  const texts = keysTexts[kind]
  const api = useApi()
  const remove = useAction(({ id }: Row) => api.delete(`${path}/${id}`), {
    refreshes: [path],
    notice: (_, { name }) => texts.deleted(name),
    undo: ({ id }) => api.post(`${path}/${id}/restore`),
    showsError: false,
  })
  return (
    <DataTable
      label={texts.list}
      columns={[
        nameColumn,
        ...columns,
        ...timeColumns,
        {
          id: 'actions',
          header: headers.actions,
          hiddenHeader: true,
          align: 'end',
          width: 48,
          cell: (row) =>
            canDelete(row) ? (
              <DeleteButton
                label={texts.delete(row.name)}
                confirm={texts.deleteConfirm}
                text={texts.deleteText(row.name)}
                onConfirm={() => remove.mutateAsync(row)}
              />
            ) : null,
        },
      ]}
      rows={query.data}
      query={query}
      rowId={({ id }) => id}
      initialSort={{ by: 'created', direction: 'descending' }}
      empty={
        <EmptyState icon={<IconKey size={32} stroke={1.5} />} title={texts.empty.title}>
          {texts.empty.text}
        </EmptyState>
      }
    />
  )
}

const headers = keysTexts.columns

const nameColumn: Column<ApiKey | PersonalToken> = {
  id: 'name',
  header: headers.name,
  cell: ({ name }) => <Text fw={500}>{name}</Text>,
  sortBy: ({ name }) => name,
}

const timeColumns: Column<ApiKey | PersonalToken>[] = [
  {
    id: 'created',
    header: headers.created,
    hideOnPhone: true,
    cell: ({ created_at: at }) => <RelativeTime at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
  {
    id: 'last-used',
    header: headers.lastUsed,
    cell: ({ last_used_at: at }) => <RelativeTime at={at} absent={keysTexts.never} />,
    sortBy: ({ last_used_at: at }) => at,
  },
  {
    id: 'expires',
    header: headers.expires,
    hideOnPhone: true,
    cell: ({ expires_at: at }) =>
      at && Date.parse(at) <= Date.now() ? (
        keysTexts.expired
      ) : (
        <RelativeTime at={at} absent={keysTexts.never} />
      ),
    sortBy: ({ expires_at: at }) => at ?? '9',
  },
]
