import type { ListingPage } from '../connectors/connector.ts'
import { compare, staysOut } from '../ingest/compare.ts'
import { SLICE } from '../ingest/relist-limits.ts'
import type { Database } from '../store/database.ts'
import {
  deferredRecords,
  dropDeferred,
  failedRecords,
  needsWork,
  recordSeen,
  type Seen,
  unfinishedSlices,
} from '../store/jobs/job-documents.ts'
import { addWarning, closeScope, type JobRow, markListed, nextSlice, openScopes } from '../store/jobs/jobs.ts'
import { findDocuments } from '../store/ledger/documents.ts'
import { unsettledRecords } from '../store/ledger/ledger-view.ts'
import type { TaskQueue } from './engine.ts'
import type { Resources } from './resources.ts'
import type { JobRun } from './runs.ts'

type Setting = { resources: Resources; engine: TaskQueue; run: JobRun }

/**
 * Lists the source, records what was seen, and hands out slices while the listing goes on. It can die anywhere and
 * be done again from its beginning: what was seen before keeps its slice and gets its fresher ref.
 *
 * A listing may be narrowed to some documents: those that failed in an earlier run, those to be repaired, or those of
 * this run that changed after they were listed. They are listed like any others, since their rights may have changed with them.
 */
export async function list(
  job: JobRow,
  { resources, engine, run }: Setting,
  signal: AbortSignal,
): Promise<void> {
  const { db } = resources
  const isAgain = job.looks > 0
  const only = isAgain ? await deferredRecords(db, job.id) : await meant(db, job)
  if (!isAgain) await openScopes(db, job.id)

  const filling = new Filling(job.id, { resources, engine, run })
  let complete = false
  try {
    for await (const page of run.source.list(signal)) {
      signal.throwIfAborted()
      if (page.kind === 'complete') complete = true
      else if (!isAgain || page.kind === 'refs') {
        await take(job, only ? narrowed(page, only) : page, { resources, run, filling })
      }
    }
  } finally {
    // Whatever was found by now is worth working, also where the rest could not be listed.
    await filling.send()
    for (const slice of await unfinishedSlices(db, job.id))
      await engine.send('slice', { jobId: job.id, slice })
  }
  if (isAgain) await dropDeferred(db, job.id, complete)
  // A run of some documents alone has not seen the others, and so proves nothing about what left.
  await markListed(db, job.id, isAgain ? job.complete : complete && !only)
}

/** The documents a run is for; null where it is for all of them. */
async function meant(
  db: Database,
  { settings, workflow_id: workflowId }: JobRow,
): Promise<Set<string> | null> {
  if (settings.retry_of) return failedRecords(db, settings.retry_of)
  return settings.repair ? unsettledRecords(db, workflowId) : null
}

/** Whether a run lists only some documents, and so proves nothing about the others. */
export function isNarrowed({ settings }: JobRow): boolean {
  return settings.retry_of !== undefined || settings.repair === true
}

type Part = Exclude<ListingPage, { kind: 'complete' }>

/** Rights may have changed since those documents failed, so they are listed again like any others. */
function narrowed(page: Part, only: ReadonlySet<string>): Part {
  return page.kind === 'refs' ? { ...page, refs: page.refs.filter((ref) => only.has(ref.recordId)) } : page
}

async function take(
  job: JobRow,
  page: Part,
  { resources: { db }, run, filling }: { resources: Resources; run: JobRun; filling: Filling },
): Promise<void> {
  switch (page.kind) {
    case 'warning':
      return addWarning(db, job.id, page.warning)
    case 'end':
      return closeScope(db, job.id, { name: page.scope, upTo: page.upTo ?? null })
    case 'refs': {
      const recordIds = page.refs.map((ref) => ref.recordId)
      const known = await findDocuments(db, run.ledger, recordIds)
      // In a new index everything is new; to people only what they could not find before.
      const before = run.swap ? await findDocuments(db, { workflowId: job.workflow_id }, recordIds) : known
      const settings = { settingsHash: run.settingsHash, reprocessAll: job.settings.reprocess_all }
      const refs = page.refs.filter((ref) => !staysOut(ref, known.get(ref.recordId)))
      await filling.add(
        refs.map((ref) => {
          const entry = known.get(ref.recordId)
          const compared = compare(ref, entry, settings)
          const kind = compared === 'new' && before.get(ref.recordId)?.version ? 'changed' : compared
          return { ref, kind, ...(kind === 'skipped' && entry?.skipped ? { skipped: entry.skipped } : {}) }
        }),
        page.asOf,
      )
    }
  }
}

/** Fills slices one after the other and sends each when it is full. */
class Filling {
  readonly #jobId: string
  readonly #setting: Setting
  #slice: number | null = null
  #count = 0

  constructor(jobId: string, setting: Setting) {
    this.#jobId = jobId
    this.#setting = setting
  }

  async add(documents: Omit<Seen, 'slice'>[], asOf: Date): Promise<void> {
    const { db } = this.#setting.resources
    const listed = { jobId: this.#jobId, asOf }
    await recordSeen(
      db,
      listed,
      documents.filter(({ kind }) => !needsWork(kind)).map((document) => ({ ...document, slice: null })),
    )
    let work = documents.filter(({ kind }) => needsWork(kind))
    while (work.length > 0) {
      this.#slice ??= await nextSlice(db, this.#jobId)
      const slice = this.#slice
      const taken = work.slice(0, SLICE - this.#count)
      work = work.slice(taken.length)
      await recordSeen(
        db,
        listed,
        taken.map((document) => ({ ...document, slice })),
      )
      this.#count += taken.length
      if (this.#count === SLICE) await this.send()
    }
  }

  async send(): Promise<void> {
    if (this.#slice === null) return
    await this.#setting.engine.send('slice', { jobId: this.#jobId, slice: this.#slice })
    this.#slice = null
    this.#count = 0
  }
}
