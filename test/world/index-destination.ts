import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { elementKey } from '../../src/connectors/kit/stored-element.ts'
import type { Indexed } from './agreement.ts'
import type { TestDestination } from './destination.ts'
import type { SearchEngine } from './search-engine/attach.ts'
import { searchEngine } from './search-engine/shared.ts'

export type IndexDestination = TestDestination & { engine: SearchEngine; index: string; key: string }

/** An index of the shared engine. */
export async function indexDestination(prefix = 'journey'): Promise<IndexDestination> {
  return indexOn(await searchEngine(), `${prefix}-${randomBytes(5).toString('hex')}`)
}

export function indexOn(engine: SearchEngine, index: string, key = ''): IndexDestination {
  const change = async (path: string, init: { method: string; body?: object }) => {
    const response = await engine.adminFetch(`/${index}/_doc/${encodeURIComponent(path)}?refresh=true`, init)
    assert.ok(response.ok, await response.text())
  }
  const refresh = async () => void (await engine.adminFetch(`/${index}/_refresh`, { method: 'POST' }))
  const close = async () => void (await engine.adminFetch(`/${index}`, { method: 'DELETE' }))
  const destination: IndexDestination = {
    type: 'searchindex',
    engine,
    index,
    key,
    get config() {
      return { hosts: [engine.url], index_name: index, search_api_key: destination.key }
    },
    host: new URL(engine.url).host,
    async create() {
      const [{ encoded }] = await Promise.all([engine.createApiKey(index), createIndex(engine, index)])
      destination.key = encoded
    },
    async recreate() {
      await close()
      await createIndex(engine, index)
    },
    async contents() {
      await refresh()
      return elementsOf(engine, index)
    },
    refresh,
    put: (
      { record_id: record = '', element_id: element = '', ...source },
      id = elementKey(record, element),
    ) => change(id, { method: 'PUT', body: { record_id: record, element_id: element, ...source } }),
    delete: (id) => change(id, { method: 'DELETE' }),
    another: (suffix) => indexOn(engine, `${index}-${suffix}`),
    close,
  }
  return destination
}

export async function createIndex(engine: SearchEngine, index: string, body: object = {}): Promise<void> {
  const settings = { number_of_replicas: 0, refresh_interval: '1s' }
  const response = await engine.adminFetch(`/${index}`, { method: 'PUT', body: { settings, ...body } })
  if (!response.ok) throw new Error(`creating the index ${index}: ${await response.text()}`)
}

async function elementsOf(engine: SearchEngine, index: string): Promise<Indexed[]> {
  const all: Indexed[] = []
  let after: unknown[] | undefined
  while (true) {
    const response = await engine.adminFetch(`/${index}/_search`, {
      body: {
        size: 1000,
        version: true,
        query: { bool: { must_not: { term: { element_id: 'millrace_control' } } } },
        // An index without elements has no schema.
        sort: ['element_id', 'record_id.keyword'].map((field) => ({ [field]: { unmapped_type: 'keyword' } })),
        ...(after ? { search_after: after } : {}),
      },
    })
    const body = (await response.json()) as { hits: { hits: (Indexed & { sort: unknown[] })[] } }
    assert.ok(response.ok, JSON.stringify(body))
    all.push(...body.hits.hits.map(({ sort: _, ...hit }) => hit))
    after = body.hits.hits.at(-1)?.sort
    if (!after) return all
  }
}
