import { FRAGMENT_SIZE, MAX_HIGHLIGHTS } from '../kit/highlights.ts'
import { type FoundElement, readableElements } from '../kit/readable-elements.ts'
import type { ElementRequest, SearchElement } from '../search.ts'
import type { SearchClient } from './client.ts'
import { readableBy } from './filters.ts'
import { withSubfields } from './schema/analysis.ts'
import { ACCESS, PATH_IN_ARCHIVE, SPACE_KEY, TITLE_FIELD } from './schema/schema.ts'
import { hitsOf, search, wordQuery } from './search.ts'

/** Reads elements by id, within what the person may read. */
export function searchElements(
  client: SearchClient,
  request: ElementRequest,
  signal: AbortSignal,
): Promise<Map<string, SearchElement>> {
  const { tokens, query } = request
  return readableElements(request, async (values) => {
    const body = {
      query: { bool: { filter: [{ ids: { values } }, ...readableBy(tokens)] } },
      _source: FIELDS,
      ...(query === undefined ? {} : highlighting(query)),
      size: values.length,
    }
    return hitsOf<Hit>(await search(client, { body }, signal), client).map(toElement)
  })
}

const FIELDS = [
  'record_id',
  'element_id',
  'type',
  'text',
  TITLE_FIELD,
  'metadata.data_source.url',
  'metadata.data_source.version',
  'metadata.data_source.date_modified',
  SPACE_KEY,
  'metadata.filetype',
  'metadata.page_number',
  PATH_IN_ARCHIVE,
  ACCESS,
]

/** Exact words are marked, else forms and parts of words. */
const MARKED_FIELDS = withSubfields('text')

function highlighting(query: string): object {
  return {
    highlight: {
      // The page inserts the fragment as HTML, so its text is escaped.
      encoder: 'html' as const,
      pre_tags: ['<mark>'],
      post_tags: ['</mark>'],
      highlight_query: wordQuery(query),
      order: 'score' as const,
      number_of_fragments: MAX_HIGHLIGHTS,
      fragment_size: FRAGMENT_SIZE,
      fields: Object.fromEntries(MARKED_FIELDS.map((field) => [field, {}])),
    },
  }
}

type Hit = { _id?: string; _source?: Source; highlight?: Record<string, string[]> }
type Source = {
  record_id?: string
  element_id?: string
  type?: string
  text?: string
  metadata?: {
    filetype?: string
    page_number?: number
    path_in_archive?: string
    data_source?: SourceFields
  }
}
type SourceFields = {
  title?: string
  url?: string
  version?: string
  date_modified?: string
  record_locator?: { space_key?: string }
  access?: Record<string, string | string[]>
}

function toElement({ _id: key = '', _source: source = {}, highlight }: Hit): FoundElement {
  const { filetype, page_number: pageNumber, path_in_archive: path, data_source } = source.metadata ?? {}
  const about = data_source ?? {}
  return {
    key,
    access: about.access ?? {},
    record_id: source.record_id ?? '',
    element_id: source.element_id ?? '',
    type: source.type ?? '',
    text: source.text ?? '',
    highlights: MARKED_FIELDS.map((field) => highlight?.[field]).find(Boolean) ?? [],
    title: about.title ?? null,
    url: about.url ?? null,
    version: about.version ?? null,
    date_modified: about.date_modified ?? null,
    space_key: about.record_locator?.space_key ?? null,
    filetype: filetype ?? null,
    page_number: pageNumber ?? null,
    path_in_archive: path ?? null,
  }
}
