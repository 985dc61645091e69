import type { RankedElement, Search, SearchRequest } from '../connectors/search.ts'
import { foundIdOf } from './archive-file.ts'
import type { Verdict } from './hit-check.ts'

/** One hit: an element, or a document (or file of an archive) with its elements, best first. */
export type RankedUnit = { id: string; record_id: string; elements: RankedElement[] }

export type CheckedRanking = {
  total: number
  /** `lte`: an upper bound, because not all matches were checked. */
  total_relation: 'eq' | 'lte'
  /** There may be more hits than the rounds reached. */
  incomplete: boolean
  /** Documents of checked matches that no ledger knows. */
  unknown_document: number
  page: RankedUnit[]
  /** All checked hits that no earlier page had. */
  fresh: RankedUnit[]
  /** Hits before the page and on it. */
  passed: string[]
  hasNext: boolean
  /** All checked elements that the person may read. */
  shown: RankedElement[]
  isWhole: boolean
}

export type RankingRequest = {
  request: Omit<SearchRequest, 'depth'>
  from: number
  size: number
  groupBy: 'element' | 'document'
  /** Whether an earlier page had this hit. */
  isSeen(id: string): boolean
  seen: number
}

export type Checked = { search: Search; check(recordIds: string[]): Promise<Map<string, Verdict>> }

/** Five rounds at most; search engines refuse deeper pages than the last. */
const DEPTHS = [500, 1000, 2500, 5000, 10_000]
/** Facets count what was checked, so they start deeper. */
const FACET_DEPTH = 1000

/**
 * Ranks and leaves out what the ledgers do not admit. Every round reads from the first match, deeper each time:
 * `from` counts only hits that are shown, and an index that changes between rounds causes no gaps or repeats.
 */
export async function rankChecked(
  { request, from, size, groupBy, isSeen, seen }: RankingRequest,
  { search, check }: Checked,
  signal: AbortSignal,
): Promise<CheckedRanking> {
  const needed = from + size
  const verdicts = new Map<string, Verdict>()
  const depths = depthsFrom(Math.max(needed + seen, request.facets ? FACET_DEPTH : 0))
  for (const [round, depth] of depths.entries()) {
    const { total, ranked } = await search.rank({ ...request, depth }, signal)
    const ids = new Set(ranked.map(({ record_id: id }) => id))
    for (const [id, verdict] of await check([...ids].filter((id) => !verdicts.has(id))))
      verdicts.set(id, verdict)
    const shown = ranked.filter(({ record_id: id }) => verdicts.get(id) === 'shown')
    const isWhole = ranked.length >= total || ranked.length === 0
    const units = unitsOf(shown, groupBy)
    const fresh = units.filter(({ id }) => !isSeen(id))
    if (fresh.length < needed && !isWhole && round < depths.length - 1) continue
    return {
      total: units.length + (isWhole ? 0 : total - ranked.length),
      total_relation: isWhole ? 'eq' : 'lte',
      incomplete: !isWhole && fresh.length < needed,
      unknown_document: [...verdicts.values()].filter((verdict) => verdict === 'unknown').length,
      page: fresh.slice(from, needed),
      fresh,
      passed: fresh.slice(0, needed).map(({ id }) => id),
      hasNext: fresh.length > needed || (!isWhole && fresh.length === needed),
      shown,
      isWhole,
    }
  }
  throw new Error('unreachable: the last round returns')
}

function depthsFrom(least: number): number[] {
  const first = DEPTHS.findIndex((depth) => depth >= least)
  return DEPTHS.slice(first < 0 ? -1 : first)
}

function unitsOf(shown: RankedElement[], groupBy: RankingRequest['groupBy']): RankedUnit[] {
  if (groupBy === 'element')
    return shown.map((element) => ({ id: element.key, record_id: element.record_id, elements: [element] }))
  const byDocument = Map.groupBy(shown, foundIdOf)
  return [...byDocument].map(([id, elements]) => ({ id, record_id: elements[0]?.record_id ?? '', elements }))
}
