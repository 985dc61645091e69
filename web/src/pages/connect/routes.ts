import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../shell/root.ts'
import { oneOf, textIn } from '../../shell/search-values.ts'
import { type GuideAddress, guideSteps } from './types.ts'

export const connectRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'connect',
    validateSearch: (search: Record<string, unknown>): GuideAddress => ({
      source: textIn(search, 'source'),
      destination: textIn(search, 'destination'),
      workflow: textIn(search, 'workflow'),
      job: textIn(search, 'job'),
      step: oneOf(search.step, guideSteps),
    }),
    component: lazyRouteComponent(() => import('./connect-page.tsx'), 'ConnectPage'),
  }),
] as const
