import type { SearchEngine } from './attach.ts'
import { openSearchEngine, searchEngine } from './shared.ts'

/** A kind of cluster that the same tests run against. */
export type Cluster = {
  name: 'Elasticsearch' | 'OpenSearch'
  engine(): Promise<SearchEngine>
  /** The settings of an index with vectors. */
  settings: object
  vectors(dims: number): object
  isSecured: boolean
  /** The error type of a document that does not fit. */
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

/** Without its security plugin: nothing here tests credentials. */
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
