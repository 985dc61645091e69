import { inspectOf } from '../connectors/capabilities.ts'
import type { Destination } from '../connectors/destination.ts'
import {
  addTotals,
  type ComparedDocument,
  type Finding,
  NO_TOTALS,
  type ScopeTotals,
  type ScopeView,
  toView,
} from '../index-comparison.ts'
import type { FencedEntry } from '../ledger-entry.ts'
import { compareEntries, compareListed, type KnownElements } from './compare-index.ts'

/** What an index should hold according to the ledgers. */
export interface ExpectedElements extends KnownElements {
  /** All entries with their fences, a few hundred at a time. */
  entries(): AsyncIterable<FencedEntry[]>
}

type VerifyResult = {
  scopes: ScopeView[]
  /** Elements of documents that no ledger covers. */
  foreign: number
}

/** Called for each finding, because a list of all could fill the memory. */
type OnFinding = (finding: Finding) => Promise<void> | void

/** Compares ledger and index both ways: elements that are missing or changed, and extra ones. Reads only. */
export async function verify(
  {
    expected,
    destination,
    onFinding,
  }: { expected: ExpectedElements; destination: Destination; onFinding: OnFinding },
  signal: AbortSignal,
): Promise<VerifyResult> {
  const inspect = inspectOf(destination)
  const scopes = new Map<string, ScopeTotals>()
  const add = async (documents: ComparedDocument[]) => {
    for (const { scopeKey, totals, findings } of documents) {
      scopes.set(scopeKey, addTotals(scopes.get(scopeKey) ?? NO_TOTALS, totals))
      for (const finding of findings) await onFinding(finding)
    }
  }
  for await (const entries of expected.entries()) {
    signal.throwIfAborted()
    await add(await compareEntries(entries, inspect, signal))
  }
  let foreign = 0
  for await (const listed of inspect.inventory(signal)) {
    signal.throwIfAborted()
    const page = await compareListed(listed, { known: expected, inspect }, signal)
    foreign += page.foreign
    await add(page.extra)
  }
  const views = [...scopes].map(([scopeKey, totals]) => toView(scopeKey, totals))
  return { scopes: views.sort((a, b) => (a.scopeKey < b.scopeKey ? -1 : 1)), foreign }
}
