import type { Field } from '../schema/field.ts'

/** What decides about vectors and about whole documents in the settings of an index, as a cluster answers them. */
export type IndexSettings = {
  uuid?: string
  mode?: string
  mapping?: { source?: { mode?: string } }
  knn?: string | boolean
  version?: { created?: string }
}

export type SearchQuery = Record<string, unknown>
export type Meaning = { vector: number[]; k: number; filter: SearchQuery[] }

/** All in which the two kinds of cluster differ; whatever is not here is the same for both. */
export type SearchEngine = {
  name: 'Elasticsearch' | 'OpenSearch'
  vectorType: string
  vectors(dims: number): Field
  /** Null where the field does not say. */
  widthOf(vectors: Field): number | null
  canSearch(vectors: Field, settings: IndexSettings): boolean
  /** Whether vectors can be added to an index that was created with these settings. */
  takesVectors(settings: IndexSettings): boolean
  /** What an index has to be created with, as the body of the request; null where nothing is needed. */
  creation: object | null
  /**
   * Added to every index action, so that an index that was made by accident refuses it; see `locate.ts`. Null where
   * the cluster knows no such thing, and the index has to be looked at after the write.
   */
  guard: object | null
  /** Parameters for reading documents whole, vectors included; where they are not known, none are needed. */
  wholeSource: Record<string, string>
  /** A search by meaning alone, and one for whatever is found by words or by meaning. Both filter the neighbours. */
  byMeaning(meaning: Meaning): object
  byEither(words: SearchQuery, meaning: Meaning): object
  /** Where it tells who is asking, and the fields of its answer that name them. */
  whoAmI: { path: string; name: string }
  /** Whether it can be asked what credentials may do. */
  tellsPrivileges: boolean
}
