import type { Destination, Source } from '../connectors/connector.ts'
import type { Entry } from '../ledger-entry.ts'
import type { Warning } from '../report.ts'
import { hide } from './hiding.ts'
import { isInIndex, type Listing, leaving, needsApproval } from './removal.ts'
import type { RunLedger } from './run-ledger.ts'

export type Removing = {
  source: Source
  destination: Destination
  ledger: RunLedger
  listing: Listing
  seen: ReadonlySet<string>
  approved: boolean
  /** Whether documents that were missed may be listed once more; else they are hidden. */
  mayLook: boolean
  /** Told as they go: where the index breaks in between, those before it are gone all the same. */
  onRemoved(documents: number): void
}

/** `missed` are to be listed again before anything is decided: nothing was removed then. */
export type Removed = { heldBack: number; missed: string[]; warnings: Warning[] }

/** Takes out what left the wiki, by the rules of `removal.ts`; the first look only counts. */
export async function removeGone(removing: Removing, signal: AbortSignal): Promise<Removed> {
  const { source, destination, ledger, listing, seen, approved, mayLook, onRemoved } = removing
  const gone = new Set<string>()
  const missed: Entry[] = []
  let leavingIndex = 0
  let byLimit = 0
  for await (const others of ledger.others(seen)) {
    const left = await leaving(others, listing, { source, signal })
    for (const entry of left.entries) gone.add(entry.recordId)
    leavingIndex += left.entries.filter(isInIndex).length
    byLimit += left.byLimit
    missed.push(...left.missed.filter(isInIndex))
  }
  const nothing = { heldBack: 0, missed: [], warnings: [] }
  if (missed.length > 0 && mayLook) return { ...nothing, missed: missed.map((entry) => entry.recordId) }

  const warnings: Warning[] = []
  const task = ledger.forTask()
  if (missed.length > 0) {
    await hide(missed, { ledger: task, destination }, signal)
    warnings.push({
      code: 'documents_hidden',
      message: `${missed.length} documents are in the wiki but could not be listed; what the index has of them is hidden until they can`,
      documents: missed.length,
    })
  }
  if (!approved && needsApproval(leavingIndex, ledger.count())) {
    warnings.push({
      code: 'deletions_held_back',
      message: `${leavingIndex} documents are no longer in the wiki's listing, more than may leave at once unasked; --approve-deletions removes them`,
      documents: leavingIndex,
    })
    return { ...nothing, heldBack: leavingIndex, warnings }
  }
  if (byLimit > 0) {
    warnings.push({
      code: 'removed_by_limit',
      message: `${byLimit} documents lie beyond max_num_of_docs_from_each_space now and were removed from the index`,
      documents: byLimit,
    })
  }
  for await (const others of ledger.others(seen)) {
    const entries = others.filter((entry) => gone.has(entry.recordId))
    signal.throwIfAborted()
    await destination.remove(entries, task.fence, signal)
    await task.forget(entries.map((entry) => entry.recordId))
    onRemoved(entries.filter(isInIndex).length)
  }
  return { ...nothing, warnings }
}
