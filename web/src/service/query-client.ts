import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './errors.ts'

/** Set by the router, which itself needs the client. */
export const signedOut = { go: () => {} }

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: onUnauthorized }),
  mutationCache: new MutationCache({ onError: onUnauthorized }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A 4xx stays; a restarting service comes back.
      retry: (count, error) =>
        count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
    },
  },
})

function onUnauthorized(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 401) return
  // A wrong password is also a 401, and an invitation works signed out.
  if (error.path.startsWith('/api/auth/') || error.path === '/session') return
  signedOut.go()
}
