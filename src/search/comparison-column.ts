import type { RankedElement, Search } from '../connectors/search.ts'
import type { Database } from '../store/database.ts'
import { documentLevels } from '../store/ledger/document-levels.ts'
import type { WorkflowRow } from '../store/workflows/workflows.ts'
import { foundIdOf } from './archive-file.ts'
import { type CheckedRanking, type RankedUnit, rankChecked } from './checked-ranking.ts'
import type { SeenHits } from './cursor.ts'
import { checkRules, ledgerCheck } from './ledger-check.ts'
import type { IndexReader } from './memberships.ts'
import type { LabDocument } from './shapes/lab.ts'
import { FOUND_STATUS, HIDDEN_STATUS, stoppedStatus } from './stopped-by.ts'

/** One person with what search finds as them. */
export type Column = { reader: IndexReader; found: CheckedRanking; foundIds: ReadonlySet<string> }

/** The index that people are compared in, and the workflows that write it. */
export type ComparedIndex = { db: Database; search: Search; workflows: WorkflowRow[] }

type Ranking = Omit<Parameters<typeof rankChecked>[0]['request'], 'tokens'>

export async function rankColumn(
  reader: IndexReader,
  of: ComparedIndex & { ranking: Ranking; depth: number; seen: SeenHits },
  signal: AbortSignal,
): Promise<Column> {
  const { db, search, workflows, ranking, depth, seen } = of
  const found = await rankChecked(
    {
      request: { ...ranking, tokens: reader.tokens },
      from: 0,
      size: depth,
      groupBy: 'document',
      isSeen: (id) => seen.has(id),
      seen: seen.size,
    },
    { search, check: ledgerCheck(db, workflows, reader) },
    signal,
  )
  return { reader, found, foundIds: new Set(found.shown.map(foundIdOf)) }
}

/** The documents that the ledgers and the index let a reader find, by one element each. */
export async function readable(
  documents: ReadonlyMap<string, RankedElement>,
  { db, search, workflows, reader }: ComparedIndex & { reader: IndexReader },
  signal: AbortSignal,
): Promise<Set<string>> {
  const recordIds = new Set(documents.values().map(({ record_id: id }) => id))
  const verdicts = await ledgerCheck(db, workflows, reader)([...recordIds])
  const admitted = [...documents].filter(([, { record_id: id }]) => verdicts.get(id) === 'shown')
  const keys = admitted.map(([, { key }]) => key)
  if (keys.length === 0) return new Set()
  const read = await search.elements({ keys, tokens: reader.tokens }, signal)
  return new Set(admitted.flatMap(([id, { key }]) => (read.has(key) ? [id] : [])))
}

/** By the ledgers for what the ranking did not reach: no status depends on the length of a page. */
export async function statusesOf(
  { reader, foundIds }: Column,
  { db, search, workflows, page }: ComparedIndex & { page: MergedUnit[] },
  signal: AbortSignal,
): Promise<Map<string, LabDocument['people'][number]>> {
  const units = page.map(({ unit }) => unit)
  const missing = units.filter(({ id }) => !foundIds.has(id))
  const missingIds = [...new Set(missing.map(({ record_id: id }) => id))]
  const verdicts = await ledgerCheck(db, workflows, reader)(missingIds)
  const admitted = missing.filter(({ record_id: id }) => verdicts.get(id) === 'shown')
  const keys = admitted.flatMap(({ elements }) => elements[0]?.key ?? [])
  const readable =
    keys.length > 0 ? await search.elements({ keys, tokens: reader.tokens }, signal) : new Map()
  const stopped = missingIds.filter((id) => verdicts.get(id) !== 'shown')
  const workflowIds = workflows.map(({ id }) => id)
  const levels = Map.groupBy(await documentLevels(db, workflowIds, stopped), ({ recordId }) => recordId)
  const check = { ...checkRules(workflows, reader), now: new Date() }
  return new Map(
    units.map(({ id, record_id: recordId, elements }) => {
      if (foundIds.has(id) || readable.has(elements[0]?.key ?? '')) return [id, FOUND_STATUS]
      if (verdicts.get(recordId) === 'shown') return [id, HIDDEN_STATUS]
      return [id, stoppedStatus(levels.get(recordId) ?? [], check)]
    }),
  )
}

export type MergedUnit = { unit: RankedUnit; score: number; reader: IndexReader }

export function freshDocuments(columns: Column[]): Map<string, MergedUnit> {
  const best = new Map<string, MergedUnit>()
  for (const { reader, found } of columns)
    for (const unit of found.fresh) {
      const score = unit.elements[0]?.score ?? 0
      const known = best.get(unit.id)
      if (!known || known.score < score) best.set(unit.id, { unit, score, reader })
    }
  return best
}

/** Documents of several people count once, as far as they are known. */
export function totalOf(columns: Column[]): number {
  const known = new Set(columns.flatMap(({ foundIds }) => [...foundIds]))
  const beyond = columns.map(({ found, foundIds }) => found.total - foundIds.size)
  return known.size + beyond.reduce((sum, each) => sum + each, 0)
}
