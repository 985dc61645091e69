import { closeOnFailure } from '../connectors/with-open.ts'
import { AppError } from '../errors.ts'
import { runHash } from '../ingest/run-hash.ts'
import { parseNodes, plan } from '../pipeline/nodes.ts'
import type { Database } from '../store/database.ts'
import { type JobRow, pinIndex, pinSettings } from '../store/jobs/jobs.ts'
import type { Connections } from './connections.ts'
import { type JobRun, searchedIndex } from './job-run.ts'
import { runnersFor } from './model-meter.ts'
import type { Resources } from './resources.ts'
import { confirmControl } from './restore-detection.ts'
import { chooseTargetIndex } from './swap/choose-index.ts'
import { endSwap, RESTORED } from './swap/end-swap.ts'

export interface JobRuns {
  /** Runs the work with open connectors and a prepared index. */
  with<T>(job: JobRow, work: (run: JobRun) => Promise<T>, signal: AbortSignal): Promise<T>
  close(): Promise<void>
}

// If no task of a job ran for a minute, the job has ended or is paused.
const IDLE_MS = 60_000

export function openRuns(resources: Resources, connections: Connections): JobRuns {
  type Open = { run: Promise<JobRun>; users: number; timer?: NodeJS.Timeout }
  const open = new Map<string, Open>()

  async function closeRun(jobId: string, entry: Open): Promise<void> {
    if (entry.users > 0) return
    if (open.get(jobId) === entry) open.delete(jobId)
    clearTimeout(entry.timer)
    const run = await entry.run.catch(() => null)
    await run?.source.close()
    await run?.destination.close()
    await run?.swap?.searched.destination.close()
  }

  return {
    async with(job, work, signal) {
      let entry = open.get(job.id)
      if (!entry) {
        entry = { run: openRun(job, { resources, connections }, signal), users: 0 }
        open.set(job.id, entry)
        const opening = entry
        opening.run.catch(() => open.get(job.id) === opening && open.delete(job.id))
      }
      const opened = entry
      clearTimeout(opened.timer)
      opened.users++
      try {
        const run = await opened.run
        await confirmRun(job, { resources, run }, signal)
        return await work(run)
      } catch (error) {
        // The next task opens the connectors again, since their credentials may have failed.
        if (error instanceof AppError && error.endsJob && open.get(job.id) === opened) open.delete(job.id)
        throw error
      } finally {
        opened.users--
        if (opened.users === 0) {
          opened.timer = setTimeout(() => void closeRun(job.id, opened), IDLE_MS)
          opened.timer.unref()
        }
      }
    },

    async close() {
      await Promise.all([...open].map(([jobId, entry]) => closeRun(jobId, entry)))
    },
  }
}

/** Another release, or changed connectors or models, would mix two kinds of elements. */
export async function requirePinned(db: Database, jobId: string, settingsHash: string): Promise<void> {
  if ((await pinSettings(db, jobId, settingsHash)) === settingsHash) return
  throw new AppError(
    'settings_changed',
    'this worker would write other elements than the job began with: the release, the source or a model changed',
    { fix: 'Run the workflow again once all workers have the same release and settings' },
  )
}

/** A task may follow a failover, so each one confirms. */
async function confirmRun(
  { id: jobId, workflow_id: workflowId }: JobRow,
  { resources, run }: { resources: Resources; run: JobRun },
  signal: AbortSignal,
): Promise<void> {
  const { destination, swap } = run
  const { destination: searched } = searchedIndex(run)
  await confirmControl({ workflowId, destination: searched, jobId }, resources, signal)
  if (!swap) return
  const discard = () => endSwap(resources.db, swap.row, { why: RESTORED, open: async () => searched })
  const staged = { ledgerId: swap.row.ledger_id, discard }
  if (await confirmControl({ workflowId, destination, jobId, staged }, resources, signal)) return
  throw new AppError('destination_index_missing', `the new index was discarded, because ${RESTORED}`)
}

async function openRun(
  job: JobRow,
  { resources, connections }: { resources: Resources; connections: Connections },
  signal: AbortSignal,
): Promise<JobRun> {
  const { source_id: sourceId, destination_id: destinationId } = job.settings
  if (sourceId === null || destinationId === null)
    throw new AppError('internal', 'a job of uploads has no connectors')
  const nodes = parseNodes(job.settings.nodes, { configured: resources.runners.configured })
  const runner = await runnersFor(resources, job.workspace_id).create(plan(nodes))
  return closeOnFailure(await connections.openSource(sourceId), async (source) =>
    closeOnFailure(await connections.openDestination(destinationId), async (destination) => {
      const dims = runner.embedder?.dims ?? null
      const versions = { rendition: source.rendition, vectors: runner.embedder?.identity }
      const hashFor = (identity: string) => runHash(nodes, identity, versions)
      const context = { resources, connections, destination, dims, hashFor, destinationId }
      const target = await chooseTargetIndex(job, context, signal)
      const { identity } = target
      if ((await pinIndex(resources.db, job.id, identity)) !== identity) {
        throw new AppError('destination_index_missing', 'the index was replaced while the job ran', {
          fix: 'Run the workflow again to fill the new index',
        })
      }
      const settingsHash = hashFor(identity)
      await requirePinned(resources.db, job.id, settingsHash)
      return { source, ...target, settingsHash, runner }
    }),
  )
}
