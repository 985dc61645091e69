import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { signedInRoute, workspaceRoute } from '../../shell/root.ts'

const component = lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage')

/** Without a workspace, the page asks to choose one. */
export const keyRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: 'keys',
    beforeLoad: ({ context: { session } }) => {
      const only = session.tier === 'personal' ? session.workspaces[0] : undefined
      if (only) throw redirect({ to: '/w/$workspaceId/keys', params: { workspaceId: only.id } })
    },
    component,
  }),
] as const

export const chosenKeyRoutes = [
  createRoute({ getParentRoute: () => workspaceRoute, path: 'keys', component }),
] as const
