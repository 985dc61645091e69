import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './errors.ts'

/** Where a person goes whose session has ended; the router fills it in, which itself needs the client. */
export const signedOut = { go: () => {} }

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leave }),
  mutationCache: new MutationCache({ onError: leave }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What a person may not see or what does not exist stays so; a service that is being restarted comes back.
      retry: (count, error) =>
        count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
    },
  },
})

function leave(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 401) return
  // A wrong password is a 401 as well, and an invitation asks who is signed in, which may be nobody.
  if (error.path.startsWith('/api/auth/') || error.path === '/session') return
  signedOut.go()
}
