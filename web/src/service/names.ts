import { useQueries, useQueryClient } from '@tanstack/react-query'
import { createNameBatch, type NamesResponse, type PrincipalKind } from './name-batch.ts'
import { type Api, useApi, useWorkspace } from './session.ts'
import { may } from './types.ts'

export type PrincipalIds = { users?: readonly string[]; groups?: readonly string[] }
export type PrincipalNames = { users: Map<string, string>; groups: Map<string, string> }

// Names change rarely, and the service keeps them too.
const FRESH_MS = 30 * 60_000
// A source that was away may know the name later.
const UNKNOWN_MS = 60_000

/** The known names of people and groups by id; empty for roles that may not read them. */
export function useNames(destinationId: string | null | undefined, ids: PrincipalIds): PrincipalNames {
  const api = useApi()
  const { id: workspaceId, role } = useWorkspace()
  const isAllowed = may(role, 'developer')
  const path = `/destinations/${destinationId}/names`
  const wanted = [...entriesOf('users', ids.users), ...entriesOf('groups', ids.groups)]
  return useQueries({
    queries: wanted.map(({ kind, id }) => ({
      queryKey: [...api.query(path).queryKey, kind, id],
      queryFn: () => batchOf(api, path, workspaceId)(kind, id),
      enabled: isAllowed && Boolean(destinationId),
      staleTime: ({ state }: { state: { data?: unknown } }) => (state.data ? FRESH_MS : UNKNOWN_MS),
      gcTime: FRESH_MS,
      retry: false,
    })),
    combine: (results) => {
      const names: PrincipalNames = { users: new Map(), groups: new Map() }
      wanted.forEach(({ kind, id }, index) => {
        const name = results[index]?.data
        if (name) names[kind].set(id, name)
      })
      return names
    },
  })
}

function entriesOf(kind: PrincipalKind, ids: readonly string[] = []) {
  return [...new Set(ids)].map((id) => ({ kind, id }))
}

// Shared by all components, so that one request serves a whole list.
const batches = new Map<string, ReturnType<typeof createNameBatch>>()

function batchOf(api: Api, path: string, workspaceId: string): ReturnType<typeof createNameBatch> {
  const key = `${workspaceId} ${path}`
  const batch = batches.get(key) ?? createNameBatch((ids) => api.post<NamesResponse>(path, ids))
  batches.set(key, batch)
  return batch
}

/** Keeps a name that another response has, such as that of a chosen person. */
export function useRememberName(destinationId: string): (id: string, name: string) => void {
  const api = useApi()
  const client = useQueryClient()
  return (id, name) =>
    client.setQueryData(
      [...api.query(`/destinations/${destinationId}/names`).queryKey, 'users' satisfies PrincipalKind, id],
      name,
    )
}
