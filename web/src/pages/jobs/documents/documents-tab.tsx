import { Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconFileOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { TextLink } from '../../../components/links.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useApi, useWorkspace } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import type { Terms } from '../../../texts/nouns.ts'
import { stateTexts } from '../../../texts/states.ts'
import { count } from '../../../texts/times.ts'
import { useSourceTerms } from '../../connectors/source-terms.ts'
import { errorName } from '../error-advice.ts'
import type { LiveJob } from '../live-job.ts'
import { type DocumentPage, documentStates, type JobDocument, type JobSearch } from '../types.ts'
import { FIRST_PAGE, usePaging, useSorting } from './document-address.ts'
import { DocumentDrawer } from './document-drawer.tsx'

const { documents: texts, errors } = jobTexts
const PATH = '/w/$workspaceId/jobs/$jobId'
const BUSY_MS = 5_000

/** The service filters and pages, so thousands load as fast as ten. */
export function DocumentsTab({ live: { job, details, mode } }: { live: LiveJob }) {
  const api = useApi()
  const search = useSearch({ from: `/signed-in${PATH}` })
  const navigate = useNavigate()
  const { id: workspaceId } = useWorkspace()
  const terms = useSourceTerms(details.settings.source_id)
  const filters = { state: search.state, error: search.error, space_key: search.space }
  const { sorting, order } = useSorting(job.id)
  const paging = usePaging(job.id)
  const documents = useQuery({
    ...api.query<DocumentPage>(`/jobs/${job.id}/documents`, {
      ...filters,
      ...order,
      cursor: search.cursor,
    }),
    refetchInterval: mode === 'ended' ? false : BUSY_MS,
    placeholderData: (before) => before,
  })
  const open = documents.data?.items.find(({ record_id: id }) => id === search.document)
  const close = () =>
    navigate({
      to: PATH,
      params: { workspaceId, jobId: job.id },
      search: { ...search, document: undefined },
      resetScroll: false,
    })
  return (
    <Stack gap="md">
      <Filters jobId={job.id} terms={terms} />
      {details.documents_kept ? null : <Text c="dimmed">{texts.forgotten}</Text>}
      {documents.isError ? (
        <QueryFailure query={documents} />
      ) : (
        <DataTable
          label={texts.list}
          columns={columnsFor(workspaceId, job.id, search)}
          rows={documents.data?.items}
          rowId={({ record_id: id }) => id}
          sorting={sorting}
          paging={paging(documents.isPlaceholderData ? undefined : documents.data)}
          selected={({ record_id: id }) => id === search.document}
          empty={<Empty filtered={Object.values(filters).some(Boolean)} terms={terms} />}
        />
      )}
      <DocumentDrawer job={job} recordId={search.document} document={open} terms={terms} onClose={close} />
    </Stack>
  )
}

function columnsFor(workspaceId: string, jobId: string, search: JobSearch): Column<JobDocument>[] {
  return [
    {
      id: 'title',
      serverSort: true,
      header: texts.title,
      cell: ({ record_id: id, title }) => (
        <TextLink
          to={PATH}
          params={{ workspaceId, jobId }}
          search={{ ...search, tab: 'documents', document: id }}
          resetScroll={false}
          fw={500}
        >
          {title || id || texts.untitled}
        </TextLink>
      ),
    },
    {
      id: 'state',
      header: texts.state,
      serverSort: true,
      cell: ({ state }) => <StateBadge state={state} />,
      width: 160,
    },
    {
      id: 'error',
      header: texts.error,
      wide: true,
      cell: ({ error }) => (error ? errorName(error.code) : <Absent />),
    },
    {
      id: 'elements',
      serverSort: true,
      header: texts.elements,
      align: 'figure',
      wide: true,
      cell: ({ elements }) => (elements === null ? <Absent /> : count(elements)),
    },
    { id: 'attempts', header: texts.attempts, align: 'figure', wide: true, cell: ({ attempts }) => attempts },
    {
      id: 'updated_at',
      serverSort: true,
      header: texts.updated,
      wide: true,
      width: 144,
      cell: ({ updated_at: at }) => <RelativeTime at={at} />,
    },
  ]
}

function Absent() {
  return (
    <Text span inherit c="dimmed">
      –
    </Text>
  )
}

const TYPING_MS = 400

function Filters({ jobId, terms }: { jobId: string; terms: Terms }) {
  const { id: workspaceId } = useWorkspace()
  const search = useSearch({ from: `/signed-in${PATH}` })
  const navigate = useNavigate()
  const go = (changes: Partial<typeof search>) =>
    navigate({
      to: PATH,
      params: { workspaceId, jobId },
      search: { ...search, ...changes, tab: 'documents', document: undefined, ...FIRST_PAGE },
      replace: true,
      resetScroll: false,
    })
  const [space, setSpace] = useState(search.space ?? '')
  const goSpace = useDebouncedCallback((value: string) => go({ space: value.trim() || undefined }), TYPING_MS)
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label={texts.filters}>
      <Select
        label={texts.filterState}
        placeholder={texts.anyState}
        data={documentStates.map((value) => ({ value, label: stateTexts[value] }))}
        value={search.state ?? null}
        onChange={(value) => go({ state: documentStates.find((each) => each === value) })}
        clearable
        w={{ base: '100%', xs: 176 }}
      />
      <Select
        label={texts.filterError}
        placeholder={texts.anyError}
        data={Object.entries(errors).map(([value, { name }]) => ({ value, label: name }))}
        value={search.error ?? null}
        onChange={(value) => go({ error: value ?? undefined })}
        clearable
        searchable
        w={{ base: '100%', xs: 224 }}
      />
      <TextInput
        label={texts.filterScope(terms.scope)}
        placeholder={texts.scopeExample}
        value={space}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => {
          setSpace(value)
          goSpace(value)
        }}
        w={{ base: '100%', xs: 144 }}
      />
    </Group>
  )
}

function Empty({ filtered, terms }: { filtered: boolean; terms: Terms }) {
  return (
    <EmptyState
      icon={<IconFileOff size={32} stroke={1.5} />}
      title={filtered ? texts.noneTitle : texts.emptyTitle}
    >
      {filtered ? texts.noneText : texts.emptyText(terms.system)}
    </EmptyState>
  )
}
