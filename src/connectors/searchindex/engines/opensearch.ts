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
  combinedSearch: (words, query) => ({
    query: { bool: { should: [words, nearest(query)], minimum_should_match: 1 } },
  }),
  whoAmI: { path: '/_plugins/_security/authinfo', name: 'user_name' },
  reportsPrivileges: false,
}

/** The inner filter keeps unreadable neighbours out of the results; some engines support only the outer one. */
function nearest({ vector, k, filter }: VectorQuery): SearchQuery {
  const knn = { embeddings: { vector, k, filter: { bool: { filter } } } }
  return { bool: { must: [{ knn }], filter } }
}

function isKnn(setting: string | boolean | undefined): boolean {
  return String(setting) === 'true'
}
