import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconFileOff, IconSearch, IconX } from '@tabler/icons-react'
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
const POLL_MS = 5_000

/** The service filters and pages, so that thousands of documents load fast. */
export function DocumentsTab({ live: { job, details, mode } }: { live: LiveJob }) {
  const api = useApi()
  const search = useSearch({ from: `/signed-in${PATH}` })
  const navigate = useNavigate()
  const { id: workspaceId } = useWorkspace()
  const terms = useSourceTerms(details.settings.source_id)
  const filters = {
    state: search.state,
    error: search.error,
    warning: search.warning,
    space_key: search.space,
    title: search.title,
  }
  const isFiltered = Object.values(filters).some(Boolean)
  const { sorting, order } = useSorting(job.id)
  const paging = usePaging(job.id)
  const documents = useQuery({
    ...api.query<DocumentPage>(`/jobs/${job.id}/documents`, {
      ...filters,
      ...order,
      cursor: search.cursor,
    }),
    refetchInterval: mode === 'ended' ? false : POLL_MS,
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
      <Filters jobId={job.id} terms={terms} totals={documents.data?.totals} />
      <Totals
        totals={documents.data?.totals}
        state={search.state}
        isFiltered={isFiltered}
        unchanged={details.counts.unchanged}
      />
      {details.documents_kept ? null : <Text c="dimmed">{texts.notKept}</Text>}
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
          empty={<Empty filtered={isFiltered} terms={terms} />}
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
      card: 'title',
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
      card: 'state',
      serverSort: true,
      cell: ({ state }) => <StateBadge state={state} />,
      width: 160,
    },
    {
      id: 'error',
      header: texts.error,
      cell: ({ error }) => (error ? errorName(error.code) : <NoValue />),
    },
    {
      id: 'elements',
      serverSort: true,
      header: texts.elements,
      align: 'end',
      hideOnPhone: true,
      cell: ({ elements }) => (elements === null ? <NoValue /> : count(elements)),
    },
    {
      id: 'attempts',
      header: texts.attempts,
      align: 'end',
      hideOnPhone: true,
      cell: ({ attempts }) => attempts,
    },
    {
      id: 'updated_at',
      serverSort: true,
      header: texts.updated,
      hideOnPhone: true,
      width: 144,
      cell: ({ updated_at: at }) => <RelativeTime at={at} />,
    },
  ]
}

function NoValue() {
  return (
    <Text span inherit c="dimmed" data-no-value>
      –
    </Text>
  )
}

const DEBOUNCE_MS = 400

type TotalsProps = {
  totals: DocumentPage['totals'] | undefined
  state: JobSearch['state']
  isFiltered: boolean
  unchanged: number
}

/** How many documents the filters match, and how many are not listed. */
function Totals({ totals = {}, state, isFiltered, unchanged }: TotalsProps) {
  const all = Object.values(totals).reduce((sum, documents) => sum + documents, 0)
  const shown = state ? (totals[state] ?? 0) : all
  return (
    <Text size="sm" c="dimmed" className="figures" aria-live="polite">
      {isFiltered ? texts.matching(shown) : texts.totals(shown)}
      {!isFiltered && unchanged > 0 ? `. ${texts.unchanged(unchanged)}.` : null}
    </Text>
  )
}

type FiltersProps = { jobId: string; terms: Terms; totals: DocumentPage['totals'] | undefined }

function Filters({ jobId, terms, totals = {} }: FiltersProps) {
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
  const goSpace = useDebouncedCallback(
    (value: string) => go({ space: value.trim() || undefined }),
    DEBOUNCE_MS,
  )
  const [title, setTitle] = useState(search.title ?? '')
  const goTitle = useDebouncedCallback(
    (value: string) => go({ title: value.trim() || undefined }),
    DEBOUNCE_MS,
  )
  const clear = () => {
    setTitle('')
    setSpace('')
    go({ title: undefined, state: undefined, error: undefined, warning: undefined, space: undefined })
  }
  const { state, error, warning } = search
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label={texts.filters}>
      <TextInput
        label={texts.search}
        placeholder={texts.searchExample}
        leftSection={<IconSearch size={16} />}
        value={title}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => {
          setTitle(value)
          goTitle(value)
        }}
        w={{ base: '100%', xs: 224 }}
      />
      <Select
        label={texts.filterState}
        placeholder={texts.anyState}
        data={documentStates.map((value) => ({
          value,
          label: texts.ofState(stateTexts[value], totals[value] ?? 0),
        }))}
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
      {state || error || warning || search.title || search.space ? (
        <Button variant="subtle" leftSection={<IconX size={16} />} onClick={clear}>
          {texts.clear}
        </Button>
      ) : null}
      {warning ? <Text size="sm">{texts.withWarning(warning)}</Text> : null}
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
