import type { Access } from './access.ts'

/**
 * The nouns. A wiki's page or file is a *document*; what is cut out of it and written into the index is an
 * *element*. A `DocumentRef` is what a listing says of a document without its body.
 */
export type DocumentRef = {
  /** Unique across wikis and stable between runs: host and page id, such as `acme.atlassian.net/98777`. */
  recordId: string
  /** The part of the source that is listed as a whole (a space); deletions are decided per scope. */
  scope: string
  /** The source's own ordering id inside the scope; listings go upwards in it. */
  position: string
  version: string
  title: string
  url: string
  locator: Record<string, string>
  /** Enters the element ids; `{page_id}.html` for a page. */
  filename: string
  createdAt: string | null
  modifiedAt: string | null
  author: string | null
  space: { key: string; name: string }
  labels: string[]
  /** From the top of the space downwards. */
  ancestors: { id: string; title: string }[]
  access: Access
  /**
   * The source cannot tell yet whether its settings mean this document (a search index that lags behind): what is in
   * the index of it gets its rights, and nothing new comes in.
   */
  undecided?: true
}

/** A document with its body. `version` is the one that was read, which may be newer than the one listed. */
export type SourceDocument = {
  ref: DocumentRef
  version: string
  /** Told by the content, never by a name or by what the source says. */
  filetype: string
  /** Text where the source renders it, such as a page; bytes where it is a file. */
  body: string | Uint8Array
  /** It lacks a part for a reason that may pass, such as a picture whose host is down: the next run works it again. */
  incomplete?: true
  /** What could not be taken along; the document is whole without it. */
  warnings?: DocumentWarning[]
}

/**
 * `count` things of one document, such as images that are missing; `message` is about one of them. `names` where they
 * are of few kinds, such as macros: a job counts its documents for each.
 */
export type DocumentWarning = { code: string; count: number; message: string; names?: string[] }

export type ElementType =
  | 'Title'
  | 'NarrativeText'
  | 'UncategorizedText'
  | 'ListItem'
  | 'Table'
  | 'TableChunk'
  | 'CodeSnippet'
  | 'Image'
  | 'Header'
  | 'Footer'
  | 'CompositeElement'

/** The part of an element's metadata that the pipeline makes; the wire names are the element's own. */
export type ElementMetadata = {
  filename: string
  filetype: string
  languages?: string[]
  parent_id?: string
  category_depth?: number
  page_number?: number
  /** The name of a sheet. */
  page_name?: string
  sent_from?: string[]
  sent_to?: string[]
  cc_recipient?: string[]
  subject?: string
  is_continuation?: boolean
  orig_elements?: string
  partitioner_type?: string
  text_as_html?: string
  link_urls?: string[]
  link_texts?: string[]
  image_base64?: string
  image_mime_type?: string
  image_url?: string
  /** What a model found in it. */
  entities?: Entities
}

export type Entities = {
  items: { entity: string; type: string }[]
  relationships: { from: string; relationship: string; to: string }[]
}

export type Element = {
  type: ElementType
  element_id: string
  text: string
  metadata: ElementMetadata
  embeddings?: number[]
}
