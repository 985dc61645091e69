import { createRouter } from '@tanstack/react-router'
import { PageSkeleton } from './components/page-skeleton.tsx'
import { connectorRoutes } from './pages/connectors/routes.ts'
import { homeRoutes } from './pages/home/routes.ts'
import { jobRoutes } from './pages/jobs/routes.ts'
import { chosenKeyRoutes, keyRoutes } from './pages/keys/routes.ts'
import { searchRoutes } from './pages/search/routes.ts'
import { accountRoutes, settingsRoutes } from './pages/settings/routes.ts'
import { signInRoutes } from './pages/sign-in/routes.ts'
import { workflowRoutes } from './pages/workflows/routes.ts'
import { chooseRoute } from './pages/workspaces/routes.ts'
import { signedOut } from './service/query-client.ts'
import { rootRoute, signedInRoute, workspaceRoute } from './shell/root.ts'

const tree = rootRoute.addChildren([
  ...signInRoutes,
  signedInRoute.addChildren([
    chooseRoute,
    ...keyRoutes,
    ...accountRoutes,
    workspaceRoute.addChildren([
      ...homeRoutes,
      ...connectorRoutes,
      ...workflowRoutes,
      ...jobRoutes,
      ...searchRoutes,
      ...chosenKeyRoutes,
      ...settingsRoutes,
    ]),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
  // Avoids a flashing skeleton.
  defaultPendingMs: 200,
  scrollRestoration: true,
})

// A full page load clears all data from memory.
signedOut.go = () => {
  const { pathname, href } = router.state.location
  if (pathname !== '/sign-in') window.location.assign(`/sign-in?${new URLSearchParams({ return: href })}`)
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
