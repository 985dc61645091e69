import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext, useMemo } from 'react'
import { type CallOptions, call, callAll, type Query, request } from './api.ts'
import type { Session, Workspace } from './types.ts'

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => call<Session>('GET', '/session', { signal }),
  staleTime: 60_000,
})

/** The session that the service wrote into index.html; saves a request at start. */
export function embeddedSession(): Session | undefined {
  const text = document.getElementById('session')?.textContent
  return text ? (JSON.parse(text) as Session) : undefined
}

/** Only inside the shell, which loads the session first. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery)
  if (!data) throw new Error('useSession outside the shell')
  return data
}

export const WorkspaceContext = createContext<Workspace | null>(null)

/** The workspace of the address; null where none is chosen (business tier). */
export function useChosenWorkspace(): Workspace | null {
  return useContext(WorkspaceContext)
}

/** For screens under /w/{workspaceId}. */
export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext)
  if (!workspace) throw new Error('useWorkspace outside /w/{workspaceId}')
  return workspace
}

type Options = Pick<CallOptions, 'query' | 'headers' | 'signal'>

/** The API for the chosen workspace; see web/README.md. */
export function useApi() {
  const workspace = useChosenWorkspace()?.id
  const client = useQueryClient()
  return useMemo(
    () => ({
      get: <T>(path: string, options: Options = {}) => call<T>('GET', path, { workspace, ...options }),
      post: <T>(path: string, body?: unknown, options: Options = {}) =>
        call<T>('POST', path, { workspace, body, ...options }),
      put: <T>(path: string, body: unknown) => call<T>('PUT', path, { workspace, body }),
      patch: <T>(path: string, body: unknown) => call<T>('PATCH', path, { workspace, body }),
      delete: <T>(path: string, options: Pick<Options, 'query'> = {}) =>
        call<T>('DELETE', path, { workspace, ...options }),
      /** For logs and event streams. */
      open: (path: string, options: Options = {}) => request('GET', path, { workspace, ...options }),
      /** For useQuery: `useQuery(api.query<Job[]>('/jobs/', { status }))`. */
      query: <T>(path: string, query?: Query) => apiQuery<T>(workspace, path, query),
      /** The same for a list, with all its pages. */
      list: <T>(path: string, query?: Query) => apiList<T>(workspace, path, query),
      /** Reloads everything under these paths. */
      refresh: async (...paths: string[]) => {
        await Promise.all(
          // The counts in the frame change with jobs and notifications.
          [...paths, '/activity'].map((path) =>
            client.invalidateQueries({ queryKey: keyOf(workspace, path).slice(0, -1) }),
          ),
        )
      },
    }),
    [workspace, client],
  )
}

/** The same outside of components, such as in a loader. */
export function apiQuery<T>(workspace: string | undefined, path: string, query?: Query) {
  return queryOptions({
    queryKey: keyOf(workspace, path, query),
    queryFn: ({ signal }) => call<T>('GET', path, { workspace, query, signal }),
  })
}

function apiList<T>(workspace: string | undefined, path: string, query?: Query) {
  return queryOptions({
    queryKey: keyOf(workspace, path, query),
    queryFn: ({ signal }) => callAll<T>(path, { workspace, query, signal }),
  })
}

export type Api = ReturnType<typeof useApi>

/** ['api', workspace, 'jobs', '17', {query}]: a prefix matches all below it. */
function keyOf(workspace: string | undefined, path: string, query: Query = {}): unknown[] {
  return ['api', workspace ?? null, ...path.split('/').filter(Boolean), query]
}
