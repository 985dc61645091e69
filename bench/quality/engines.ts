import type { WriteItem } from '../../src/connectors/destination.ts'
import { openTableClient } from '../../src/connectors/postgres/connection.ts'
import type { LocatedTable } from '../../src/connectors/postgres/prepare.ts'
import { rankVectors } from '../../src/connectors/postgres/search/rank-vectors.ts'
import type { RankedElement, Search } from '../../src/connectors/search.ts'
import { elasticsearch } from '../../src/connectors/searchindex/engines/elasticsearch.ts'
import type { SearchEngine } from '../../src/connectors/searchindex/engines/engine.ts'
import { opensearch } from '../../src/connectors/searchindex/engines/opensearch.ts'
import { readableBy } from '../../src/connectors/searchindex/filters.ts'
import { creationBodyFor } from '../../src/connectors/searchindex/schema/schema.ts'
import { freshTable } from '../../test/world/fresh-table.ts'
import { vectorDatabase } from '../../test/world/pgvector.ts'
import { type Cluster, ELASTICSEARCH, OPENSEARCH } from '../../test/world/search-engine/clusters.ts'
import { freshIndex, openEgress } from '../../test/world/search-engine/fresh-index.ts'

/** A filled destination. The product never searches by meaning alone; `nearest` is that half of its query. */
export type FilledIndex = AsyncDisposable & {
  search: Search
  nearest(vector: number[], tokens: string[], signal: AbortSignal): Promise<RankedElement[]>
  /** The score of `nearest` for a cosine. */
  scoreOf(cosine: number): number
}

/** Fills an empty destination. */
export type Engine = (items: WriteItem[], dims: number, signal: AbortSignal) => Promise<FilledIndex>

const NEIGHBOURS = 100
const BATCH = 200

type Answer = { hits?: { hits: { _id: string; _score: number; _source: { record_id: string } }[] } }

export const elasticsearchIndex: Engine = (...filling) =>
  searchIndex({ cluster: ELASTICSEARCH, dialect: elasticsearch }, ...filling)

export const openSearchIndex: Engine = (...filling) =>
  searchIndex({ cluster: OPENSEARCH, dialect: opensearch }, ...filling)

async function searchIndex(
  { cluster, dialect }: { cluster: Cluster; dialect: SearchEngine },
  ...[items, dims, signal]: Parameters<Engine>
): Promise<FilledIndex> {
  const { settings, mappings } = creationBodyFor(dims, dialect)
  // One shard, so that equal texts have equal scores with any permissions.
  const index = { ...settings.index, number_of_shards: 1, number_of_replicas: 0 }
  const fresh = await freshIndex({ cluster, body: { settings: { index }, mappings } })
  await fill(fresh.destination, { items, dims }, signal)
  await fresh.refresh()
  return {
    search: fresh.destination.search,
    async nearest(vector, tokens) {
      const meaning = dialect.vectorSearch({ vector, k: NEIGHBOURS, filter: readableBy(tokens) })
      const body = { ...meaning, size: NEIGHBOURS, _source: ['record_id'] }
      const answer = await fresh.engine.adminFetch(`/${fresh.name}/_search`, { body })
      const found = (await answer.json()) as Answer
      if (!found.hits) throw new Error(JSON.stringify(found))
      return found.hits.hits.map(({ _id, _score, _source }) => ({ ..._source, key: _id, score: _score }))
    },
    scoreOf: (cosine) => dialect.scoreOf(cosine, dialect.vectorField(dims)) ?? 0,
    [Symbol.asyncDispose]: () => fresh[Symbol.asyncDispose](),
  }
}

export const postgresTable: Engine = async (items, dims, signal) => {
  const database = await vectorDatabase()
  const table = await freshTable({ url: database.url })
  await fill(table.destination, { items, dims }, signal)
  await table.sql('vacuum analyze elements')
  const egress = openEgress()
  const client = openTableClient(table.config, { egress })
  const located: LocatedTable = {
    ...{ identity: '', vectors: { kind: 'vector', dims }, vectorType: 'public.vector' },
  }
  return {
    search: table.destination.search,
    nearest: async (vector, tokens) => {
      const request = { table: client.address.table, tokens, vector, located }
      return (await client.read('searching', (run) => rankVectors(run, request), signal)).ranked
    },
    scoreOf: (cosine) => cosine,
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await egress.close()
      await table[Symbol.asyncDispose]()
      await database.drop()
    },
  }
}

type Writing = Pick<Awaited<ReturnType<typeof freshTable>>['destination'], 'prepare' | 'write'>

async function fill(
  destination: Writing,
  { items, dims }: { items: WriteItem[]; dims: number },
  signal: AbortSignal,
): Promise<void> {
  await destination.prepare({ dims }, signal)
  for (let at = 0; at < items.length; at += BATCH) {
    const rejected = await destination.write(items.slice(at, at + BATCH), 1, signal)
    if (rejected.length > 0) throw new Error(`${rejected.length} chunks were refused`)
  }
}
