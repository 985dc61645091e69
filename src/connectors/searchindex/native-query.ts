import { NEIGHBOURS } from '../kit/rank-fusion.ts'
import type { NativeQuery, NativeRequest } from '../search.ts'
import { filterQueries, readableBy } from './filters.ts'
import { SPACE_KEY, TITLE_FIELD, vectorsOf } from './schema/schema.ts'
import { filteredWordQuery, type SearchedIndex } from './search.ts'
import { pathOf } from './write/locate.ts'

/** One request for the documents that a search ranks. The cluster adds scores, where a search weighs them. */
export async function nativeIndexQuery(
  { client, located }: SearchedIndex,
  { query, tokens, filters, vector, floor, size, from }: NativeRequest,
  signal: AbortSignal,
): Promise<NativeQuery> {
  const { engine, mapping } = await located(signal)
  const filter = [...readableBy(tokens), ...filterQueries(filters)]
  const words = filteredWordQuery(query, filter)
  const found =
    vector && query.trim() !== ''
      ? engine.combinedSearch(words, { vector, k: NEIGHBOURS, filter, floor, vectors: vectorsOf(mapping) })
      : { query: words }
  const body = { ...found, _source: FIELDS, from, size }
  return {
    dialect: engine.name === 'OpenSearch' ? 'opensearch' : 'elasticsearch',
    title: engine.name,
    request: { method: 'POST', path: `${pathOf(client.address.index)}/_search`, body },
    sql: null,
  }
}

const FIELDS = ['record_id', 'element_id', 'text', TITLE_FIELD, 'metadata.data_source.url', SPACE_KEY]
