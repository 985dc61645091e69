import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'

export type Privileges = { cluster?: string[]; indices: { names: string[]; privileges: string[] }[] }
export type ApiKey = { id: string; key: string; encoded: string }

export type SearchEngine = {
  name: 'Elasticsearch' | 'OpenSearch'
  url: string
  adminAuth: { username: string; password: string }
  /** For one index, with the privileges of a destination or others. */
  createApiKey(forWhat: string | Privileges): Promise<ApiKey>
  /** Repeats a request while the engine is too busy to answer it. */
  adminFetch(path: string, init?: { method?: string; body?: unknown; ndjson?: string }): Promise<Response>
}

const BUSY_MS = 60_000
const BUSY = new Set([429, 503])

/** The privileges of a destination; `manage` only to create or extend a schema. */
export const INDEX_PRIVILEGES = ['read', 'write', 'view_index_metadata', 'manage']

/** An engine that already runs. */
export function attachSearchEngine(url: string, adminAuth: SearchEngine['adminAuth']): SearchEngine {
  const authorization = `Basic ${btoa(`${adminAuth.username}:${adminAuth.password}`)}`

  const send: SearchEngine['adminFetch'] = (path, init = {}) =>
    fetch(new URL(path, url), {
      method: init.method ?? (init.body || init.ndjson ? 'POST' : 'GET'),
      headers: {
        authorization,
        'content-type': init.ndjson ? 'application/x-ndjson' : 'application/json',
      },
      body: init.ndjson ?? (init.body === undefined ? null : JSON.stringify(init.body)),
    })
  const adminFetch: SearchEngine['adminFetch'] = async (path, init) => {
    const end = Date.now() + BUSY_MS
    for (;;) {
      const response = await send(path, init)
      if (!BUSY.has(response.status) || Date.now() > end) return response
      await response.body?.cancel()
      await setTimeout(500)
    }
  }

  return {
    name: 'Elasticsearch',
    url,
    adminAuth,
    adminFetch,
    async createApiKey(forWhat) {
      const privileges: Privileges =
        typeof forWhat === 'string'
          ? { indices: [{ names: [forWhat], privileges: INDEX_PRIVILEGES }] }
          : forWhat
      const body = { name: `millrace-${randomUUID()}`, role_descriptors: { millrace: privileges } }
      const response = await adminFetch('/_security/api_key?refresh=true', { body })
      const answer = (await response.json()) as { id: string; api_key: string; encoded: string }
      if (!response.ok) throw new Error(`making an API key: ${JSON.stringify(answer)}`)
      return { id: answer.id, key: answer.api_key, encoded: answer.encoded }
    },
  }
}

/** Without its security plugin OpenSearch checks no key, so any is valid. */
export function attachOpenSearch(url: string): SearchEngine {
  const noCredentials = { username: '', password: '' }
  const key = { id: 'anybody', key: 'anything', encoded: btoa('anybody:anything') }
  return { ...attachSearchEngine(url, noCredentials), name: 'OpenSearch', createApiKey: async () => key }
}
