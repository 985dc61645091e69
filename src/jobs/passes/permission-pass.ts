import { PERMISSIONS_ONLY, type Source } from '../../connectors/source.ts'
import type { Database } from '../../store/database.ts'
import { addWarning, type JobRow } from '../../store/jobs/jobs.ts'
import { AppliedListing } from './applied-listing.ts'
import { batchListing } from './listing-batches.ts'

/** `write` brings the index to the wanted permissions. */
type PassContext = {
  db: Database
  source: Source
  write(options: { waits: boolean }, signal: AbortSignal): Promise<number>
}

/** What a pass did, for the job. */
export type PassResult = { written: number; hidden: number; complete: boolean }

/**
 * Lists the source without reading bodies and writes changed permissions. Adds no document and moves no version.
 * Documents that it does not show are hidden; the next content job removes them.
 */
export async function runPermissionPass(
  job: JobRow,
  { db, source, write }: PassContext,
  signal: AbortSignal,
): Promise<PassResult> {
  const listing = new AppliedListing(job)
  let complete = false
  let written = 0
  let hidden = 0
  for await (const event of batchListing(source.list(signal, PERMISSIONS_ONLY))) {
    signal.throwIfAborted()
    if (event.kind === 'warning') await addWarning(db, job.id, event.warning)
    else if (event.kind === 'complete') complete = true
    else {
      const applied = await db.transaction().execute(async (transaction) => {
        await listing.lock(transaction)
        return listing.apply(transaction, event, () => 'permissions')
      })
      hidden += applied.hidden
      if (applied.changes > 0) written += await write({ waits: false }, signal)
    }
  }
  hidden += await db.transaction().execute((transaction) => listing.end(transaction, complete))
  written += await write({ waits: true }, signal)
  return { written, hidden, complete }
}
