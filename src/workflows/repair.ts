import type { Destination } from '../connectors/connector.ts'
import { AppError } from '../errors.ts'
import { type Expected, type Finding, type Verdict, verify } from '../ingest/verify.ts'
import type { Engine } from '../jobs/engine.ts'
import type { Database } from '../store/database.ts'
import { nextFence } from '../store/fences.ts'
import { activeJobOf, type JobRow } from '../store/jobs.ts'
import {
  findKnown,
  knownDocuments,
  knownPlaces,
  unsettleDocuments,
  unsettledRecords,
} from '../store/ledger-view.ts'
import type { WorkflowRow } from '../store/workflows.ts'
import { startJob } from './start.ts'

export type Repaired = { verdict: Verdict; removed: number; jobs: JobRow[] }

/** What the ledgers of these workflows say of the index they write. */
export async function expectedOf(db: Database, workflows: WorkflowRow[]): Promise<Expected> {
  const ids = workflows.map(({ id }) => id)
  const { wikis, spaces } = await knownPlaces(db, ids)
  return {
    entries: () => knownDocuments(db, ids),
    find: (recordIds) => findKnown(db, ids, recordIds),
    // Whatever else writes this wiki into this index, such as a command line, has spaces of its own.
    isOurs: ({ recordId, space }) => wikis.has(recordId.replace(/\/[^/]*$/, '')) && spaces.has(space),
  }
}

/** An index that is being written is neither as it was nor as it will be. */
export async function refuseWhileRunning(db: Database, workflows: WorkflowRow[]): Promise<void> {
  for (const { id, name } of workflows) {
    const active = await activeJobOf(db, id)
    if (!active) continue
    throw new AppError('job_active', `the workflow "${name}" is writing this index as job ${active}`, {
      fix: 'Wait for it or cancel it',
    })
  }
}

/**
 * Mends what differs and nothing else: what is beside the documents goes, and documents that are not as they were
 * written are worked again by a job for each workflow that has any.
 */
export async function repair(
  {
    workflows,
    destination,
    startedBy,
  }: { workflows: WorkflowRow[]; destination: Destination; startedBy: string },
  { db, engine }: { db: Database; engine: Engine },
  signal: AbortSignal,
): Promise<Repaired> {
  const ids = workflows.map(({ id }) => id)
  let removed = 0
  const found = async ({ kind, recordId, elementIds }: Finding) => {
    if (kind !== 'extra') return unsettleDocuments(db, ids, [recordId])
    await destination.remove([{ recordId, elementIds }], await nextFence(db), signal)
    removed += elementIds.length
  }
  const verdict = await verify({ expected: await expectedOf(db, workflows), destination, found }, signal)
  const jobs: JobRow[] = []
  for (const workflow of workflows) {
    if ((await unsettledRecords(db, workflow.id)).size === 0) continue
    jobs.push(await startJob(workflow, { jobType: 'persistent', startedBy, repair: true }, { db, engine }))
  }
  return { verdict, removed, jobs }
}
