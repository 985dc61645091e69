import type { Control, Destination, StoredElement } from '../connectors/destination.ts'
import { AppError } from '../errors.ts'
import type { Finding } from '../index-comparison.ts'
import { hiddenDataSource } from '../ingest/data-source.ts'
import { needsApproval } from '../ingest/removal.ts'
import { verify } from '../ingest/verify.ts'
import type { Warning } from '../report.ts'
import type { Database } from '../store/database.ts'
import { addWarning } from '../store/jobs/jobs.ts'
import { withLease } from '../store/leases.ts'
import { currentEpoch, markOutdated, readControlFence, recordControlFence } from '../store/ledger/control.ts'
import { nextFence, raiseFence } from '../store/ledger/fences.ts'
import { allWriting, readWorkflow } from '../store/workflows/workflows.ts'
import type { Resources } from './resources.ts'
import { expectedIndex } from './verify/expected-index.ts'

/** How often a writing process renews the control document; a copy of the database from before that is noticed. */
const RENEW_MS = 60_000
/** Comparing 100,000 elements takes about 30 s. */
const COMPARE_MS = 600_000
const BATCH = 500

/** An index that a workflow is about to write. `jobId`: the job that reports a restored database. */
type ControlledIndex = {
  workflowId: string
  destination: Destination
  jobId?: string
  /** Set for a staged index, which is discarded instead of compared. */
  staged?: { ledgerId: string; discard(): Promise<void> }
}

type ControlContext = Pick<Resources, 'db' | 'log'>

/** When this process last looked, by workflow or staged ledger. */
const looked = new Map<string, { epoch: string; at: number }>()

/**
 * Call before writing. If the index is ahead of the ledger, the database was restored or failed over: compares both and
 * marks what differs before anything is written. Returns false if a staged index was discarded.
 */
export async function confirmControl(
  index: ControlledIndex,
  { db, log }: ControlContext,
  signal: AbortSignal,
): Promise<boolean> {
  const { workflowId, destination, jobId, staged } = index
  const { control } = destination
  if (!control) return true
  const name = staged?.ledgerId ?? workflowId
  const epoch = await currentEpoch(db)
  const last = looked.get(name)
  if (last?.epoch === epoch && performance.now() - last.at < RENEW_MS) return true
  const key = { workflowId, control, epoch }
  if (await isBehind(db, key, signal)) {
    if (staged) {
      log.warn({ workflow_id: workflowId, job_id: jobId }, 'the database is older than a staged index')
      await staged.discard()
      return false
    }
    const busy = 'another process compares the index with the restored database'
    await withLease(db, { name: `control:${workflowId}`, busy, waitMs: COMPARE_MS }, async () => {
      // Another process may have done it meanwhile.
      if (!(await isBehind(db, key, signal))) return
      const result = await compareAndMark(index, db, signal)
      log.warn({ workflow_id: workflowId, job_id: jobId, ...result }, 'the database is older than the index')
      if (jobId) await addWarning(db, jobId, behindWarning(result))
      await writeControl(db, key, signal)
    })
  } else await writeControl(db, key, signal)
  looked.set(name, { epoch, at: performance.now() })
  return true
}

/** Whether the index was written by a later state of the database than this one. */
export async function isIndexAhead(
  { workflowId, destination: { control } }: Pick<ControlledIndex, 'workflowId' | 'destination'>,
  db: Database,
  signal: AbortSignal,
): Promise<boolean> {
  return control !== undefined && isBehind(db, { workflowId, control, epoch: await currentEpoch(db) }, signal)
}

function behindWarning({ outdated, removed, hidden }: Comparison): Warning {
  const left =
    hidden > 0
      ? `; elements of ${hidden} documents are hidden, and a repair of the destination removes them`
      : ''
  return {
    code: 'ledger_behind_index',
    message: `the database is older than the index, because it was restored or failed over: ${outdated} documents are written again, and elements of ${removed} documents were removed${left}`,
    documents: outdated + removed + hidden,
  }
}

type ControlKey = { workflowId: string; control: Control; epoch: string }

/** Reads the index first: the ledger records a fence before the index gets it. */
async function isBehind(
  db: Database,
  { workflowId, control, epoch }: ControlKey,
  signal: AbortSignal,
): Promise<boolean> {
  const stored = await control.read(workflowId, signal)
  if (!stored) return false
  return stored.epoch !== epoch || stored.fence > (await readControlFence(db, workflowId))
}

