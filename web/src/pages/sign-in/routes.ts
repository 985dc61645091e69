import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root.ts'
import { textIn } from '../../shell/search-values.ts'

type SignInSearch = { return?: string | undefined; error?: string | undefined }
type SetupSearch = { token?: string | undefined }

/** Screens before sign-in. */
export const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'sign-in',
    validateSearch: (search: Record<string, unknown>): SignInSearch => ({
      return: textIn(search, 'return'),
      error: textIn(search, 'error'),
    }),
    component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'setup',
    validateSearch: (search: Record<string, unknown>): SetupSearch => ({ token: textIn(search, 'token') }),
    component: lazyRouteComponent(() => import('./setup-page.tsx'), 'SetupPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'invitation/$token',
    component: lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'reset-password/$token',
    component: lazyRouteComponent(() => import('./reset-page.tsx'), 'ResetPage'),
  }),
] as const
