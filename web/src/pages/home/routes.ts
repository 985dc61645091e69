import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { queryClient } from '../../service/query-client.ts'
import { apiQuery } from '../../service/session.ts'
import { workspaceRoute } from '../../shell/root.ts'
import { textIn } from '../../shell/search-values.ts'
import type { TryAddress } from './types.ts'

export const homeRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: '/',
    beforeLoad: ({ context: { session }, params }) => {
      const role = session.workspaces.find(({ id }) => id === params.workspaceId)?.role
      if (role === 'reader') throw redirect({ to: '/w/$workspaceId/search', params })
    },
    // Starts before the screen is loaded.
    loader: ({ params }) => {
      void queryClient.prefetchQuery(apiQuery(params.workspaceId, '/overview'))
    },
    component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'try',
    validateSearch: (search: Record<string, unknown>): TryAddress => ({
      job: textIn(search, 'job'),
      destination: textIn(search, 'destination'),
      query: textIn(search, 'query'),
      user: textIn(search, 'user'),
      user2: textIn(search, 'user2'),
    }),
    component: lazyRouteComponent(() => import('./try-page.tsx'), 'TryPage'),
  }),
] as const
