import type { Control } from '../connectors/destination.ts'
import { AppError } from '../errors.ts'
import type { Database } from '../store/database.ts'
import type { JobRow } from '../store/jobs/jobs.ts'
import { withLease } from '../store/leases.ts'
import { currentEpoch } from '../store/ledger/control.ts'
import { nextFence } from '../store/ledger/fences.ts'
import { readSearchedLedger } from '../store/ledger/ledgers.ts'
import { readAnyWorkflow } from '../store/workflows/workflows.ts'
import type { JobRun } from './job-run.ts'

/**
 * Before a listing: one workflow copies a site into an index, because two would remove each other's documents. A
 * control record of the site names it, so that an alias, another host, workspace or installation makes no difference.
 */
export async function claimSite(
  job: JobRow,
  { db, run }: { db: Database; run: Pick<JobRun, 'source' | 'destination' | 'identity' | 'swap'> },
  signal: AbortSignal,
): Promise<void> {
  const { swap } = run
  const searched = swap ? [{ destination: swap.searched.destination, identity: swap.row.old_uuid }] : []
  for (const { destination, identity } of [...searched, run]) {
    const { control } = destination
    if (!control) continue
    const { name: site } = await run.source.site(signal)
    await claim({ job, site, identity, control }, db, signal)
  }
}

type SiteClaim = { job: JobRow; site: string; identity: string; control: Control }

async function claim(
  { job, site, identity, control }: SiteClaim,
  db: Database,
  signal: AbortSignal,
): Promise<void> {
  const key = `site/${site}`
  if ((await control.read(key, signal))?.epoch === job.workflow_id) return
  const busy = 'another workflow is about to copy the same site'
  await withLease(db, { name: key, busy }, async () => {
    const stored = await control.read(key, signal)
    const holder =
      stored && (await describeHolder(stored.epoch, { claim: { job, site, identity, control }, db }, signal))
    if (holder) throw taken(holder, site)
    const fence = Math.max(stored?.fence ?? 0, await nextFence(db))
    await control.write(key, { epoch: job.workflow_id, fence }, signal)
  })
}

function taken({ what, fix }: Holder, site: string): AppError {
  return new AppError('index_taken', `${what} already copies ${site} into this index`, { fix })
}

type Holder = { what: string; fix: string }

/** Another installation renews the control record of a workflow with every pass and job. */
const ABANDONED_MS = 30 * 24 * 3_600_000

/** Null if the workflow no longer writes this index. */
async function describeHolder(
  id: string,
  { claim: { job, identity, control }, db }: { claim: SiteClaim; db: Database },
  signal: AbortSignal,
): Promise<Holder | null> {
  if (id === job.workflow_id || !UUID.test(id)) return null
  const other = await readAnyWorkflow(db, id)
  if (other) {
    const ledger = await readSearchedLedger(db, id)
    if (other.deleted_at !== null || ledger?.index_uuid !== identity) return null
    const isOwn = other.workspace_id === job.workspace_id
    return {
      what: isOwn ? `the workflow "${other.name}"` : 'a workflow of another workspace',
      fix: isOwn ? 'Use another index, or delete that workflow' : 'Use another index',
    }
  }
  const record = await control.read(id, signal)
  // A row of this database that is gone was deleted with its workspace, or long after its elements.
  if (!record || record.epoch === (await currentEpoch(db))) return null
  if (Date.now() - record.fence > ABANDONED_MS) return null
  return {
    what: 'another Millrace installation',
    fix: `Use another index. If that installation no longer exists, delete the document with the record_id millrace_control/${id} from the index`,
  }
}

/** Anyone who can write the index can write the record. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