async function writeControl(
  db: Database,
  { workflowId, control, epoch }: ControlKey,
  signal: AbortSignal,
): Promise<void> {
  const fence = await nextFence(db)
  await recordControlFence(db, workflowId, fence)
  // A higher fence is that of another process of this database.
  if (await control.write(workflowId, { epoch, fence }, signal)) return
  const stored = await control.read(workflowId, signal)
  if (!stored || stored.fence <= (await readControlFence(db, workflowId))) return
  throw new AppError(
    'destination_schema',
    `the control document of workflow ${workflowId} in the index has a fence of the future (${stored.fence})`,
    { fix: 'Delete it from the index: its record_id begins with millrace_control' },
  )
}

type Comparison = { outdated: number; removed: number; hidden: number }

/** As a repair does: marks documents that differ, and removes or hides elements that the ledger does not know. */
async function compareAndMark(
  { workflowId, destination }: ControlledIndex,
  db: Database,
  signal: AbortSignal,
): Promise<Comparison> {
  const workflow = await readWorkflow(db, workflowId)
  // Another destination, of another workspace too, may name the same index.
  const writers = workflow?.destination_id ? await allWriting(db, [workflow.destination_id]) : []
  const workflows =
    workflow && !writers.some(({ id }) => id === workflowId) ? [...writers, workflow] : writers
  const ids = workflows.map(({ id }) => id)
  const stored = await destination.control?.read(workflowId, signal)
  await raiseFence(db, stored?.fence ?? 0)

  for (let round = 1; ; round++) {
    // Before the ledger is read, so that later writes win.
    const fence = await nextFence(db)
    const outdated = new Set<string>()
    const extra = new Map<string, { elementIds: string[]; isKnown: boolean }>()
    const expected = await expectedIndex({ db, workflows, destination }, signal)
    const unmarked: string[] = []
    const mark = async () => markOutdated(db, ids, unmarked.splice(0))
    const onFinding = async ({ kind, recordId, elementIds }: Finding) => {
      const isKnown = kind !== 'extra' || (await expected.find([recordId])).has(recordId)
      if (kind === 'extra') {
        const others = extra.get(recordId)?.elementIds ?? []
        extra.set(recordId, { elementIds: [...others, ...elementIds], isKnown })
      }
      if (!isKnown || outdated.has(recordId)) return
      outdated.add(recordId)
      if (unmarked.push(recordId) === BATCH) await mark()
    }
    const highest = new HighestFence(destination)
    const { scopes } = await verify({ expected, destination: highest.destination, onFinding }, signal)
    await mark()
    if (highest.fence >= fence && round === 1) {
      await raiseFence(db, highest.fence)
      continue
    }
    const known = scopes.reduce((sum, { documents }) => sum + documents, 0)
    const unknown = [...extra.values()].filter(({ isKnown }) => !isKnown).length
    const hides = needsApproval(unknown, known + unknown)
    for (const [recordId, { elementIds, isKnown }] of extra) {
      signal.throwIfAborted()
      const elements = [{ recordId, elementIds }]
      if (hides && !isKnown) await hide(destination, { elements, fence }, signal)
      else await destination.remove(elements, fence, signal)
    }
    const [removed, hidden] = hides ? [extra.size - unknown, unknown] : [extra.size, 0]
    return { outdated: outdated.size, removed, hidden }
  }
}

/** Keeps the text: the next content job restores access to documents that the source still has. */
async function hide(
  destination: Destination,
  { elements, fence }: { elements: { recordId: string; elementIds: string[] }[]; fence: number },
  signal: AbortSignal,
): Promise<void> {
  const held = (await destination.inspect?.stored(elements, signal)) ?? []
  const now = new Date()
  const items = held.map(({ recordId, elementId, dataSource: { version, record_locator: locator } }) => ({
    recordId,
    elementIds: [elementId],
    dataSource: hiddenDataSource({ version: String(version), locator: { ...(locator as object) } }, now),
  }))
  const rejections = await destination.updateAccess(items, fence, signal)
  // Elements that left or that a later task wrote need not be hidden.
  const refused = rejections.find(({ kind }) => kind === 'refused')
  if (refused) throw refused.error
}

/** Follows the fences of all elements that a comparison reads. */
class HighestFence {
  readonly destination: Destination
  fence = 0

  constructor(destination: Destination) {
    const { inspect } = destination
    if (!inspect) {
      this.destination = destination
      return
    }
    const follow = (held: StoredElement[]) => {
      for (const { fence } of held) this.fence = Math.max(this.fence, fence ?? 0)
      return held
    }
    this.destination = {
      ...destination,
      inspect: { ...inspect, stored: async (...args) => follow(await inspect.stored(...args)) },
    }
  }
}
