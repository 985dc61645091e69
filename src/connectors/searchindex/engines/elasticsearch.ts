import { ACCESS } from '../schema/schema.ts'
import type { SearchEngine, VectorQuery } from './engine.ts'

/** Exists in no index; `locate.ts` explains its use. */
export const GUARD_TEMPLATE = 'millrace_only_in_a_prepared_index'

export const elasticsearch: SearchEngine = {
  name: 'Elasticsearch',
  vectorType: 'dense_vector',
  vectors: (dims) => ({ type: 'dense_vector', dims, index: true, similarity: 'cosine' }),
  widthOf: ({ dims }) => dims ?? null,
  canSearch: ({ index }) => index !== false,
  takesVectors: () => true,
  creation: null,
  guard: { dynamic_templates: { [`${ACCESS}.c0`]: GUARD_TEMPLATE } },
  // From 9.2 on, reads omit vectors by default; older versions refuse the parameter.
  wholeSource: { _source_exclude_vectors: 'false' },
  byMeaning: (meaning) => ({ knn: nearest(meaning) }),
  byEither: (words, meaning) => ({ query: words, knn: nearest(meaning) }),
  whoAmI: { path: '/_security/_authenticate', name: 'username' },
  tellsPrivileges: true,
}

function nearest({ vector, k, filter }: VectorQuery): object {
  return { field: 'embeddings', query_vector: vector, k, num_candidates: 2 * k, filter }
}
