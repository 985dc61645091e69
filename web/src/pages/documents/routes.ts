import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute, workspaceRoute } from '../../shell/root.ts'
import { textIn } from '../../shell/search-values.ts'

export type DocumentSearch = {
  /** The record id; without one the screen asks for it. */
  record?: string | undefined
  workflow?: string | undefined
  /** Two versions to compare. */
  from?: string | undefined
  to?: string | undefined
}

export const documentRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'documents',
    validateSearch: (search: Record<string, unknown>): DocumentSearch => ({
      record: textIn(search, 'record'),
      workflow: textIn(search, 'workflow'),
      from: textIn(search, 'from'),
      to: textIn(search, 'to'),
    }),
    component: lazyRouteComponent(() => import('./document-page.tsx'), 'DocumentScreen'),
  }),
] as const

/** A short address without a workspace; record ids contain slashes. */
export const documentAddressRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'documents/$',
  component: lazyRouteComponent(() => import('./locate-page.tsx'), 'LocatePage'),
})
