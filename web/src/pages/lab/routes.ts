import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../shell/root.ts'
import { oneOf, textIn } from '../../shell/search-values.ts'
import { type LabAddress, paneTabs } from './types.ts'

export const labRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'search',
    validateSearch: (search: Record<string, unknown>): LabAddress => ({
      destination: textIn(search, 'destination'),
      query: textIn(search, 'query'),
      user: textIn(search, 'user'),
      groups: textIn(search, 'groups'),
      user2: textIn(search, 'user2'),
      groups2: textIn(search, 'groups2'),
      user3: textIn(search, 'user3'),
      groups3: textIn(search, 'groups3'),
      space: textIn(search, 'space'),
      labels: textIn(search, 'labels'),
      filetype: textIn(search, 'filetype'),
      author: textIn(search, 'author'),
      below: textIn(search, 'below'),
      from: dateIn(search, 'from'),
      until: dateIn(search, 'until'),
      differences: search.differences === true ? true : undefined,
      record: textIn(search, 'record'),
      tab: oneOf(search.tab, paneTabs),
      explain: textIn(search, 'explain'),
    }),
    component: lazyRouteComponent(() => import('./lab-page.tsx'), 'LabPage'),
  }),
] as const

function dateIn(search: Record<string, unknown>, name: string): string | undefined {
  const text = textIn(search, name)
  return text && /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined
}
