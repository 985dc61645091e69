import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { signedInRoute, workspaceRoute } from '../../shell/root.ts'

const page = () => import('./settings-page.tsx')

/** Without a workspace there is only the account. */
export const accountRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: 'settings',
    component: lazyRouteComponent(page, 'AccountPage'),
  }),
] as const

export const settingsRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings',
    beforeLoad: ({ params }) => {
      throw redirect({ to: '/w/$workspaceId/settings/$section', params: { ...params, section: 'account' } })
    },
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'settings/$section',
    component: lazyRouteComponent(page, 'SettingsPage'),
  }),
] as const
