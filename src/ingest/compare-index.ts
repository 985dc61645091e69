import { createHash } from 'node:crypto'
import type { ElementReader, StoredElement, StoredRecord } from '../connectors/destination.ts'
import { type ComparedDocument, type Finding, NO_TOTALS } from '../index-comparison.ts'
import type { Entry, FencedEntry } from '../ledger-entry.ts'
import { writtenStateHash } from './data-source.ts'

/** The part of the ledgers that decides about listed elements. */
export interface KnownElements {
  find(recordIds: string[]): Promise<Map<string, FencedEntry>>
  /** Whether this ledger covers the site and scope of an element. */
  isOurs(listed: StoredRecord): boolean
}

/** Compares entries with their elements in the index. */
export async function compareEntries(
  entries: FencedEntry[],
  inspect: ElementReader,
  signal: AbortSignal,
): Promise<ComparedDocument[]> {
  const held = Map.groupBy(await inspect.stored(entries, signal), ({ recordId }) => recordId)
  return entries.map((entry) => compareEntry(entry, held.get(entry.recordId) ?? []))
}

/** Finds listed elements that no ledger names. */
export async function compareListed(
  listed: StoredRecord[],
  { known, inspect }: { known: KnownElements; inspect: ElementReader },
  signal: AbortSignal,
): Promise<{ extra: ComparedDocument[]; foreign: number }> {
  const ours = listed.filter((each) => known.isOurs(each))
  const entries = await known.find([...new Set(ours.map(({ recordId }) => recordId))])
  const unnamed = ours.filter(
    ({ recordId, elementId }) => !entries.get(recordId)?.elementIds.includes(elementId),
  )
  const extra = await confirmExtra(unnamed, { known, inspect }, signal)
  return { extra, foreign: listed.length - ours.length }
}

/** Reads the index by id and the ledger after it: a run records its elements before it writes them. */
export async function confirmExtra(
  listed: StoredRecord[],
  { known, inspect }: { known: Pick<KnownElements, 'find'>; inspect: ElementReader },
  signal: AbortSignal,
): Promise<ComparedDocument[]> {
  if (listed.length === 0) return []
  const byRecord = Map.groupBy(listed, ({ recordId }) => recordId)
  const requested = [...byRecord].map(([recordId, each]) => ({
    recordId,
    elementIds: [...new Set(each.map(({ elementId }) => elementId))],
  }))
  const held = Map.groupBy(await inspect.stored(requested, signal), ({ recordId }) => recordId)
  const entries = await known.find([...held.keys()])
  return [...held].flatMap(([recordId, elements]) => {
    const entry = entries.get(recordId)
    const named = new Set(entry?.elementIds)
    const elementIds = elements.map(({ elementId }) => elementId).filter((id) => !named.has(id))
    if (elementIds.length === 0) return []
    const scopeKey = entry ? scopeKeyOf(entry) : (byRecord.get(recordId)?.[0]?.scopeKey ?? '')
    const why = entry ? 'the document has no such elements' : 'the ledger has no such document'
    return [extraElements({ kind: 'extra', recordId, scopeKey, elementIds, why })]
  })
}

export function extraElements(finding: Finding): ComparedDocument {
  const { recordId, scopeKey, elementIds } = finding
  const indexSum = elementIds.reduce((sum, id) => sum + hash64([recordId, id]), 0n)
  const count = elementIds.length
  return {
    recordId,
    scopeKey,
    totals: { ...NO_TOTALS, elements: count, extra: count, indexSum },
    findings: [finding],
  }
}

/** For a document that a task is writing now. */
export function assumeEqual(entry: FencedEntry): ComparedDocument {
  const { elementIds, recordId } = entry
  const sum = ledgerSum(entry)
  const documents = elementIds.length > 0 ? 1 : 0
  const totals = {
    ...NO_TOTALS,
    documents,
    elements: elementIds.length,
    ledgerSum: sum,
    indexSum: sum,
  }
  return { recordId, scopeKey: scopeKeyOf(entry), totals, findings: [] }
}

function compareEntry(entry: FencedEntry, held: StoredElement[]): ComparedDocument {
  const { recordId } = entry
  const findings = [...findingsOf(entry, held)]
  const indexSum = held.reduce((sum, { elementId, dataSource }) => {
    const state = writtenStateHash(dataSource)
    return sum + hash64([recordId, elementId, String(dataSource.version), state])
  }, 0n)
  const count = (wanted: Finding['kind']) =>
    findings.reduce((sum, { kind, elementIds }) => (kind === wanted ? sum + elementIds.length : sum), 0)
  return {
    recordId,
    scopeKey: scopeKeyOf(entry),
    totals: {
      documents: entry.elementIds.length > 0 ? 1 : 0,
      elements: held.length,
      missing: count('missing'),
      different: count('different'),
      extra: 0,
      ledgerSum: ledgerSum(entry),
      indexSum,
    },
    findings,
  }
}

function* findingsOf(entry: FencedEntry, held: StoredElement[]): Iterable<Finding> {
  const { recordId } = entry
  const common = { recordId, scopeKey: scopeKeyOf(entry) }
  if (!entry.settled) {
    const why = 'the run that wrote them did not finish; the next run writes them again'
    yield { ...common, kind: 'different', elementIds: entry.elementIds, why }
    return
  }
  const heldIds = new Set(held.map(({ elementId }) => elementId))
  const missing = entry.elementIds.filter((id) => !heldIds.has(id))
  if (missing.length > 0)
    yield { ...common, kind: 'missing', elementIds: missing, why: 'they are not in the index' }
  for (const [why, elements] of Map.groupBy(held, (element) => difference(entry, element))) {
    if (why === null) continue
    yield { ...common, kind: 'different', elementIds: elements.map(({ elementId }) => elementId), why }
  }
}

/** Every other writer leaves another fence. */
function difference(entry: FencedEntry, { fence, dataSource }: StoredElement): string | null {
  if (dataSource.version !== entry.version) return 'they have another version'
  if (writtenStateHash(dataSource) !== entry.stateHash) return 'their permissions or other metadata differ'
  if (fence !== null && fence !== entry.fence) return 'another program has written them since'
  return null
}

function scopeKeyOf({ locator, scope }: Entry): string {
  return locator.space_key ?? scope
}

function ledgerSum({ recordId, elementIds, version, stateHash }: FencedEntry): bigint {
  return elementIds.reduce((sum, id) => sum + hash64([recordId, id, version, stateHash]), 0n)
}

function hash64(parts: string[]): bigint {
  return createHash('sha256').update(parts.join('\n')).digest().readBigUInt64BE()
}
