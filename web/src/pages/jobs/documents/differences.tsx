import { Alert, Select, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DataTable } from '../../../components/data-table.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { useCursor } from '../../../service/cursor.ts'
import { useApi } from '../../../service/session.ts'
import type { Job } from '../../../service/types.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import { shellTexts } from '../../../texts/shell.ts'
import { stateTexts } from '../../../texts/states.ts'
import { exactTime } from '../../../texts/times.ts'
import { useJobAddress } from '../job-address.ts'
import { type ChangedDocuments, isActive } from '../types.ts'
import { resultColumns } from './document-columns.tsx'

const texts = jobTexts.differences
const changes = ['new', 'changed', 'removed', 'failed'] as const
const RUNS = 30
const PAGE = 50

/** Chooses the earlier run to compare with. */
export function SinceSelect({ job }: { job: Job }) {
  const { search, go } = useJobAddress()
  const query = { workflow_id: job.workflow_id, created_before: job.created_at, limit: RUNS }
  const [isOpen, setOpen] = useState(search.since !== undefined)
  const runs = useQuery({ ...useApi().query<Job[]>('/jobs/', query), enabled: isOpen })
  if (runs.isError) return <QueryFailure query={runs} />
  const earlier = runs.data?.filter((each) => !isActive(each)) ?? []
  return (
    <Select
      label={texts.since}
      placeholder={runs.isLoading ? shellTexts.table.loading : texts.before}
      data={earlier.map(({ id, created_at: at }) => ({ value: id, label: exactTime(at) }))}
      value={search.since ?? null}
      onDropdownOpen={() => setOpen(true)}
      onChange={(id) => go({ since: id ?? undefined }, { replace: true })}
      clearable
      w={{ base: '100%', xs: 288 }}
    />
  )
}

/** The documents that are different after this run. */
export function Differences({ job, since }: { job: Job; since: string }) {
  const cursor = useCursor(since)
  const found = useQuery({
    ...useApi().query<ChangedDocuments>(`/jobs/${since}/differences`, {
      to: job.id,
      after: cursor.at,
      limit: PAGE,
    }),
    placeholderData: (before) => before,
  })
  if (found.isError) return <QueryFailure query={found} />
  return (
    <>
      <Text size="sm" c="dimmed" mih={20} className="figures" aria-live="polite">
        {found.data ? totalsText(found.data.totals) : null}
      </Text>
      {found.data?.complete === false ? (
        <Alert variant="outline" icon={<IconInfoCircle size={18} />} p="sm">
          {texts.incomplete}
        </Alert>
      ) : null}
      <DataTable
        label={texts.list}
        columns={resultColumns(job)}
        rows={found.data?.items.map((item) => ({ ...item, state: stateOf(item) }))}
        rowId={({ record_id: id }) => id}
        paging={cursor.paging(found.data?.next)}
        empty={<Text c="dimmed">{texts.empty}</Text>}
      />
    </>
  )
}

function totalsText(totals: ChangedDocuments['totals']): string {
  const counted = changes.filter((change) => totals[change] > 0)
  return texts.totals(counted.map((change) => [stateTexts[change].toLowerCase(), totals[change]]))
}

function stateOf({ change, permissions_only: only }: ChangedDocuments['items'][number]): string {
  return only && change === 'changed' ? 'permissions_only' : change
}
