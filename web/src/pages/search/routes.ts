import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../shell/root.ts'
import { textIn } from '../../shell/search-values.ts'
import type { SearchAddress } from './types.ts'

export const searchRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'search',
    validateSearch: (search: Record<string, unknown>): SearchAddress => ({
      destination: textIn(search, 'destination'),
      query: textIn(search, 'query'),
      user: textIn(search, 'user'),
      groups: textIn(search, 'groups'),
      user2: textIn(search, 'user2'),
      groups2: textIn(search, 'groups2'),
      two: search.two === true ? true : undefined,
      space: textIn(search, 'space'),
      labels: textIn(search, 'labels'),
      page: pageIn(search.page),
      explain: textIn(search, 'explain'),
    }),
    component: lazyRouteComponent(() => import('./search-page.tsx'), 'SearchPage'),
  }),
] as const

// The service returns at most the first 1,000.
function pageIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 1 && value <= 100 ? value : undefined
}
