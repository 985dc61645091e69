import { createRouter } from '@tanstack/react-router'
import { PageSkeleton } from './components/page-skeleton.tsx'
import { connectRoutes } from './pages/connect/routes.ts'
import { connectorRoutes } from './pages/connectors/routes.ts'
import { documentAddressRoute, documentRoutes } from './pages/documents/routes.ts'
import { homeRoutes } from './pages/home/routes.ts'
import { jobRoutes } from './pages/jobs/routes.ts'
import { chosenKeyRoutes, keyRoutes } from './pages/keys/routes.ts'
import { labRoutes } from './pages/lab/routes.ts'
import { notificationRoutes } from './pages/notifications/routes.ts'
import { accountRoutes, settingsRoutes } from './pages/settings/routes.ts'
import { signInRoutes } from './pages/sign-in/routes.ts'
import { workflowRoutes } from './pages/workflows/routes.ts'
import { chooseRoute } from './pages/workspaces/routes.ts'
import { basePath } from './service/base-path.ts'
import { rootRoute, signedInRoute, workspaceRoute } from './shell/root.ts'

const tree = rootRoute.addChildren([
  ...signInRoutes,
  signedInRoute.addChildren([
    chooseRoute,
    ...keyRoutes,
    ...accountRoutes,
    documentAddressRoute,
    workspaceRoute.addChildren([
      ...homeRoutes,
      ...connectRoutes,
      ...connectorRoutes,
      ...workflowRoutes,
      ...jobRoutes,
      ...documentRoutes,
      ...notificationRoutes,
      ...labRoutes,
      ...chosenKeyRoutes,
      ...settingsRoutes,
    ]),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  basepath: basePath || '/',
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
  // Avoids a flashing skeleton.
  defaultPendingMs: 200,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
