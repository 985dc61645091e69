import type { SearchEngine, SearchQuery, VectorQuery } from './engine.ts'

/** OpenSearch 2 and 3 with the k-NN plugin. Lucene filters during the search. */
export const opensearch: SearchEngine = {
  name: 'OpenSearch',
  vectorType: 'knn_vector',
  vectors: (dims) => ({
    type: 'knn_vector',
    dimension: dims,
    method: {
      name: 'hnsw',
      engine: 'lucene',
      space_type: 'cosinesimil',
      parameters: { m: 16, ef_construction: 100 },
    },
  }),
  widthOf: ({ dimension }) => dimension ?? null,
  canSearch: (_, settings) => isKnn(settings.knn),
  takesVectors: (settings) => isKnn(settings.knn),
  // Fixed at creation; it cannot be added to an index later.
  creation: { settings: { index: { knn: true, 'knn.algo_param.ef_search': 100 } } },
  guard: null,
  wholeSource: {},
  byMeaning: (meaning) => ({ query: nearest(meaning) }),
  byEither: (words, meaning) => ({
    query: { bool: { should: [words, nearest(meaning)], minimum_should_match: 1 } },
  }),
  whoAmI: { path: '/_plugins/_security/authinfo', name: 'user_name' },
  tellsPrivileges: false,
}

/** The inner filter keeps unreadable neighbours out of the results; some engines support only the outer one. */
function nearest({ vector, k, filter }: VectorQuery): SearchQuery {
  const knn = { embeddings: { vector, k, filter: { bool: { filter } } } }
  return { bool: { must: [{ knn }], filter } }
}

function isKnn(setting: string | boolean | undefined): boolean {
  return String(setting) === 'true'
}
