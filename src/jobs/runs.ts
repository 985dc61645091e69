import type { Destination, Source } from '../connectors/connector.ts'
import { AppError } from '../errors.ts'
import { runHash } from '../ingest/run-hash.ts'
import { parseNodes, plan } from '../pipeline/nodes.ts'
import type { Runner } from '../pipeline/runner.ts'
import { type JobRow, pinIndex } from '../store/jobs/jobs.ts'
import type { LedgerOf } from '../store/ledger/documents.ts'
import type { Connections } from './connections.ts'
import type { Resources } from './resources.ts'
import { chooseTargetIndex, type Staged } from './swap/choose-index.ts'

/** What the tasks of one job share inside one process: open connectors, kept alive between slices. */
export type JobRun = {
  source: Source
  destination: Destination
  /** Of what is in the index it writes. */
  ledger: LedgerOf
  /** Set where that is a new one, which people do not search yet. */
  swap: Staged | null
  /** Covers the nodes, how the source renders, and the index itself: one made anew holds nothing yet. */
  settingsHash: string
  bench: Runner
}

export interface JobRuns {
  /** Runs the work with the job's connectors open and the index prepared, doing so where they are not. */
  with<T>(job: JobRow, work: (run: JobRun) => Promise<T>, signal: AbortSignal): Promise<T>
  close(): Promise<void>
}

// Slices follow each other closely; a minute without one means that the job is over or paused.
const IDLE_MS = 60_000

export function openRuns(resources: Resources, connections: Connections): JobRuns {
  type Open = { run: Promise<JobRun>; users: number; timer?: NodeJS.Timeout }
  const open = new Map<string, Open>()

  async function closeRun(jobId: string): Promise<void> {
    const entry = open.get(jobId)
    if (!entry || entry.users > 0) return
    open.delete(jobId)
    clearTimeout(entry.timer)
    const run = await entry.run.catch(() => null)
    await run?.source.close()
    await run?.destination.close()
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
      clearTimeout(entry.timer)
      entry.users++
      try {
        return await work(await entry.run)
      } catch (error) {
        // Connectors whose credentials failed are opened afresh next time.
        if (error instanceof AppError && error.endsJob && open.get(job.id) === entry) open.delete(job.id)
        throw error
      } finally {
        entry.users--
        if (entry.users === 0) {
          entry.timer = setTimeout(() => void closeRun(job.id), IDLE_MS)
          entry.timer.unref()
        }
      }
    },

    async close() {
      await Promise.all([...open.keys()].map(closeRun))
    },
  }
}

async function openRun(
  job: JobRow,
  { resources, connections }: { resources: Resources; connections: Connections },
  signal: AbortSignal,
): Promise<JobRun> {
  const { settings } = job
  if (settings.source_id === null || settings.destination_id === null)
    throw new AppError('internal', 'a run of files has no connectors')
  const nodes = parseNodes(settings.nodes, { configured: resources.workshop.configured })
  const bench = await resources.workshop.bench(plan(nodes))
  const source = await connections.openSource(settings.source_id)
  try {
    const destination = await connections.openDestination(settings.destination_id)
    try {
      const dims = bench.embedder?.dims ?? null
      const made = { rendition: source.rendition, vectors: bench.embedder?.identity }
      const hashFor = (identity: string) => runHash(nodes, identity, made)
      const choosing = {
        ...{ resources, connections, destination, dims, hashFor },
        destinationId: settings.destination_id,
      }
      const { identity, ...place } = await chooseTargetIndex(job, choosing, signal)
      if ((await pinIndex(resources.db, job.id, identity)) !== identity) {
        throw new AppError(
          'destination_index_missing',
          'the index the job began with was replaced by another',
          {
            fix: 'Run the workflow again: it fills the new one',
          },
        )
      }
      return {
        source,
        ...place,
        settingsHash: hashFor(identity),
        bench,
      }
    } catch (error) {
      await destination.close()
      throw error
    }
  } catch (error) {
    await source.close()
    throw error
  }
}
