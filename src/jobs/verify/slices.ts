import { inspectOf } from '../../connectors/capabilities.ts'
import type { Destination, ElementReader, InventoryPage, StoredRecord } from '../../connectors/destination.ts'
import { type ComparedDocument, subtractTotals } from '../../index-comparison.ts'
import {
  compareEntries,
  compareListed,
  extraElements,
  type KnownElements,
} from '../../ingest/compare-index.ts'
import { siteOfRecord } from '../../record-id.ts'
import type { Database } from '../../store/database.ts'
import {
  findLedgerEntries,
  type LedgerPosition,
  ledgerPage,
  ledgerScopes,
} from '../../store/ledger/ledger-view.ts'
import { workflowsOfReplacedIndex } from '../../store/ledger/ledgers.ts'
import {
  comparedScopes,
  type DocumentFindings,
  findExtraDocuments,
} from '../../store/verifications/findings.ts'
import type { VerificationRow, VerificationSlice } from '../../store/verifications/verifications.ts'

/** The ledgers and the index that a task compares. */
export type Comparison = {
  db: Database
  workflowIds: string[]
  destination: Destination
  /** Of the index now; undefined if the destination has no identity. */
  identity: string | undefined
  /** Set for slices of the index. */
  known?: KnownElements
}

/** Compares the next entries of the ledgers with the index. */
export async function ledgerSlice(
  { cursor }: VerificationRow,
  { db, workflowIds, destination }: Comparison,
  signal: AbortSignal,
): Promise<VerificationSlice> {
  const after: LedgerPosition | null = cursor === null ? null : JSON.parse(cursor)
  const page = await ledgerPage(db, workflowIds, after)
  if (!page) return { phase: 'index', cursor: null }
  const compared = await compareEntries(page.entries, inspectOf(destination), signal)
  const ledger = page.end.workflowId
  return {
    phase: 'ledger',
    cursor: JSON.stringify(page.end),
    documents: compared.length,
    scopes: compared,
    differences: compared.filter(({ findings }) => findings.length > 0).map((each) => ({ ...each, ledger })),
  }
}

/** Looks for elements that no ledger names on the next page of the inventory. */
export async function indexSlice(
  { job_id: jobId, cursor }: VerificationRow,
  comparison: Comparison,
  signal: AbortSignal,
): Promise<VerificationSlice> {
  const { db, destination } = comparison
  const inspect = inspectOf(destination)
  const known = comparison.known ?? (await knownElements(jobId, comparison))
  const extra: ComparedDocument[] = []
  let [listed, foreign] = [0, 0]
  const add = async (elements: StoredRecord[]) => {
    signal.throwIfAborted()
    const page = await compareListed(elements, { known, inspect }, signal)
    listed += elements.length
    foreign += page.foreign
    extra.push(...page.extra)
  }
  const next = await readInventory(inspect, { cursor, add }, signal)
  const merged = mergeExtra(
    extra,
    await findExtraDocuments(
      db,
      jobId,
      extra.map(({ recordId }) => recordId),
    ),
  )
  const place = next === null ? { phase: 'confirm' as const } : { phase: 'index' as const }
  return { ...place, cursor: next, listed, foreign, ...merged }
}

/** One page, or all of an inventory without pages. */
async function readInventory(
  inspect: ElementReader,
  { cursor, add }: { cursor: string | null; add: (elements: StoredRecord[]) => Promise<void> },
  signal: AbortSignal,
): Promise<string | null> {
  if (!inspect.inventoryPage) {
    for await (const elements of inspect.inventory(signal)) await add(elements)
    return null
  }
  const page: InventoryPage = await inspect.inventoryPage(cursor, signal)
  await add(page.listed)
  return page.next
}

/** A document's elements are on several pages, and an element may be listed twice. */
function mergeExtra(
  found: ComparedDocument[],
  earlier: Map<string, DocumentFindings>,
): Pick<VerificationSlice, 'scopes' | 'differences'> {
  const merged = new Map<string, { before: DocumentFindings | undefined; now: ComparedDocument }>()
  for (const document of found) {
    const before = earlier.get(document.recordId)
    const [finding] = document.findings
    const others = merged.get(document.recordId)?.now.findings ?? before?.findings ?? []
    if (!finding) continue
    const elementIds = [...new Set([...others, finding].flatMap((each) => each.elementIds))]
    const scopeKey = before?.scopeKey ?? document.scopeKey
    merged.set(document.recordId, { before, now: extraElements({ ...finding, scopeKey, elementIds }) })
  }
  return {
    scopes: [...merged.values()].map(({ before, now }) => ({
      ...now,
      totals: before ? subtractTotals(now.totals, before.totals) : now.totals,
    })),
    differences: [...merged.values()].map(({ now }) => ({ ...now, ledger: '' })),
  }
}

/** Counts as ours what belongs to a scope of the ledgers, or to a site of a replaced index that is used again. */
export async function knownElements(
  jobId: string,
  { db, workflowIds, identity }: Comparison,
): Promise<KnownElements> {
  const scopes = new Set((await comparedScopes(db, jobId)).map((each) => `${each.site}\n${each.scope_key}`))
  const replaced = identity ? await workflowsOfReplacedIndex(db, workflowIds, identity) : []
  const replacedSites = new Set((await ledgerScopes(db, replaced)).map(({ site }) => site))
  return {
    find: (recordIds) => findLedgerEntries(db, workflowIds, recordIds),
    // Another writer of this site, such as the command line, has other scopes.
    isOurs: ({ recordId, scopeKey }) => {
      const site = siteOfRecord(recordId)
      return recordId !== '' && (replacedSites.has(site) || scopes.has(`${site}\n${scopeKey}`))
    },
  }
}
