import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../shell/root.ts'
import { oneOf, textIn } from '../../shell/search-values.ts'
import { documentSorts, documentStates, statuses } from './types.ts'

export const jobTabs = ['overview', 'documents', 'configuration', 'log'] as const

type JobsSearch = { status?: (typeof statuses)[number] | undefined; workflow?: string | undefined }

export type JobSearch = {
  tab?: (typeof jobTabs)[number] | undefined
  state?: (typeof documentStates)[number] | undefined
  error?: string | undefined
  space?: string | undefined
  sort?: (typeof documentSorts)[number] | undefined
  /** Downwards; upwards is not said. */
  desc?: true | undefined
  /** Of the service, and the number of its page; both are of one order and one set of filters. */
  cursor?: string | undefined
  page?: number | undefined
  /** The record id of the document that is open at the side. */
  document?: string | undefined
}

export const jobRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'jobs',
    validateSearch: (search: Record<string, unknown>): JobsSearch => ({
      status: oneOf(search.status, statuses),
      workflow: textIn(search, 'workflow'),
    }),
    component: lazyRouteComponent(() => import('./jobs-page.tsx'), 'JobsPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'jobs/$jobId',
    validateSearch: (search: Record<string, unknown>): JobSearch => ({
      tab: oneOf(search.tab, jobTabs),
      state: oneOf(search.state, documentStates),
      error: textIn(search, 'error'),
      space: textIn(search, 'space'),
      sort: oneOf(search.sort, documentSorts),
      desc: search.desc === true || undefined,
      cursor: textIn(search, 'cursor'),
      page: pageIn(search.page),
      document: textIn(search, 'document'),
    }),
    component: lazyRouteComponent(() => import('./job-page.tsx'), 'JobPage'),
  }),
] as const

function pageIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 1 ? value : undefined
}
