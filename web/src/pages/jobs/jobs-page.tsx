import { Button, Group, Select, Stack } from '@mantine/core'
import { IconListCheck, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import { type Job, may, type Workflow } from '../../service/types.ts'
import { jobsTexts as texts } from '../../texts/jobs.ts'
import { stateTexts } from '../../texts/states.ts'
import { isSelectable } from './bulk/bulk.ts'
import { BulkBar } from './bulk/bulk-bar.tsx'
import { JobTable } from './job-table.tsx'
import { isActive, statuses } from './types.ts'

const [ACTIVE_POLL_MS, IDLE_POLL_MS] = [5_000, 30_000]
const PATH = '/w/$workspaceId/jobs'

export function JobsPage() {
  const api = useApi()
  const { status, workflow } = useSearch({ from: `/signed-in${PATH}` })
  const mayAct = may(useWorkspace().role, 'operator')
  const [selected, setSelected] = useState<string[]>([])
  const jobs = useQuery({
    ...api.query<Job[]>('/jobs/', { status, workflow_id: workflow }),
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
              empty={status || workflow ? <NoneMatch /> : <NoneYet />}
              selection={mayAct ? { ids: selected, onChange: setSelected } : undefined}
            />
          </>
        )}
      </Stack>
    </>
  )
}

function Filters() {
  const api = useApi()
  const { id: workspaceId } = useWorkspace()
  const { status, workflow } = useSearch({ from: `/signed-in${PATH}` })
  const navigate = useNavigate()
  const { data: workflows } = useQuery(api.list<Workflow>('/workflows/', { limit: 100 }))
  const go = (changes: { status?: Job['status'] | undefined; workflow?: string | undefined }) =>
    navigate({
      to: PATH,
      params: { workspaceId },
      search: { status, workflow, ...changes },
      replace: true,
    })
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label={texts.filters.label}>
      <Select
        label={texts.filters.status}
        placeholder={texts.filters.anyStatus}
        data={statuses.map((value) => ({ value, label: stateTexts[value] }))}
        value={status ?? null}
        onChange={(value) => go({ status: statuses.find((each) => each === value) })}
        clearable
        w={{ base: '100%', xs: 176 }}
      />
      <Select
        label={texts.filters.workflow}
        placeholder={texts.filters.anyWorkflow}
        data={optionsOf(workflows ?? [])}
        value={workflow ?? null}
        onChange={(value) => go({ workflow: value ?? undefined })}
        searchable
        clearable
        w={{ base: '100%', xs: 256 }}
      />
      {status || workflow ? (
        <Button
          variant="subtle"
          leftSection={<IconX size={16} />}
          onClick={() => go({ status: undefined, workflow: undefined })}
        >
          {texts.filters.clear}
        </Button>
      ) : null}
    </Group>
  )
}

function optionsOf(workflows: Workflow[]): { value: string; label: string }[] {
  return workflows.map(({ id, name }) => ({ value: id, label: name }))
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
