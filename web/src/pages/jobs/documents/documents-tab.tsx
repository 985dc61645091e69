import { Stack, Text } from '@mantine/core'
import { IconFileOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { DataTable } from '../../../components/data-table.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { useApi } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import { useJobAddress } from '../job-address.ts'
import type { LiveJob } from '../live-job.ts'
import { type DocumentPage, hasNoWorkflow } from '../types.ts'
import { Differences, SinceSelect } from './differences.tsx'
import { usePaging, useSorting } from './document-address.ts'
import { documentColumns } from './document-columns.tsx'
import { DocumentFilters } from './document-filters.tsx'

const texts = jobTexts.documents
const POLL_MS = 5_000

/** The results of the documents in this run, or what changed since an earlier one. */
export function DocumentsTab({ live }: { live: LiveJob }) {
  const { since } = useJobAddress().search
  const isComparable = live.mode === 'ended' && !hasNoWorkflow(live.job)
  return (
    <Stack gap="md">
      {isComparable ? <SinceSelect job={live.job} /> : null}
      {since ? <Differences job={live.job} since={since} /> : <Results live={live} />}
    </Stack>
  )
}

/** The service filters and pages, so that thousands of documents load fast. */
function Results({ live: { job, details, mode } }: { live: LiveJob }) {
  const { state, error, warning, space: space_key, title, cursor } = useJobAddress().search
  const filters = { state, error, warning, space_key, title }
  const isFiltered = Object.values(filters).some(Boolean)
  const { sorting, order } = useSorting()
  const paging = usePaging()
  const documents = useQuery({
    ...useApi().query<DocumentPage>(`/jobs/${job.id}/documents`, { ...filters, ...order, cursor }),
    refetchInterval: mode === 'ended' ? false : POLL_MS,
    placeholderData: (before) => before,
  })
  if (documents.isError) return <QueryFailure query={documents} />
  return (
    <>
      <DocumentFilters page={documents.data} />
      <Text size="sm" c="dimmed" mih={20} className="figures" aria-live="polite">
        {documents.data ? totalsText(documents.data.totals, state, isFiltered) : null}
        {documents.data && !isFiltered && details.counts.unchanged > 0
          ? `. ${texts.unchanged(details.counts.unchanged)}.`
          : null}
      </Text>
      {details.documents_kept ? null : <Text c="dimmed">{texts.notKept}</Text>}
      <DataTable
        label={texts.list}
        columns={documentColumns(job, details)}
        rows={documents.data?.items}
        rowId={({ record_id: id }) => id}
        sorting={sorting}
        paging={paging(documents.isPlaceholderData ? undefined : documents.data)}
        empty={<Empty filtered={isFiltered} />}
      />
    </>
  )
}

function totalsText(totals: DocumentPage['totals'], state: string | undefined, isFiltered: boolean): string {
  const all = Object.values(totals).reduce((sum, documents) => sum + documents, 0)
  return (isFiltered ? texts.matching : texts.totals)(state ? (totals[state] ?? 0) : all)
}

function Empty({ filtered }: { filtered: boolean }) {
  return (
    <EmptyState
      icon={<IconFileOff size={32} stroke={1.5} />}
      title={filtered ? texts.noneTitle : texts.emptyTitle}
    >
      {filtered ? texts.noneText : texts.emptyText}
    </EmptyState>
  )
}
