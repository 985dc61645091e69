import { createHash } from 'node:crypto'
import { inParts } from '../kit/batches.ts'
import { fuseRankings, NEIGHBOURS, type Scored, WINDOW } from '../kit/rank-fusion.ts'
import type { FacetName, RankedElement, Ranking, SearchRequest } from '../search.ts'
import type { SearchClient } from './client.ts'
import type { SearchQuery } from './engines/engine.ts'
import { facetFields, facetValues, filterQueries, hasRecord, readableBy } from './filters.ts'
import { weighted } from './schema/analysis.ts'
import { PATH_IN_ARCHIVE, TITLE_FIELD, vectorsOf } from './schema/schema.ts'
import { failureError, notACluster } from './translate.ts'
import { type FoundIndex, pathOf } from './write/locate.ts'

export type SearchedIndex = { client: SearchClient; located(signal: AbortSignal): Promise<FoundIndex> }

/** Ranks by words and vector, within what the person may read. */
export async function rankIndex(
  { client, located }: SearchedIndex,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<Ranking> {
  if (request.tokens.length === 0) return { total: 0, ranked: [] }
  const filter = [...readableBy(request.tokens), ...filterQueries(request.filters)]
  const found =
    request.vector && request.query.trim() !== ''
      ? await rankHybrid({ client, request, filter, vector: request.vector }, await located(signal), signal)
      : await rankWords({ client, request, filter }, signal)
  const { facets = [], filters = {} } = request
  const named = await withRecordIds(client, { ...found, facets }, signal)
  const ranked = named.filter(({ record_id: id }) => hasRecord(filters, id))
  return { total: found.total - (named.length - ranked.length), ranked }
}

type RankInput = { client: SearchClient; request: SearchRequest; filter: SearchQuery[] }
type ScoredHit = Hit & Scored
type Found = { total: number; ranked: ScoredHit[] }

async function rankWords({ client, request, filter }: RankInput, signal: AbortSignal): Promise<Found> {
  const { query, depth, facets = [] } = request
  const body = {
    query: filteredWordQuery(query, filter),
    ...rankedFields(facets),
    track_total_hits: true,
    size: depth,
  }
  const response = await search<Hit>(client, { body, preference: preferenceOf(request) }, signal)
  return rankedOf(response, client)
}

/** Fused here, since the cluster's own fusion needs a licence or a pipeline. */
async function rankHybrid(
  { client, request, filter, vector }: RankInput & { vector: number[] },
  { engine, mapping }: FoundIndex,
  signal: AbortSignal,
): Promise<Found> {
  const { query, depth, floor, facets = [] } = request
  const ranked = { ...rankedFields(facets), size: Math.max(WINDOW, depth) }
  const lists = await multiSearch(
    client,
    {
      preference: preferenceOf(request),
      bodies: [
        { query: filteredWordQuery(query, filter), ...ranked, track_total_hits: true },
        { ...engine.vectorSearch({ vector, k: NEIGHBOURS, filter }), ...ranked, track_total_hits: false },
      ],
    },
    signal,
  )
  const [words = NOTHING, neighbours = NOTHING] = lists.map((list) => rankedOf(list, client))
  const least = floor === undefined ? null : engine.scoreOf(floor, vectorsOf(mapping))
  return fuseRankings(words, neighbours.ranked, { size: ranked.size, least })
}

const NOTHING: Found = { total: 0, ranked: [] }

type Hit = {
  _id?: string
  _score?: number | null
  fields?: Record<string, string[]>
  _source?: { record_id?: string; metadata?: { path_in_archive?: string } }
}
type SearchResponse<H> = { hits?: { total?: number | { value: number }; hits: H[] } }
type FailedSearch = { status: number; error: { type?: string; reason?: string } }

/** Doc values are cheap: a source holds the vector, which would be parsed for every hit. */
const RECORD_ID_VALUES = 'record_id.keyword'

function rankedFields(facets: FacetName[]): object {
  return facets.length > 0
    ? { _source: ['record_id', PATH_IN_ARCHIVE, ...facetFields(facets)] }
    : { _source: false, docvalue_fields: [RECORD_ID_VALUES, PATH_IN_ARCHIVE] }
}

/** Older schemas may lack the subfield, or leave long ids out of it. */
async function withRecordIds(
  client: SearchClient,
  { ranked, facets }: Found & { facets: FacetName[] },
  signal: AbortSignal,
): Promise<RankedElement[]> {
  const idOf = ({ fields, _source }: Hit) => fields?.[RECORD_ID_VALUES]?.[0] ?? _source?.record_id
  const missing = ranked.filter((hit) => idOf(hit) === undefined).map(({ key }) => key)
  const read = new Map<string, string>()
  for (const values of inParts(missing, WINDOW)) {
    const body = { query: { ids: { values } }, _source: ['record_id'], size: values.length }
    for (const hit of hitsOf<Hit>(await search(client, { body }, signal), client))
      read.set(hit._id ?? '', hit._source?.record_id ?? '')
  }
  return ranked.map((hit) => {
    const { key, score, fields, _source = {} } = hit
    const path = fields?.[PATH_IN_ARCHIVE]?.[0] ?? _source.metadata?.path_in_archive
    const found = { key, record_id: idOf(hit) ?? read.get(key) ?? '', score }
    const element = path === undefined ? found : { ...found, path_in_archive: path }
    return facets.length > 0 ? { ...element, facets: facetValues(_source, facets) } : element
  })
}

export function filteredWordQuery(query: string, filter: SearchQuery[]): SearchQuery {
  return { bool: { must: [wordQuery(query)], filter } }
}

export function wordQuery(query: string): SearchQuery {
  if (query.trim() === '') return { match_all: {} }
  const matching = (field: string, boost: number) => ({
    multi_match: { query, fields: weighted(field), type: 'most_fields', boost, lenient: true },
  })
  return { dis_max: { queries: [matching('text', 1), matching(TITLE_FIELD, 2)] } }
}

/** Replicas score differently: the same query goes to the same copies. */
function preferenceOf({ query, filters = {} }: SearchRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([query, filters]))
    .digest('hex')
    .slice(0, 16)
}

