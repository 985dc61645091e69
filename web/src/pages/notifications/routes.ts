import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../shell/root.ts'
import { oneOf } from '../../shell/search-values.ts'

export const notificationRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'notifications',
    validateSearch: (search: Record<string, unknown>): { show?: 'all' | undefined } => ({
      show: oneOf(search.show, ['all']),
    }),
    component: lazyRouteComponent(() => import('./notifications-page.tsx'), 'NotificationsPage'),
  }),
] as const
