import { QueryClient } from '@tanstack/react-query'
import { isAwayError } from './connection.ts'
import { ApiError } from './errors.ts'

const MAX_DELAY_MS = 10_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A 4xx stays the same; while the service is away, screens keep their data.
      retry: (count, error) =>
        error instanceof ApiError && (isAwayError(error) || (count < 2 && error.status >= 502)),
      retryDelay: (count) => Math.min(1000 * 2 ** count, MAX_DELAY_MS),
    },
  },
})
