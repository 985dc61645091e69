import { CLAUSE_NAMES, matchClauses } from '../../permissions/algebra.ts'
import type { ElementRequest, SearchElement } from '../search.ts'
import type { SearchClient } from './client.ts'
import { readableBy } from './filters.ts'
import { ACCESS, SPACE_KEY, TITLE_FIELD } from './schema/schema.ts'
import { hitsOf, search, wordQuery } from './search.ts'

const BATCH_SIZE = 500
const MAX_HIGHLIGHTS = 3

/** Reads elements by id, within what the person may read. */
export async function searchElements(
  client: SearchClient,
  { keys, tokens, query }: ElementRequest,
  signal: AbortSignal,
): Promise<Map<string, SearchElement>> {
  const found = new Map<string, SearchElement>()
  if (tokens.length === 0) return found
  for (let at = 0; at < keys.length; at += BATCH_SIZE) {
    const values = keys.slice(at, at + BATCH_SIZE)
    const body = {
      query: { bool: { filter: [{ ids: { values } }, ...readableBy(tokens)] } },
      _source: FIELDS,
      ...(query === undefined ? {} : highlighting(query)),
      size: values.length,
    }
    for (const hit of hitsOf<Hit>(await search(client, { body }, signal), client)) {
      const element = toElement(hit, new Set(tokens))
      if (element && hit._id) found.set(hit._id, element)
    }
  }
  return found
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
  ACCESS,
]

function highlighting(query: string): object {
  return {
    highlight: {
      // The page inserts the fragment as HTML, so its text is escaped.
      encoder: 'html' as const,
      pre_tags: ['<mark>'],
      post_tags: ['</mark>'],
      highlight_query: wordQuery(query),
      order: 'score' as const,
      fields: { text: { number_of_fragments: MAX_HIGHLIGHTS, fragment_size: 240 } },
    },
  }
}

type Hit = { _id?: string; _source?: Source; highlight?: { text?: string[] } }
type Source = {
  record_id?: string
  element_id?: string
  type?: string
  text?: string
  metadata?: { filetype?: string; page_number?: number; data_source?: SourceFields }
}
type SourceFields = {
  title?: string
  url?: string
  version?: string
  date_modified?: string
  record_locator?: { space_key?: string }
  access?: Record<string, string | string[]>
}

function toElement({ _source: source = {}, highlight }: Hit, tokens: ReadonlySet<string>) {
  const { filetype, page_number: pageNumber, data_source: about = {} } = source.metadata ?? {}
  const grantedBy = matchingTokens(about.access ?? {}, tokens)
  // Checks the document again after the filter.
  if (!grantedBy) return null
  return {
    record_id: source.record_id ?? '',
    element_id: source.element_id ?? '',
    type: source.type ?? '',
    text: source.text ?? '',
    highlights: highlight?.text ?? [],
    title: about.title ?? null,
    url: about.url ?? null,
    version: about.version ?? null,
    date_modified: about.date_modified ?? null,
    space_key: about.record_locator?.space_key ?? null,
    filetype: filetype ?? null,
    page_number: pageNumber ?? null,
    granted_by: grantedBy,
  }
}

/** The tokens that the clauses matched, or null if one matched none. */
function matchingTokens(
  access: Record<string, string | string[]>,
  tokens: ReadonlySet<string>,
): string[] | null {
  const clauses = CLAUSE_NAMES.flatMap((name) => {
    const entries = access[name]
    return entries === undefined ? [] : [[name, [entries].flat()] as const]
  })
  const matched = matchClauses(Object.fromEntries(clauses), tokens)
  return matched && [...new Set([...matched.values()].flat())]
}
