import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { useAction } from '../../../service/action.ts'
import { useApi } from '../../../service/session.ts'
import { connectorsTexts } from '../../../texts/connectors.ts'
import { count } from '../../../texts/times.ts'
import type { ReplacedIndex } from '../types.ts'

const texts = connectorsTexts.replaced

/** Indexes that swaps replaced. Hidden if there are none. */
export function ReplacedIndexes({ id, allowed }: { id: string; allowed: boolean }) {
  const api = useApi()
  const path = `/destinations/${id}/generations`
  const query = useQuery(api.query<ReplacedIndex[]>(path))
  const { data = [] } = query
  const [deleting, setDeleting] = useState<ReplacedIndex>()
  const remove = useAction(({ name }: ReplacedIndex) => api.delete(`${path}/${encodeURIComponent(name)}`), {
    refreshes: [path],
    notice: (_, { name }) => texts.deleted(name),
    showsError: false,
  })
  if (query.isError && data.length === 0) return <QueryFailure query={query} />
  if (data.length === 0) return null

  const columns: Column<ReplacedIndex>[] = [
    { id: 'name', header: texts.name, cell: ({ name }) => <span className="mono">{name}</span> },
    { id: 'elements', header: texts.elements, align: 'end', cell: ({ elements }) => count(elements) },
    {
      id: 'at',
      header: texts.at,
      hideOnPhone: true,
      cell: ({ replaced_at: at }) => <RelativeTime at={at} />,
    },
    {
      id: 'actions',
      header: texts.actions,
      hiddenHeader: true,
      align: 'end',
      cell: (index) =>
        index.aliases.length > 0 ? (
          texts.inUse(index.aliases)
        ) : (
          <Button
            variant="subtle"
            size="compact-sm"
            disabled={!allowed}
            aria-label={texts.delete(index.name)}
            onClick={() => setDeleting(index)}
          >
            {texts.deleteWord}
          </Button>
        ),
    },
  ]
  return (
    <Panel title={texts.title} description={texts.description}>
      <DataTable label={texts.title} columns={columns} rows={data} rowId={({ name }) => name} empty={null} />
      <ConfirmDialog
        opened={deleting !== undefined}
        title={texts.delete(deleting?.name ?? '')}
        confirm={texts.deleteConfirm}
        destructive
        onConfirm={async () => deleting && remove.mutateAsync(deleting)}
        onClose={() => setDeleting(undefined)}
      >
        {texts.deleteText(deleting?.elements ?? 0)}
      </ConfirmDialog>
    </Panel>
  )
}
