/** What the tools search in and read from, bound to one person. */
export interface Library {
  search(query: LibraryQuery, signal: AbortSignal): Promise<LibraryResults>
  /** Null if there is no such document, or the person may not read it. `after` is the id of a passage. */
  read(id: string, after: string | null, signal: AbortSignal): Promise<LibraryDocument | null>
  /** Null as for `read`. */
  explain(id: string, signal: AbortSignal): Promise<LibraryLevel[] | null>
}

export type LibraryQuery = { query: string; space?: string; labels?: string[]; limit: number }

export type LibraryResults = {
  documents: (DocumentName & { text: string })[]
  /** What the results leave out, one sentence each. */
  notes: string[]
}

/** `id` is opaque to clients; `url` is the page in the source. */
export type DocumentName = { id: string; title: string; url: string }

export type LibraryDocument = DocumentName & {
  metadata: Record<string, string>
  /** In reading order. */
  passages: { id: string; text: string }[]
  hasMore: boolean
}

/** A rule between the person and a document, from the outermost to the document itself. */
export type LibraryLevel = { level: string; title: string; reason: string }
