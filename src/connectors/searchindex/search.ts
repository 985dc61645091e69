import type { SearchHit, SearchRequest } from '../connector.ts'
import type { SearchClient } from './client.ts'
import type { SearchQuery } from './engines/engine.ts'
import { fuse, type Scored } from './fuse.ts'
import { ACCESS, CLAUSES, LABELS, SPACE_KEY, TITLE_FIELD } from './schema/schema.ts'
import { failureError, notACluster } from './translate.ts'
import { findIndex, pathOf } from './write/locate.ts'

type Results = { total: number; hits: SearchHit[] }
type Hit = { _id?: string; _score?: number | null; _source?: Source; highlight?: { text?: string[] } }
type Answer = { hits?: { total?: number | { value: number }; hits: Hit[] } }
type Failed = { status: number; error: { type?: string; reason?: string } }

/** The number of hits per list to fuse; fixed, so that pages stay consistent. */
const WINDOW = 500
const NEIGHBOURS = 100

/** Searches by words and vector, within what the person may read. */
export async function searchIndex(
  client: SearchClient,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<Results> {
  const { tokens } = request
  if (tokens.length === 0) return { total: 0, hits: [] }
  const filter = [...readableBy(tokens), ...filterQueries(request.filters)]
  return request.vector && request.query.trim() !== ''
    ? searchHybrid({ client, request, tokens, filter, vector: request.vector }, signal)
    : searchWords({ client, request, tokens, filter }, signal)
}

/** `c0` must match; later clauses match or are absent. */
export function readableBy(tokens: string[]): SearchQuery[] {
  const [first, ...later] = CLAUSES.map((clause) => `${ACCESS}.${clause}`)
  return [
    { terms: { [first!]: tokens } },
    ...later.map((field) =>
      anyQuery([{ terms: { [field]: tokens } }, { bool: { must_not: { exists: { field } } } }]),
    ),
  ]
}

function filterQueries(filters: SearchRequest['filters']): SearchQuery[] {
  // Older schemas hold these as text with a keyword subfield.
  const whole = (field: string, values: string[]) =>
    anyQuery([{ terms: { [field]: values } }, { terms: { [`${field}.keyword`]: values } }])
  return [
    ...(filters?.space_key ? [whole(SPACE_KEY, [filters.space_key])] : []),
    ...(filters?.labels?.length ? [whole(LABELS, filters.labels)] : []),
  ]
}

type SearchInput = { client: SearchClient; request: SearchRequest; tokens: string[]; filter: SearchQuery[] }

async function searchWords(
  { client, request, tokens, filter }: SearchInput,
  signal: AbortSignal,
): Promise<Results> {
  const { query, from, size } = request
  const body = { query: byWords(query, filter), ...resultFields(query), track_total_hits: true, from, size }
  const response = await search(client, body, signal)
  return { total: totalOf(response), hits: toHits(hitsOf(response, client), tokens) }
}

function byWords(query: string, filter: SearchQuery[]): SearchQuery {
  return { bool: { must: [wordQuery(query)], filter } }
}

function search(client: SearchClient, body: object, signal: AbortSignal): Promise<Answer> {
  const path = `${pathOf(client.place.index)}/_search`
  return client.call<Answer>('searching', { method: 'POST', path, body }, signal)
}

/** Fused here, since the cluster's own fusion needs a licence or a pipeline. */
async function searchHybrid(
  { client, request, tokens, filter, vector }: SearchInput & { vector: number[] },
  signal: AbortSignal,
): Promise<Results> {
  const { query, from, size } = request
  const engine = client.place.engine ?? (await findIndex(client, 'call', signal)).engine
  const meaning = { vector, k: NEIGHBOURS, filter }
  const inWords = byWords(query, filter)
  const ranked = { _source: false, size: Math.max(WINDOW, from + size), track_total_hits: false }
  const lists = await multiSearch(
    client,
    [
      { query: inWords, ...ranked },
      { ...engine.byMeaning(meaning), ...ranked },
      { ...engine.byEither(inWords, meaning), size: 0, track_total_hits: true },
    ],
    signal,
  )
  const [words = [], near = []] = lists.slice(0, 2).map((list) => hitsOf(list, client).map(toScored))
  const fused = fuse(words, near)
  const page = fused.slice(from, from + size)
  const total = lists[2] ? totalOf(lists[2]) : 0
  if (page.length === 0) return { total, hits: [] }

  const ids = { ids: { values: page.map(({ id }) => id) } }
  const body = { query: { bool: { filter: [ids, ...filter] } }, ...resultFields(query), size: page.length }
  const found = new Map(hitsOf(await search(client, body, signal), client).map((hit) => [hit._id, hit]))
  const hits = page.flatMap(({ id, score }) => {
    const hit = found.get(id)
    return hit ? [{ ...hit, _score: score }] : []
  })
  return { total, hits: toHits(hits, tokens) }
}

function toScored({ _id = '', _score }: Hit): Scored {
  return { id: _id, score: _score ?? 0 }
}

/** Several searches in one request; throws the first failure. */
async function multiSearch(client: SearchClient, bodies: object[], signal: AbortSignal): Promise<Answer[]> {
  const path = `${pathOf(client.place.index)}/_msearch`
  const lines = bodies.flatMap((body) => ['{}', JSON.stringify(body)])
  const { responses = [] } = await client.call<{ responses?: (Answer | Failed)[] }>(
    'searching',
    { method: 'POST', path, lines },
    signal,
  )
  return responses.map((response) => {
    if (!('error' in response)) return response
    const { type = 'search_failed', reason = '' } = response.error
    throw failureError({ status: response.status, type, reason }, 'searching', client.place)
  })
}

function wordQuery(query: string): SearchQuery {
  if (query.trim() === '') return { match_all: {} }
  return { multi_match: { query, fields: ['text', `${TITLE_FIELD}^2`], lenient: true } }
}

function resultFields(query: string) {
  return {
    _source: ['record_id', 'element_id', 'text', TITLE_FIELD, 'metadata.data_source.url', ACCESS],
    highlight: {
      // The page inserts the fragment as HTML, so its text is escaped.
      encoder: 'html' as const,
      pre_tags: ['<mark>'],
      post_tags: ['</mark>'],
      highlight_query: wordQuery(query),
      fields: { text: { number_of_fragments: 1, fragment_size: 240 } },
    },
  }
}

type Source = {
  record_id?: string
  element_id?: string
  text?: string
  metadata?: { data_source?: { title?: string; url?: string; access?: Record<string, string | string[]> } }
}

function hitsOf({ hits }: Answer, { place }: SearchClient): Hit[] {
  if (!Array.isArray(hits?.hits)) throw notACluster('it responds', 'searching', place)
  return hits.hits
}

function toHits(hits: Hit[], tokens: string[]): SearchHit[] {
  return hits.flatMap((hit) => {
    const source = hit._source ?? {}
    const dataSource = source.metadata?.data_source
    const grantedBy = grants(dataSource?.access ?? {}, new Set(tokens))
    // Checks the document again after the filter.
    if (!grantedBy) return []
    return {
      record_id: source.record_id ?? '',
      element_id: source.element_id ?? '',
      score: hit._score ?? 0,
      text: source.text ?? '',
      highlight: hit.highlight?.text?.[0] ?? null,
      title: dataSource?.title ?? null,
      url: dataSource?.url ?? null,
      granted_by: grantedBy,
    }
  })
}

/** The tokens that each clause matched, or null if one matched none. */
function grants(access: Record<string, string | string[]>, tokens: ReadonlySet<string>): string[] | null {
  const by = new Set<string>()
  for (const clause of CLAUSES) {
    const entries = access[clause]
    if (entries === undefined && clause !== 'c0') continue
    const matching = [entries ?? []].flat().filter((entry) => tokens.has(entry))
    if (matching.length === 0) return null
    for (const entry of matching) by.add(entry)
  }
  return [...by]
}

function anyQuery(should: SearchQuery[]): SearchQuery {
  return { bool: { should, minimum_should_match: 1 } }
}

function totalOf({ hits }: Answer): number {
  return typeof hits?.total === 'number' ? hits.total : (hits?.total?.value ?? 0)
}
