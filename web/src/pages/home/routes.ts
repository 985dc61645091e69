import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../shell/root.ts'

export const homeRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'sample',
    component: lazyRouteComponent(() => import('./sample-page.tsx'), 'SamplePage'),
  }),
] as const
