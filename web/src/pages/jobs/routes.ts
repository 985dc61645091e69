import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../shell/root.ts'
import { oneOf, textIn } from '../../shell/search-values.ts'
import { documentSorts, documentStates, type JobSearch, jobTabs, logLevels, statuses } from './types.ts'

type JobsSearch = { status?: (typeof statuses)[number] | undefined; workflow?: string | undefined }

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
      warning: textIn(search, 'warning'),
      title: textIn(search, 'title'),
      level: oneOf(search.level, logLevels),
      text: textIn(search, 'text'),
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
