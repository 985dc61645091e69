import { CLAUSE_NAMES } from '../../../permissions/algebra.ts'
import type { IndexSettings, SearchEngine } from '../engines/engine.ts'
import { ANALYSIS, withLanguages } from './analysis.ts'
import type { Field } from './field.ts'

export type Mapping = {
  properties?: Record<string, Field>
  dynamic?: boolean | string
  dynamic_templates?: object[]
  enabled?: boolean
  runtime?: Record<string, object>
  derived?: Record<string, object>
  _source?: { enabled?: boolean; includes?: string[]; excludes?: string[]; mode?: string }
}

export function vectorsOf({ properties }: Mapping): Field {
  return properties?.embeddings ?? {}
}

const KEYWORD: Field = { type: 'keyword' }
/** Read from the document only: no query filters by it. */
const STORED_KEYWORD: Field = { type: 'keyword', index: false, doc_values: false }
const TEXT: Field = { type: 'text' }
const DATE: Field = { type: 'date' }
/** Stored but not searchable: markup, images and packed elements. */
const STORED_ONLY: Field = { type: 'text', index: false, norms: false }
const TITLE: Field = { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } }

export const ACCESS = 'metadata.data_source.access'
export const PERMISSIONS = 'metadata.data_source.permissions_data'
export const SPACE_KEY = 'metadata.data_source.record_locator.space_key'
export const LABELS = 'metadata.data_source.labels'
export const PATH_IN_ARCHIVE = 'metadata.path_in_archive'
export const TITLE_FIELD = 'metadata.data_source.title'

/** Who may change a document. Searches filter by who may read it. */
const WRITER_LISTS: Record<string, Field> = permissionLists(['update', 'delete'], STORED_KEYWORD)

/**
 * Plain keywords: analysis would split ids, a normalizer merge them, `ignore_above` drop them. An absent
 * clause lets everyone pass.
 */
export const PERMISSION_FIELDS: Record<string, Field> = {
  ...permissionLists(['read'], KEYWORD),
  ...WRITER_LISTS,
  ...Object.fromEntries(CLAUSE_NAMES.map((clause) => [`${ACCESS}.${clause}`, KEYWORD])),
}

function permissionLists(operations: string[], field: Field): Record<string, Field> {
  const paths = operations.flatMap((operation) =>
    ['users', 'groups', 'access_classes'].map((kind) => `${PERMISSIONS}.${operation}.${kind}`),
  )
  return Object.fromEntries(paths.map((path) => [path, field]))
}

export function isWriterList(path: string): boolean {
  return path in WRITER_LISTS
}

/** All other fields by path, parts of objects included. */
const OTHER_FIELDS: Record<string, Field> = {
  record_id: { type: 'text', fields: { keyword: { type: 'keyword' } } },
  element_id: KEYWORD,
  type: KEYWORD,
  text: TEXT,
  'metadata.filename': KEYWORD,
  'metadata.filetype': KEYWORD,
  'metadata.file_directory': KEYWORD,
  [PATH_IN_ARCHIVE]: KEYWORD,
  'metadata.languages': KEYWORD,
  'metadata.parent_id': TEXT,
  'metadata.category_depth': { type: 'integer' },
  'metadata.page_number': { type: 'integer' },
  'metadata.is_continuation': { type: 'boolean' },
  'metadata.orig_elements': STORED_ONLY,
  'metadata.partitioner_type': TEXT,
  'metadata.text_as_html': STORED_ONLY,
  'metadata.link_urls': STORED_ONLY,
  'metadata.link_texts': STORED_ONLY,
  'metadata.image_base64': STORED_ONLY,
  'metadata.image_mime_type': KEYWORD,
  'metadata.image_url': STORED_ONLY,
  'metadata.data_source.url': { type: 'keyword', ignore_above: 8191 },
  'metadata.data_source.version': KEYWORD,
  'metadata.data_source.record_locator.space_key': KEYWORD,
  'metadata.data_source.record_locator.page_id': KEYWORD,
  'metadata.data_source.record_locator.attachment_id': KEYWORD,
  'metadata.data_source.record_locator.record_id': KEYWORD,
  'metadata.data_source.record_locator.url': { type: 'keyword', ignore_above: 8191 },
  'metadata.data_source.date_created': DATE,
  'metadata.data_source.date_modified': DATE,
  'metadata.data_source.date_processed': DATE,
  'metadata.data_source.title': TITLE,
  'metadata.data_source.space.key': KEYWORD,
  'metadata.data_source.space.name': TITLE,
  'metadata.data_source.labels': KEYWORD,
  'metadata.data_source.ancestors.id': KEYWORD,
  'metadata.data_source.ancestors.title': TEXT,
  'metadata.data_source.author': KEYWORD,
}

/** Of an index with these settings. */
export function fieldsFor(
  dims: number | null,
  engine: SearchEngine,
  settings: IndexSettings = {},
): Record<string, Field> {
  const searched = { text: TEXT, [TITLE_FIELD]: TITLE }
  const fields = { ...OTHER_FIELDS, ...withLanguages(searched, settings), ...PERMISSION_FIELDS }
  return dims === null ? fields : { ...fields, embeddings: engine.vectorField(dims) }
}

/** The body of the request that creates an index with its whole schema. */
export function creationBodyFor(dims: number | null, engine: SearchEngine) {
  const index = { ...engine.creationBody?.settings.index, analysis: ANALYSIS }
  return { settings: { index }, mappings: schemaFor(dims, engine, index) }
}

export function schemaFor(dims: number | null, engine: SearchEngine, settings: IndexSettings = {}): Mapping {
  return {
    // Sources choose their locator names; all are matched exactly.
    dynamic_templates: [
      { locators: { path_match: 'metadata.data_source.record_locator.*', mapping: { type: 'keyword' } } },
    ],
    properties: nest(fieldsFor(dims, engine, settings)),
  }
}

/** `{'a.b': f}` → `{a: {properties: {b: f}}}` */
export function nest(fields: Record<string, Field>): Record<string, Field> {
  const properties: Record<string, Field> = {}
  for (const [path, field] of Object.entries(fields)) {
    const names = path.split('.')
    const last = names.pop() ?? path
    let level = properties
    for (const name of names) {
      const object = level[name]
      const inner = object?.properties ?? {}
      level[name] = { properties: inner }
      level = inner
    }
    level[last] = field
  }
  return properties
}
