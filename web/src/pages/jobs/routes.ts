import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../shell/root.ts'
import { type JobSearch, type JobsSearch, jobSearchIn, jobsSearchIn } from './types.ts'

export const jobRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'jobs',
    validateSearch: (search): JobsSearch => jobsSearchIn(search),
    component: lazyRouteComponent(() => import('./jobs-page.tsx'), 'JobsPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'jobs/$jobId',
    validateSearch: (search): JobSearch => jobSearchIn(search),
    component: lazyRouteComponent(() => import('./job-page.tsx'), 'JobPage'),
  }),
] as const
