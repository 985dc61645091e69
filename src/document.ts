import type { Access } from './permissions/levels.ts'

/** A *document* is a page, post or file; *elements* are cut from it. A `DocumentRef` has no body. */
export type DocumentRef = {
  /** Unique across sites and stable between runs: host and id, such as `docs.example/98777`. */
  recordId: string
  /** The part of the source listed as a whole; removals are per scope. */
  scope: string
  /** The name of the scope as people know it. */
  scopeName: string
  /** The source's ordering id inside the scope; listings ascend in it. */
  position: string
  version: string
  title: string
  url: string
  locator: Record<string, string>
  /** Part of the element ids; `{page_id}.html` for a page. */
  filename: string
  createdAt: string | null
  modifiedAt: string | null
  author: string | null
  labels: string[]
  /** From the top of the scope downwards. */
  ancestors: { id: string; title: string }[]
  access: Access
  /** The source cannot tell yet whether its settings include it; only permissions are updated. */
  undecided?: true
}

/** A document with its body, of the `version` that was read. */
export type SourceDocument = {
  ref: DocumentRef
  version: string
  /** Detected from the content, never from the name or the source. */
  filetype: string
  /** Text for a rendered page; bytes for a file. */
  body: string | Uint8Array
  /** A part is missing for now, such as an image; the next run retries. */
  incomplete?: true
  /** What is missing although the document counts as complete. */
  warnings?: DocumentWarning[]
}

/** `count` missing parts of one document; `message` describes one, `names` lists their kinds. */
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
  | 'FigureCaption'
  | 'Header'
  | 'Footer'
  | 'CompositeElement'

/** The metadata that the pipeline sets, under its wire names. */
export type ElementMetadata = {
  filename: string
  filetype: string
  /** The folder of a file inside an archive. */
  file_directory?: string
  /** Folder and name inside the archive; elements with another path belong to another file. */
  path_in_archive?: string
  languages?: string[]
  parent_id?: string
  category_depth?: number
  page_number?: number
  /** Where a PDF or picture has the text. Only views of a document keep it. */
  box?: Box
  /** The name of a sheet or drawing. */
  page_name?: string
  /** When captions begin, in whole seconds. */
  start_seconds?: number
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
  /** The mean confidence of text read by OCR, 0 to 1. */
  detection_class_prob?: number
  /** What a model found in the text. */
  entities?: Entities
}

/** In points from the page's top left corner. */
export type Box = { left: number; top: number; right: number; bottom: number }

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
