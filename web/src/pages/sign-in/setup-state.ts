import { useQuery } from '@tanstack/react-query'
import { call } from '../../service/api.ts'
import type { SetupState } from '../../service/types.ts'

/** Whether the service has an account yet and an identity provider; undefined while loading. */
export function useSetupState(): SetupState | undefined {
  const query = useQuery({
    queryKey: ['setup'],
    queryFn: ({ signal }) => call<SetupState>('GET', '/setup', { signal }),
  })
  return query.data
}