type OneSearch = { body: object; preference?: string }

export function search<H>(
  client: SearchClient,
  { body, preference }: OneSearch,
  signal: AbortSignal,
): Promise<SearchResponse<H>> {
  const path = `${pathOf(client.address.index)}/_search`
  const query = preference ? { query: { preference } } : {}
  return client.call('searching', { method: 'POST', path, body, ...query }, signal)
}

/** Several searches in one request; throws the first failure. */
async function multiSearch(
  client: SearchClient,
  { bodies, preference }: { bodies: object[]; preference: string },
  signal: AbortSignal,
): Promise<SearchResponse<Hit>[]> {
  const path = `${pathOf(client.address.index)}/_msearch`
  const lines = bodies.flatMap((body) => [JSON.stringify({ preference }), JSON.stringify(body)])
  const { responses = [] } = await client.call<{ responses?: (SearchResponse<Hit> | FailedSearch)[] }>(
    'searching',
    { method: 'POST', path, lines },
    signal,
  )
  return responses.map((response) => {
    if (!('error' in response)) return response
    const { type = 'search_failed', reason = '' } = response.error
    throw failureError({ status: response.status, type, reason }, 'searching', client.address)
  })
}

export function hitsOf<H>({ hits }: SearchResponse<H>, { address }: SearchClient): H[] {
  if (!Array.isArray(hits?.hits)) throw notACluster('searching', address)
  return hits.hits
}

function rankedOf(response: SearchResponse<Hit>, client: SearchClient): Found {
  const total = response.hits?.total
  const ranked = hitsOf(response, client).map((hit) => ({
    ...hit,
    key: hit._id ?? '',
    score: hit._score ?? 0,
  }))
  return { total: typeof total === 'number' ? total : (total?.value ?? 0), ranked }
}
