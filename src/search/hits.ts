import type { RankedElement, Search, SearchElement } from '../connectors/search.ts'
import type { Database } from '../store/database.ts'
import { permissionLevels } from '../store/ledger/permission-levels.ts'
import { readingOrder } from '../store/ledger/reading-order.ts'
import type { RankedUnit } from './checked-ranking.ts'
import type { SearchHit } from './shapes/search.ts'
import { whyOf } from './why.ts'

const MAX_PASSAGES = 3

export type HitsOf = { db: Database; search: Search; tokens: string[]; workflowIds: string[] }
export type HitParts = { query: string; isGrouped: boolean; neighbours: number; why: boolean }

/** The hits of a page with their text, read under the permission filter again. */
export async function readHits(
  page: RankedUnit[],
  { of, parts }: { of: HitsOf; parts: HitParts },
  signal: AbortSignal,
): Promise<SearchHit[]> {
  const best = page.map(({ elements }) => elements.slice(0, parts.isGrouped ? MAX_PASSAGES : 1))
  const keys = best.flat().map(({ key }) => key)
  const { search, tokens } = of
  const found = await search.elements({ keys, tokens, query: parts.query }, signal)
  const hits = best.flatMap((elements) => toHit(elements, found, parts) ?? [])
  return withWhy(await withNeighbours(hits, { of, parts }, signal), { of, parts })
}

function toHit(
  elements: RankedElement[],
  found: Map<string, SearchElement>,
  { isGrouped }: HitParts,
): SearchHit | undefined {
  const passages = elements.flatMap(({ key, score }) => {
    const element = found.get(key)
    return element ? [{ ...element, score }] : []
  })
  const [first] = passages
  if (!first) return undefined
  const { type: _, ...hit } = first
  return {
    ...hit,
    highlight: first.highlights[0] ?? null,
    ...(isGrouped ? { passages: passages.map(toPassage) } : {}),
  }
}

function toPassage({ element_id, score, text, highlights }: SearchElement & { score: number }) {
  return { element_id, score, text, highlights }
}

/** The elements around each hit; they belong to the same, checked document. */
async function withNeighbours(
  hits: SearchHit[],
  { of: { db, search, tokens, workflowIds }, parts: { neighbours } }: { of: HitsOf; parts: HitParts },
  signal: AbortSignal,
): Promise<SearchHit[]> {
  if (neighbours === 0 || hits.length === 0) return hits
  const order = await readingOrder(db, workflowIds, [...new Set(hits.map(({ record_id: id }) => id))])
  const around = hits.map(({ record_id: recordId, element_id: elementId }) => {
    const ids = order.get(recordId) ?? []
    const at = ids.indexOf(elementId)
    const keysOf = (part: string[]) => part.map((id) => search.keyOf(recordId, id))
    if (at < 0) return { before: [], after: [] }
    return {
      before: keysOf(ids.slice(Math.max(0, at - neighbours), at)),
      after: keysOf(ids.slice(at + 1, at + 1 + neighbours)),
    }
  })
  const keys = [...new Set(around.flatMap(({ before, after }) => [...before, ...after]))]
  const found = await search.elements({ keys, tokens }, signal)
  const read = (wanted: string[], path: string | null) =>
    wanted.flatMap((key) => {
      const element = found.get(key)
      // The next file of an archive is no neighbour.
      if (!element || element.path_in_archive !== path) return []
      return [{ element_id: element.element_id, text: element.text }]
    })
  return hits.map((hit, at) => {
    const { before = [], after = [] } = around[at] ?? {}
    const path = hit.path_in_archive
    return { ...hit, neighbours: { before: read(before, path), after: read(after, path) } }
  })
}

async function withWhy(
  hits: SearchHit[],
  { of: { db, tokens, workflowIds }, parts }: { of: HitsOf; parts: HitParts },
): Promise<SearchHit[]> {
  if (!parts.why || hits.length === 0) return hits
  const recordIds = [...new Set(hits.map(({ record_id: id }) => id))]
  const levels = await permissionLevels(db, { workflowIds, tokens }, recordIds)
  const byRecord = new Map(levels.map((each) => [each.recordId, whyOf(each)]))
  return hits.map((hit) => ({ ...hit, why: byRecord.get(hit.record_id) ?? null }))
}
