import { ACCESS } from '../schema/schema.ts'
import type { SearchEngine, VectorQuery } from './engine.ts'

/** Exists in no index; `locate.ts` explains its use. */
export const GUARD_TEMPLATE = 'millrace_only_in_a_prepared_index'

export const elasticsearch: SearchEngine = {
  name: 'Elasticsearch',
  vectorType: 'dense_vector',
  vectorField: (dims) => ({ type: 'dense_vector', dims, index: true, similarity: 'cosine' }),
  dimsOf: ({ dims }) => dims ?? null,
  canSearch: ({ index }) => index !== false,
  canAddVectors: () => true,
  creationBody: null,
  writeGuard: { dynamic_templates: { [`${ACCESS}.c0`]: GUARD_TEMPLATE } },
  // From 9.2 on, reads omit vectors by default; older versions refuse the parameter.
  fullSourceQuery: { _source_exclude_vectors: 'false' },
  vectorSearch: (query) => ({ knn: nearest(query) }),
  combinedSearch: (words, query) => ({ query: words, knn: nearest(query) }),
  whoAmI: { path: '/_security/_authenticate', name: 'username' },
  reportsPrivileges: true,
}

function nearest({ vector, k, filter }: VectorQuery): object {
  return { field: 'embeddings', query_vector: vector, k, num_candidates: 2 * k, filter }
}
