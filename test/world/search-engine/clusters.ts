import type { SearchEngine } from './attach.ts'
import { openSearchEngine, searchEngine } from './shared.ts'

/** A kind of cluster that the same tests are run against. */
export type Cluster = {
  name: 'Elasticsearch' | 'OpenSearch'
  engine(): Promise<SearchEngine>
  /** What an index is created with to hold vectors. */
  settings: object
  vectors(dims: number): object
  isSecured: boolean
  /** How it calls a document that does not fit. */
  misfit: string
}

export const ELASTICSEARCH: Cluster = {
  name: 'Elasticsearch',
  engine: searchEngine,
  isSecured: true,
  settings: {},
  vectors: (dims) => ({ type: 'dense_vector', dims, index: true, similarity: 'cosine' }),
  misfit: 'document_parsing_exception',
}

/** Without its security plugin: what credentials may do there is shown by nothing here. */
export const OPENSEARCH: Cluster = {
  name: 'OpenSearch',
  engine: openSearchEngine,
  isSecured: false,
  settings: { index: { knn: true } },
  vectors: (dimension) => ({
    type: 'knn_vector',
    dimension,
    method: { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil' },
  }),
  misfit: 'mapper_parsing_exception',
}

export const CLUSTERS = [ELASTICSEARCH, OPENSEARCH]
