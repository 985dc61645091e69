import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../shell/root.ts'
import { oneOf, textIn } from '../../shell/search-values.ts'
import { type Kind, kinds } from './types.ts'

type NewConnectorSearch = { type?: string | undefined; from?: string | undefined }

export const connectorRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'connectors',
    validateSearch: (search: Record<string, unknown>): { tab?: Kind | undefined } => ({
      tab: oneOf(search.tab, kinds),
    }),
    component: lazyRouteComponent(() => import('./connectors-page.tsx'), 'ConnectorsPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'connectors/$kind/new',
    validateSearch: (search: Record<string, unknown>): NewConnectorSearch => ({
      type: textIn(search, 'type'),
      from: textIn(search, 'from'),
    }),
    component: lazyRouteComponent(() => import('./new-connector-page.tsx'), 'NewConnectorPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'connectors/$kind/$connectorId',
    component: lazyRouteComponent(() => import('./connector-page.tsx'), 'ConnectorPage'),
  }),
] as const
