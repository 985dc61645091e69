import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { defaultWorkspace } from '../../shell/last-workspace.ts'
import { signedInRoute } from '../../shell/root.ts'

/** `/` opens the default workspace; `?choose` always shows the list. */
export const chooseRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  validateSearch: (search: Record<string, unknown>): { choose?: boolean | undefined } =>
    search.choose === true ? { choose: true } : {},
  beforeLoad: ({ context: { session }, search }) => {
    const workspace = defaultWorkspace(session)
    if (workspace && !search.choose)
      throw redirect({ to: '/w/$workspaceId', params: { workspaceId: workspace.id } })
  },
  component: lazyRouteComponent(() => import('./choose-page.tsx'), 'ChoosePage'),
})
