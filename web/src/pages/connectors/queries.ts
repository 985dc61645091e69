import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../service/errors.ts'
import { type Api, useApi } from '../../service/session.ts'
import { type Check, type Connector, type ConnectorType, type Kind, pathOf } from './types.ts'

export function useConnectors(kind: Kind, enabled = true) {
  return useQuery({ ...useApi().list<Connector>(pathOf(kind)), enabled })
}

/** Types change only with the version of the service. */
export function connectorTypesQuery(api: Api) {
  return { ...api.query<ConnectorType[]>('/connector-types'), staleTime: Number.POSITIVE_INFINITY }
}

export function useConnectorTypes(enabled = true) {
  return useQuery({ ...connectorTypesQuery(useApi()), enabled })
}

const POLL_MS = 600

/** The last connection test, polled until it ends; null without one. */
export function checkQuery(api: Api, kind: Kind, id: string) {
  const path = `${pathOf(kind)}/${id}/connection-check`
  return {
    ...api.query<Check | null>(path),
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      try {
        return await api.get<Check>(path, { signal })
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
    refetchInterval: ({ state }: { state: { data?: Check | null | undefined } }) =>
      state.data?.status === 'SCHEDULED' ? POLL_MS : (false as const),
  }
}

export function startCheck(api: Api, kind: Kind, id: string): Promise<Check> {
  return api.post<Check>(`${pathOf(kind)}/${id}/connection-check`)
}
