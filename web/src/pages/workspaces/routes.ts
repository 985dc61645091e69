import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { usualWorkspace } from '../../shell/last-workspace.ts'
import { signedInRoute } from '../../shell/root.ts'

/** `/` opens the usual workspace; `?choose` always shows the choice. */
export const chooseRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  validateSearch: (search: Record<string, unknown>): { choose?: boolean | undefined } =>
    search.choose === true ? { choose: true } : {},
  beforeLoad: ({ context: { session }, search }) => {
    const usual = usualWorkspace(session)
    if (usual && !search.choose) throw redirect({ to: '/w/$workspaceId', params: { workspaceId: usual.id } })
  },
  component: lazyRouteComponent(() => import('./choose-page.tsx'), 'ChoosePage'),
})
