import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { ErrorScreen } from '../components/error-screen.tsx'
import { NotFoundPage } from '../components/not-found.tsx'
import { withoutBasePath } from '../service/base-path.ts'
import { ApiError } from '../service/errors.ts'
import { queryClient } from '../service/query-client.ts'
import { sessionQuery } from '../service/session.ts'
import type { Session } from '../service/types.ts'

export const rootRoute = createRootRoute({ notFoundComponent: NotFoundPage, errorComponent: ErrorScreen })

/** Routes that need a session. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ location }) => ({ session: await sessionOrSignIn(location.href) }),
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
})

/** Routes inside one workspace. */
export const workspaceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'w/$workspaceId',
  component: lazyRouteComponent(() => import('./workspace.tsx'), 'WorkspaceOutlet'),
})

async function sessionOrSignIn(href: string): Promise<Session> {
  try {
    return await queryClient.ensureQueryData(sessionQuery)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    throw redirect({ to: '/sign-in', search: { return: href === '/' ? undefined : withoutBasePath(href) } })
  }
}
