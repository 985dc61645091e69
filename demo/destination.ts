import type { Millrace } from '../packages/millrace-client/src/client.ts'
import { NOT_CONTROL } from '../src/connectors/searchindex/control.ts'
import type { SearchEngine } from '../test/world/search-engine/attach.ts'

export type Counts = { elements: number; documents: number }

/** Where the demo writes to. */
export type DemoDestination = {
  /** A noun for texts. */
  noun: 'index' | 'sandbox'
  /** What a connection check proves. */
  proof: string
  create(client: Millrace, signal: AbortSignal): Promise<{ id: string }>
  /** What the destination holds now. */
  count(client: Millrace, id: string): Promise<Counts>
}

export function indexDestination(engine: SearchEngine, index: string): DemoDestination {
  return {
    noun: 'index',
    proof: 'the index exists, and the key may use it',
    async create(client) {
      const { encoded } = await engine.createApiKey(index)
      return client.destinations.create({
        name: 'Search',
        type: 'searchindex',
        config: { hosts: [engine.url], index_name: index, search_api_key: encoded },
      })
    },
    async count() {
      await engine.adminFetch(`/${index}/_refresh`, { method: 'POST' })
      const body = {
        size: 0,
        track_total_hits: true,
        query: NOT_CONTROL,
        aggs: { documents: { cardinality: { field: 'record_id.keyword', precision_threshold: 40_000 } } },
      }
      const response = await engine.adminFetch(`/${index}/_search`, { body })
      const answer = (await response.json()) as {
        hits: { total: { value: number } }
        aggregations: { documents: { value: number } }
      }
      return { elements: answer.hits.total.value, documents: answer.aggregations.documents.value }
    },
  }
}

/** A schema in the service's own PostgreSQL, for machines without a search engine. */
export const sandboxDestination: DemoDestination = {
  noun: 'sandbox',
  proof: 'the sandbox answers, and its role may use its own schema',
  create: (client, signal) => client.request('POST /api/v1/sandbox', { signal }),
  /** A verification reads every element. */
  async count(client, id) {
    const verdict = await client.request('POST /api/v1/destinations/{id}/verify', {
      path: { id },
      query: { wait: 60 },
    })
    if (!('ok' in verdict) || !verdict.ok) return { elements: 0, documents: 0 }
    const sum = (field: 'elements' | 'documents') =>
      verdict.spaces.reduce((total, space) => total + space[field], 0)
    return { elements: sum('elements'), documents: sum('documents') }
  },
}
