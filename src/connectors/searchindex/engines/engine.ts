import type { Field } from '../schema/field.ts'

/** Index settings that decide about vectors and complete documents. */
export type IndexSettings = {
  uuid?: string
  mode?: string
  mapping?: { source?: { mode?: string } }
  knn?: string | boolean
  version?: { created?: string }
  analysis?: { analyzer?: Record<string, object> }
}

export type SearchQuery = Record<string, unknown>
export type VectorQuery = { vector: number[]; k: number; filter: SearchQuery[] }
/** Vectors of the field below the cosine `floor` are left out. */
export type CloseVectors = VectorQuery & { floor: number | undefined; vectors: Field }

/** The differences between Elasticsearch and OpenSearch. */
export type SearchEngine = {
  name: 'Elasticsearch' | 'OpenSearch'
  vectorType: string
  vectorField(dims: number): Field
  /** Null if the field has no dimension. */
  dimsOf(vectors: Field): number | null
  canSearch(vectors: Field, settings: IndexSettings): boolean
  /** Whether vectors can be added to an index that was created with these settings. */
  canAddVectors(settings: IndexSettings): boolean
  /** The body of the request that creates an index; null for none. */
  creationBody: { settings: { index: object } } | null
  /** Makes writes to an index created by accident fail, see `locate.ts`; null if impossible. */
  writeGuard: object | null
  /** Parameters for reading documents with their vectors. */
  fullSourceQuery: Record<string, string>
  /** A search by vector that filters the neighbours. */
  vectorSearch(query: VectorQuery): object
  /** One search for the matches of `words` and the nearest vectors; both filter. */
  combinedSearch(words: SearchQuery, query: CloseVectors): object
  /** The score of a neighbour with this cosine; null if the field compares vectors in an unknown way. */
  scoreOf(cosine: number, vectors: Field): number | null
  /** The path that returns the signed-in user, and the field with the name. */
  whoAmI: { path: string; name: string }
  /** Whether it can list the privileges of credentials. */
  reportsPrivileges: boolean
}
