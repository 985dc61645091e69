/** What the tools search in and read from, bound to one person. */
export interface SearchBackend {
  search(query: BackendQuery, signal: AbortSignal): Promise<BackendResults>
  /** Null if there is no such document, or the person may not read it. `after` is the id of a passage. */
  read(id: string, after: string | null, signal: AbortSignal): Promise<BackendDocument | null>
  /** Null as for `read`. */
  explain(id: string, signal: AbortSignal): Promise<BackendLevel[] | null>
}

export type BackendQuery = { query: string; space?: string; labels?: string[]; limit: number }

export type BackendResults = {
  documents: (DocumentName & { text: string })[]
  /** What the results leave out, one sentence each. */
  notes: string[]
}

/** `id` is opaque to clients; `url` is the page in the source. */
export type DocumentName = { id: string; title: string; url: string }

export type BackendDocument = DocumentName & {
  metadata: Record<string, string>
  /** In reading order. */
  passages: { id: string; text: string }[]
  hasMore: boolean
}

/** A rule between the person and a document, from the outermost to the document itself. */
export type BackendLevel = { level: string; title: string; reason: string }
