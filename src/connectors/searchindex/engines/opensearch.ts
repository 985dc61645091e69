import type { Field } from '../schema/field.ts'
import type { SearchEngine, SearchQuery, VectorQuery } from './engine.ts'

/** OpenSearch 2 and 3 with the k-NN plugin. Lucene filters during the search. */
export const opensearch: SearchEngine = {
  name: 'OpenSearch',
  vectorType: 'knn_vector',
  vectorField: (dims) => ({
    type: 'knn_vector',
    dimension: dims,
    method: {
      name: 'hnsw',
      engine: 'lucene',
      space_type: 'cosinesimil',
      parameters: { m: 16, ef_construction: 100 },
    },
  }),
  dimsOf: ({ dimension }) => dimension ?? null,
  canSearch: (_, settings) => isKnn(settings.knn),
  canAddVectors: (settings) => isKnn(settings.knn),
  // Fixed at creation; it cannot be added to an index later.
  creationBody: { settings: { index: { knn: true, 'knn.algo_param.ef_search': 100 } } },
  writeGuard: null,
  fullSourceQuery: {},
  vectorSearch: (query) => ({ query: nearest(query) }),
  combinedSearch: (words, { floor, vectors, ...query }) => {
    const least = floor === undefined ? null : scoreOf(floor, vectors)
    const near = nearest(query)
    const close = least === null ? near : { function_score: { query: near, min_score: least } }
    return { query: { bool: { should: [words, close], minimum_should_match: 1 } } }
  },
  scoreOf,
  whoAmI: { path: '/_plugins/_security/authinfo', name: 'user_name' },
  reportsPrivileges: false,
}

/** The inner filter keeps unreadable neighbours out of the results; some engines support only the outer one. */
function nearest({ vector, k, filter }: VectorQuery): SearchQuery {
  const knn = { embeddings: { vector, k, filter: { bool: { filter } } } }
  return { bool: { must: [{ knn }], filter } }
}

/** Of unit vectors. */
function scoreOf(cosine: number, { method = {}, space_type: space }: Field): number | null {
  switch (method.space_type ?? space ?? 'l2') {
    case 'cosinesimil':
      return method.engine === 'nmslib' ? 1 / (2 - cosine) : (1 + cosine) / 2
    case 'l2':
      return 1 / (3 - 2 * cosine)
    case 'innerproduct':
      return cosine < 0 ? 1 / (1 - cosine) : 1 + cosine
    default:
      return null
  }
}

function isKnn(setting: string | boolean | undefined): boolean {
  return String(setting) === 'true'
}
