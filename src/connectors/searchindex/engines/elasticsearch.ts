import { ACCESS } from '../schema/schema.ts'
import type { CloseVectors, SearchEngine, VectorQuery } from './engine.ts'

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
  combinedSearch: (words, query) => ({ query: words, knn: { ...nearest(query), ...least(query) } }),
  scoreOf: (cosine, { similarity = 'cosine' }) => SCORES[similarity]?.(cosine) ?? null,
  whoAmI: { path: '/_security/_authenticate', name: 'username' },
  reportsPrivileges: true,
}

/** Of unit vectors. */
const SCORES: Record<string, (cosine: number) => number> = {
  cosine: (cosine) => (1 + cosine) / 2,
  dot_product: (cosine) => (1 + cosine) / 2,
  l2_norm: (cosine) => 1 / (3 - 2 * cosine),
  max_inner_product: (product) => (product < 0 ? 1 / (1 - product) : 1 + product),
}

/** Elasticsearch compares the distance itself. */
function least({ floor, vectors: { similarity } }: CloseVectors): object {
  if (floor === undefined) return {}
  return { similarity: similarity === 'l2_norm' ? Math.sqrt(2 - 2 * floor) : floor }
}

function nearest({ vector, k, filter }: VectorQuery): object {
  return { field: 'embeddings', query_vector: vector, k, num_candidates: 2 * k, filter }
}
