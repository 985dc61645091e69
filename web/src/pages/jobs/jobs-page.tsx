import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { IconListCheck, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import { type Job, may, type Workflow } from '../../service/types.ts'
import { jobsTexts as texts } from '../../texts/jobs.ts'
import { shellTexts } from '../../texts/shell.ts'
import { stateTexts } from '../../texts/states.ts'
import { isSelectable } from './bulk/bulk.ts'
import { BulkBar } from './bulk/bulk-bar.tsx'
import { JobTable } from './job-table.tsx'
import { isActive, type JobsSearch, statuses } from './types.ts'

const [ACTIVE_POLL_MS, IDLE_POLL_MS] = [5_000, 30_000]
const PATH = '/w/$workspaceId/jobs'
/** Two filters next to each other on a phone. */
const HALF = 'calc(50% - 6px)'
const NO_FILTERS = { status: undefined, workflow: undefined, from: undefined, until: undefined }

export function JobsPage() {
  const api = useApi()
  const { status, workflow, from, until } = useSearch({ from: `/signed-in${PATH}` })
  const mayAct = may(useWorkspace().role, 'operator')
  const [selected, setSelected] = useState<string[]>([])
  const jobs = useQuery({
    ...api.query<Job[]>('/jobs/', {
      status,
      workflow_id: workflow,
      created_after: from && new Date(`${from}T00:00`).toISOString(),
      created_before: until && dayAfter(until).toISOString(),
    }),
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? ACTIVE_POLL_MS : IDLE_POLL_MS),
    placeholderData: (before) => before,
  })
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <Stack gap="md">
        <Filters />
        {jobs.isError ? (
          <QueryFailure query={jobs} />
        ) : (
          <>
            {mayAct ? (
              <BulkBar
                selected={jobs.data?.filter(({ id }) => selected.includes(id)) ?? []}
                selectable={jobs.data?.filter(isSelectable) ?? []}
                onSelect={setSelected}
              />
            ) : null}
            <JobTable
              jobs={jobs.data}
              empty={status || workflow || from || until ? <NoneMatch /> : <NoneYet />}
              selection={mayAct ? { ids: selected, onChange: setSelected } : undefined}
            />
          </>
        )}
      </Stack>
    </>
  )
}

/** The end of a day, which may have 23 or 25 hours. */
function dayAfter(day: string): Date {
  const date = new Date(`${day}T00:00`)
  date.setDate(date.getDate() + 1)
  return date
}

function Filters() {
  const api = useApi()
  const params = useParams({ from: `/signed-in${PATH}` })
  const search = useSearch({ from: `/signed-in${PATH}` })
  const navigate = useNavigate()
  const workflows = useQuery(api.list<Workflow>('/workflows/', { limit: 100 }))
  const go = (changes: JobsSearch) =>
    navigate({ to: PATH, params, search: { ...search, ...changes }, replace: true })
  const day = (name: 'from' | 'until') => (
    <TextInput
      type="date"
      label={texts.filters[name]}
      value={search[name] ?? ''}
      onChange={({ currentTarget: { value } }) => go({ [name]: value || undefined })}
      w={{ base: HALF, xs: 152 }}
    />
  )
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label={texts.filters.label}>
      <Select
        label={texts.filters.status}
        placeholder={texts.filters.anyStatus}
        data={statuses.map((value) => ({ value, label: stateTexts[value] }))}
        value={search.status ?? null}
        onChange={(value) => go({ status: statuses.find((each) => each === value) })}
        clearable
        w={{ base: HALF, xs: 160 }}
      />
      <Select
        label={texts.filters.workflow}
        placeholder={workflows.isPending ? shellTexts.table.loading : texts.filters.anyWorkflow}
        data={workflows.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        value={search.workflow ?? null}
        onChange={(value) => go({ workflow: value ?? undefined })}
        searchable
        clearable
        w={{ base: HALF, xs: 240 }}
      />
      {workflows.isError ? <QueryFailure query={workflows} /> : null}
      {day('from')}
      {day('until')}
      {Object.values(search).some(Boolean) ? (
        <Button variant="subtle" leftSection={<IconX size={16} />} onClick={() => go(NO_FILTERS)}>
          {texts.filters.clear}
        </Button>
      ) : null}
    </Group>
  )
}

function NoneMatch() {
  return (
    <EmptyState icon={<IconListCheck size={32} stroke={1.5} />} title={texts.noneMatch.title}>
      {texts.noneMatch.text}
    </EmptyState>
  )
}

function NoneYet() {
  const { id: workspaceId } = useWorkspace()
  return (
    <EmptyState
      icon={<IconListCheck size={32} stroke={1.5} />}
      title={texts.empty.title}
      action={
        <ButtonLink to="/w/$workspaceId/workflows" params={{ workspaceId }} variant="default">
          {texts.empty.action}
        </ButtonLink>
      }
    >
      {texts.empty.text}
    </EmptyState>
  )
}
