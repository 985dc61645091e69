import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useConnectors } from '../../pages/connectors/queries.ts'
import { chosenDestination } from '../../pages/lab/destinations.ts'
import { visibleSections } from '../../pages/settings/sections.ts'
import { useAllWorkflows } from '../../pages/workflows/queries.ts'
import { useRun } from '../../pages/workflows/run-button.tsx'
import { useApi, useSession, useWorkspace } from '../../service/session.ts'
import {
  type Job,
  may,
  type ResponseOf,
  type SearchDestination,
  type Workspace,
} from '../../service/types.ts'
import { connectorsTexts } from '../../texts/connectors.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { shellTexts } from '../../texts/shell.ts'
import { exactTime } from '../../texts/times.ts'
import { workflowsTexts } from '../../texts/workflows.ts'
import { sectionsFor } from '../sections.tsx'

const texts = shellTexts.palette
const DELAY_MS = 300
const MIN_QUERY = 3
const DOCUMENTS = 8

export type PaletteEntry = {
  id: string
  kind: keyof typeof texts.kinds
  label: string
  open: () => unknown
}

type Found = { entries: PaletteEntry[]; isLoading: boolean; isError: boolean }

/** What the person can open or do in the workspace, by the words that they typed. */
export function useEntries(typed: string): Found {
  const workspace = useWorkspace()
  const things = useThings(workspace)
  const documents = useDocuments(workspace, typed)
  const words = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const matching = [...useScreens(workspace), ...useActions(workspace), ...things.entries].filter(
    ({ label }) => words.every((word) => label.toLocaleLowerCase().includes(word)),
  )
  return {
    entries: [...matching, ...documents.entries],
    isLoading: things.isLoading || documents.isLoading,
    isError: things.isError || documents.isError,
  }
}

function useScreens({ id: workspaceId, role }: Workspace): PaletteEntry[] {
  const navigate = useNavigate()
  const { tier, workspaces } = useSession()
  const to = '/w/$workspaceId/settings/$section'
  return [
    ...sectionsFor(role).map(({ to, label }) => ({
      ...{ id: to, kind: 'screen' as const, label },
      open: () => navigate({ to, params: { workspaceId } }),
    })),
    ...visibleSections(role, tier).map((section) => ({
      ...{ id: section, kind: 'screen' as const },
      label: `${settingsTexts.title}: ${settingsTexts.sections[section]}`,
      open: () => navigate({ to, params: { workspaceId, section } }),
    })),
    ...workspaces.flatMap(({ id, name }) =>
      id === workspaceId
        ? []
        : { id, kind: 'workspace' as const, label: name, open: () => navigate({ to: `/w/${id}` }) },
    ),
  ]
}

function useActions({ id: workspaceId, role }: Workspace): PaletteEntry[] {
  const navigate = useNavigate()
  const run = useRun()
  const mayRun = may(role, 'operator')
  const { data: workflows = [] } = useAllWorkflows(mayRun)
  // The list can be in the cache for others.
  const runnable = workflows.filter(
    ({ status, sources }) => mayRun && status === 'active' && sources.length > 0,
  )
  const kinds = may(role, 'developer') ? (['source', 'destination'] as const) : []
  const action = (label: string, open: () => unknown): PaletteEntry => ({
    id: label,
    kind: 'action',
    label,
    open,
  })
  return [
    ...kinds.map((kind) =>
      action(connectorsTexts.new[kind], () =>
        navigate({ to: '/w/$workspaceId/connectors/$kind/new', params: { workspaceId, kind } }),
      ),
    ),
    ...(mayRun
      ? [
          action(workflowsTexts.new, () =>
            navigate({ to: '/w/$workspaceId/workflows/new', params: { workspaceId } }),
          ),
        ]
      : []),
    ...runnable.map(({ id, name }) => ({
      ...action(texts.runWorkflow(name), () => run.mutate(id)),
      id: `run ${id}`,
    })),
  ]
}

/** Connectors, workflows and the newest jobs. */
function useThings({ id: workspaceId, role }: Workspace): Found {
  const navigate = useNavigate()
  const isViewer = may(role, 'viewer')
  const sources = useConnectors('source', isViewer)
  const destinations = useConnectors('destination', isViewer)
  const workflows = useAllWorkflows(isViewer)
  const jobs = useQuery({ ...useApi().query<Job[]>('/jobs/'), enabled: isViewer })
  const connectorsOf = (
    kind: 'source' | 'destination',
    all: { id: string; name: string }[] = [],
  ): PaletteEntry[] =>
    all.map(({ id, name }) => ({
      ...{ id, kind: 'connector', label: name },
      open: () =>
        navigate({
          to: '/w/$workspaceId/connectors/$kind/$connectorId',
          params: { workspaceId, kind, connectorId: id },
        }),
    }))
  const entries = [
    ...connectorsOf('source', sources.data),
    ...connectorsOf('destination', destinations.data),
    ...(workflows.data ?? []).map(({ id, name }) => ({
      ...{ id, kind: 'workflow' as const, label: name },
      open: () =>
        navigate({ to: '/w/$workspaceId/workflows/$workflowId', params: { workspaceId, workflowId: id } }),
    })),
    ...(jobs.data ?? []).map(({ id, workflow_name: name, created_at: at }) => ({
      ...{ id, kind: 'job' as const, label: texts.jobOf(name ?? id, exactTime(at)) },
      open: () => navigate({ to: '/w/$workspaceId/jobs/$jobId', params: { workspaceId, jobId: id } }),
    })),
  ]
  const queries = [sources, destinations, workflows, jobs]
  return {
    entries,
    isLoading: queries.some((query) => query.isLoading),
    isError: queries.some((query) => query.isError),
  }
}

type Results = ResponseOf<'POST /api/v1/destinations/{id}/search'>

/** Searches as the person, so that it finds only what they may read. Readers open the document in its source. */
function useDocuments({ id: workspaceId, role }: Workspace, typed: string): Found {
  const api = useApi()
  const navigate = useNavigate()
  const [query] = useDebouncedValue(typed.trim(), DELAY_MS)
  const { data: destinations = [] } = useQuery(api.list<SearchDestination>('/search/destinations'))
  const destination = chosenDestination(destinations, undefined)
  const body = { query, size: DOCUMENTS, group_by: 'document' }
  const search = useQuery({
    queryKey: ['palette', destination?.id, query],
    queryFn: ({ signal }) => api.post<Results>(`/destinations/${destination?.id}/search`, body, { signal }),
    enabled: destination !== undefined && query.length >= MIN_QUERY,
    retry: false,
  })
  const openIn = (record: string, url: string | null) =>
    may(role, 'viewer')
      ? navigate({ to: '/w/$workspaceId/documents', params: { workspaceId }, search: { record } })
      : window.open(url ?? '', '_blank', 'noopener')
  const entries = (search.data?.hits ?? []).map(
    ({ record_id: id, title, url }): PaletteEntry => ({
      ...{ id, kind: 'document', label: title ?? id },
      open: () => openIn(id, url),
    }),
  )
  return { entries, isLoading: search.isLoading, isError: search.isError }
}
