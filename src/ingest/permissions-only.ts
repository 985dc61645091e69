import { PERMISSIONS_ONLY } from '../connectors/source.ts'
import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import type { Warning } from '../report.ts'
import { hideInsteadOfRemoving, hideUnlisted, planRemoval } from './removal.ts'
import { isDestinationError, revokeAccess } from './revoke-access.ts'
import { Tally } from './tally.ts'
import type { RunResult, WholeRunOptions } from './whole-run.ts'
import { writePermissions } from './write-permissions.ts'

type PermissionRun = Pick<WholeRunOptions, 'source' | 'destination' | 'ledger' | 'watch'>

/**
 * Lists the source without reading bodies and updates the permissions of documents in the index. Adds no document.
 * Documents that are gone are hidden; the next whole run removes them.
 */
export async function runPermissionsOnly(
  { source, destination, ledger, watch }: PermissionRun,
  signal: AbortSignal,
): Promise<RunResult> {
  const tally = new Tally()
  const { counts } = tally
  const warnings: Warning[] = []
  const warn = (warning: Warning) => {
    warnings.push(warning)
    watch.warning(warning)
  }
  const listed = new Set<string>()
  const closed = new Map<string, string | null>()
  let complete = false
  const result = (failure: AppError | null): RunResult => {
    return { counts, warnings, skips: [], heldBack: 0, complete, failure }
  }
  const unlisted = () => ledger.entriesExcept(listed)
  const hide = (entries: Entry[]) => revokeAccess(entries, { ledger: ledger.forTask(), destination }, signal)

  try {
    for await (const page of source.list(signal, PERMISSIONS_ONLY)) {
      signal.throwIfAborted()
      if (page.kind === 'complete') complete = true
      else if (page.kind === 'warning') warn(page.warning)
      else if (page.kind === 'end') closed.set(page.scope, page.upTo ?? null)
      else {
        const entries = await ledger.find(page.refs.map(({ recordId }) => recordId))
        const known = page.refs.filter(({ recordId }) => isIndexed(entries.get(recordId)))
        const changed = await update(known, { entries, destination, ledger }, signal)
        for (const { recordId } of known) listed.add(recordId)
        counts.discovered += known.length
        counts.unchanged += known.length - changed
        counts.changed += changed
        counts.permissions_only += changed
        watch.progress(counts, false)
      }
    }
    const planning = { source, indexedCount: ledger.count(), approved: true, approval: '', signal }
    const plan = hideInsteadOfRemoving(await planRemoval(unlisted(), { closed, complete }, planning))
    for await (const entries of unlisted())
      await hide(entries.filter(({ recordId }) => plan.toHide.has(recordId)))
    for (const warning of plan.warnings) warn(warning)
    watch.progress(counts, true)
    return result(null)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (!(error instanceof AppError)) throw error
    if (!isDestinationError(error)) await hideUnlisted(unlisted(), { closed, complete }, hide)
    return result(error)
  }
}

function isIndexed(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.elementIds.length > 0
}

type UpdateContext = Pick<PermissionRun, 'destination' | 'ledger'> & { entries: Map<string, Entry> }

/** Returns the number of documents with other permissions than before. */
async function update(
  refs: DocumentRef[],
  { entries, destination, ledger }: UpdateContext,
  signal: AbortSignal,
): Promise<number> {
  const changes = refs.flatMap((ref) => {
    const entry = entries.get(ref.recordId)
    return entry ? [{ entry, ref }] : []
  })
  const task = ledger.forTask()
  await writePermissions(changes, { ledger: task, destination }, signal)
  const after = await task.find(refs.map(({ recordId }) => recordId))
  return refs.filter(({ recordId }) => entries.get(recordId)?.stateHash !== after.get(recordId)?.stateHash)
    .length
}
