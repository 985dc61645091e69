import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { writePermissions } from '../../ingest/write-permissions.ts'
import { stageDurations } from '../../process-metrics.ts'
import type { Database } from '../../store/database.ts'
import { releaseDocuments, takeDocuments } from '../../store/ledger/documents.ts'
import { nextFence } from '../../store/ledger/fences.ts'
import { writtenLedgers } from '../../store/ledger/ledgers.ts'
import {
  clearMarks,
  finishSet,
  hasUnwrittenPermissions,
  markDocuments,
  type ScanTarget,
  scanTargets,
  unwrittenPermissions,
} from '../../store/ledger/unwritten-permissions.ts'
import { databaseLedger } from '../database-ledger.ts'
import type { WrittenIndex } from '../job-run.ts'

/** `waits`: whether to wait for documents that a task is writing, or that a listing has not shown yet. */
type UnwrittenWrite = { workflowId: string; indexes: WrittenIndex[]; waits: boolean }

/** Tasks settle within seconds; the regular sweep comes back to documents of a dead one. */
const WAIT_MS = 60_000
const PAUSE_MS = 500
const MAX_ATTEMPTS = 3

/** Brings all indexes of a workflow to the wanted permissions. Returns the number of documents written. */
export async function writeUnwrittenPermissions(
  db: Database,
  { workflowId, indexes, waits }: UnwrittenWrite,
  signal: AbortSignal,
): Promise<number> {
  let total = 0
  const attempts = new Attempts()
  const until = Date.now() + WAIT_MS
  while (indexes.length > 0 && (await hasUnwrittenPermissions(db, workflowId))) {
    let written = 0
    let open = 0
    for (const target of await scanTargets(db, workflowId, { aside: waits })) {
      const scanned = await writeTarget(db, { workflowId, indexes, target, attempts }, signal)
      written += scanned.written
      open += scanned.open
    }
    total += written
    if (written > 0) continue
    if (open === 0 || !waits || Date.now() > until) break
    await sleep(PAUSE_MS, undefined, { signal })
  }
  return total
}

/** A document that still differs after a few writes must not keep the writer busy. */
class Attempts {
  readonly #counts = new Map<string, number>()

  mayRepeat(recordId: string): boolean {
    const count = (this.#counts.get(recordId) ?? 0) + 1
    this.#counts.set(recordId, count)
    return count <= MAX_ATTEMPTS
  }
}

type TargetWrite = { workflowId: string; indexes: WrittenIndex[]; target: ScanTarget; attempts: Attempts }

async function writeTarget(
  db: Database,
  { workflowId, indexes, target, attempts }: TargetWrite,
  signal: AbortSignal,
): Promise<{ written: number; open: number }> {
  let written = 0
  let open = 0
  for (let after: string | null = ''; after !== null; ) {
    signal.throwIfAborted()
    let next: string | null = null
    const unwritten = new Set<string>()
    const scanned = new Set<string>()
    for (const { ledger: key, destination } of indexes) {
      const page = await unwrittenPermissions(db, key, { target, after })
      const fence = await nextFence(db)
      const read = page.unwritten.map(({ entry: { recordId, fence: at } }) => ({ recordId, fence: at }))
      const taken = await takeDocuments(db, { ...key, fence }, read)
      const changes = page.unwritten.filter(({ entry }) => taken.has(entry.recordId))
      const ledger = databaseLedger(db, { ...key, fence, isTaken: true }, { hides: false })
      const startedAt = performance.now()
      const isWritten = await writePermissions(changes, { ledger, destination }, signal).then(
        () => true,
        // A content task took some of them over; it reads the wanted permissions itself.
        async (error: unknown) => {
          if (error instanceof AppError && error.code === 'taken_over') return false
          await releaseDocuments(db, { ...key, fence }, [...taken])
          throw error
        },
      )
      if (changes.length > 0)
        stageDurations.observe({ stage: 'permissions' }, (performance.now() - startedAt) / 1000)
      if (isWritten) written += changes.filter(({ entry }) => attempts.mayRepeat(entry.recordId)).length
      const missed = isWritten ? read.filter(({ recordId }) => !taken.has(recordId)) : read
      for (const recordId of [...page.open, ...missed.map((each) => each.recordId)]) unwritten.add(recordId)
      for (const recordId of page.scanned) scanned.add(recordId)
      // Documents may have left the set meanwhile: the shorter page counts.
      if (page.last !== null && (next === null || page.last < next)) next = page.last
    }
    if (target.kind === 'set') await markDocuments(db, workflowId, [...unwritten])
    await clearMarks(db, workflowId, [...scanned])
    open += unwritten.size
    after = next
  }
  if (target.kind === 'set' && (await coversAll(db, { workflowId, indexes }))) await finishSet(db, target)
  return { written, open }
}

/** A swap that began meanwhile has an index that this scan did not see. */
async function coversAll(
  db: Database,
  { workflowId, indexes }: Pick<TargetWrite, 'workflowId' | 'indexes'>,
): Promise<boolean> {
  const scanned = new Set(indexes.map(({ ledger }) => ledger.ledgerId))
  return (await writtenLedgers(db, workflowId)).every(({ id }) => scanned.has(id))
}
