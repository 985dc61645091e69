import { AppError } from '../errors.ts'
import { runHash } from '../ingest/run-hash.ts'
import { parseNodes, plan } from '../pipeline/nodes.ts'
import { type JobRow, pinIndex } from '../store/jobs/jobs.ts'
import type { Connections } from './connections.ts'
import type { JobRun } from './job-run.ts'
import type { Resources } from './resources.ts'
import { chooseTargetIndex } from './swap/choose-index.ts'

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
        // The next task opens the connectors again, since their credentials may have failed.
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
    throw new AppError('internal', 'a job of uploads has no connectors')
  const nodes = parseNodes(settings.nodes, { configured: resources.runners.configured })
  const runner = await resources.runners.create(plan(nodes))
  const source = await connections.openSource(settings.source_id)
  try {
    const destination = await connections.openDestination(settings.destination_id)
    try {
      const dims = runner.embedder?.dims ?? null
      const versions = { rendition: source.rendition, vectors: runner.embedder?.identity }
      const hashFor = (identity: string) => runHash(nodes, identity, versions)
      const context = {
        ...{ resources, connections, destination, dims, hashFor },
        destinationId: settings.destination_id,
      }
      const { identity, ...target } = await chooseTargetIndex(job, context, signal)
      if ((await pinIndex(resources.db, job.id, identity)) !== identity) {
        throw new AppError('destination_index_missing', 'the index was replaced while the job ran', {
          fix: 'Run the workflow again to fill the new index',
        })
      }
      return {
        source,
        ...target,
        settingsHash: hashFor(identity),
        runner,
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
