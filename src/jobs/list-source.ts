import type { ListingPage } from '../connectors/connector.ts'
import { compare, staysOut } from '../ingest/compare.ts'
import { SLICE } from '../ingest/relist-limits.ts'
import type { Database } from '../store/database.ts'
import {
  deferredRecords,
  dropDeferred,
  failedRecords,
  type ListedDocument,
  needsWork,
  recordSeen,
  unfinishedSlices,
} from '../store/jobs/job-documents.ts'
import { addWarning, closeScope, type JobRow, markListed, nextSlice, openScopes } from '../store/jobs/jobs.ts'
import { findDocuments } from '../store/ledger/documents.ts'
import { unsettledRecords } from '../store/ledger/ledger-view.ts'
import type { TaskQueue } from './engine.ts'
import type { JobRun } from './job-run.ts'
import type { Resources } from './resources.ts'

type ListContext = { resources: Resources; engine: TaskQueue; run: JobRun }

/** Lists the source, records its documents and sends slices. A retry keeps slices and updates refs. */
export async function listSource(
  job: JobRow,
  { resources, engine, run }: ListContext,
  signal: AbortSignal,
): Promise<void> {
  const { db } = resources
  const isRelisting = job.looks > 0
  const only = isRelisting ? await deferredRecords(db, job.id) : await selectedRecords(db, job)
  if (!isRelisting) await openScopes(db, job.id)

  const sender = new SliceSender(job.id, { resources, engine, run })
  let complete = false
  try {
    for await (const page of run.source.list(signal)) {
      signal.throwIfAborted()
      if (page.kind === 'complete') complete = true
      else if (!isRelisting || page.kind === 'refs') {
        await record(job, only ? onlySelected(page, only) : page, { resources, run, sender })
      }
    }
  } finally {
    // Documents found so far are processed even if the listing failed.
    await sender.send()
    for (const slice of await unfinishedSlices(db, job.id))
      await engine.send('slice', { jobId: job.id, slice })
  }
  if (isRelisting) await dropDeferred(db, job.id, complete)
  // A partial listing does not show which documents left the source.
  await markListed(db, job.id, isRelisting ? job.complete : complete && !only)
}

/** The documents of a partial run; null if the run covers all. */
async function selectedRecords(
  db: Database,
  { settings, workflow_id: workflowId }: JobRow,
): Promise<Set<string> | null> {
  if (settings.retry_of) return failedRecords(db, settings.retry_of)
  return settings.repair ? unsettledRecords(db, workflowId) : null
}

type Part = Exclude<ListingPage, { kind: 'complete' }>

function onlySelected(page: Part, only: ReadonlySet<string>): Part {
  return page.kind === 'refs' ? { ...page, refs: page.refs.filter((ref) => only.has(ref.recordId)) } : page
}

async function record(
  job: JobRow,
  page: Part,
  { resources: { db }, run, sender }: { resources: Resources; run: JobRun; sender: SliceSender },
): Promise<void> {
  switch (page.kind) {
    case 'warning':
      return addWarning(db, job.id, page.warning)
    case 'end':
      return closeScope(db, job.id, { name: page.scope, upTo: page.upTo ?? null })
    case 'refs': {
      const recordIds = page.refs.map((ref) => ref.recordId)
      const known = await findDocuments(db, run.ledger, recordIds)
      // A staged index is empty; documents of the searched index still count as changed.
      const before = run.swap ? await findDocuments(db, { workflowId: job.workflow_id }, recordIds) : known
      const settings = { settingsHash: run.settingsHash, reprocessAll: job.settings.reprocess_all }
      const refs = page.refs.filter((ref) => !staysOut(ref, known.get(ref.recordId)))
      await sender.add(
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

/** Fills one slice at a time and sends it when it is full. */
class SliceSender {
  readonly #jobId: string
  readonly #context: ListContext
  #slice: number | null = null
  #count = 0

  constructor(jobId: string, context: ListContext) {
    this.#jobId = jobId
    this.#context = context
  }

  async add(documents: Omit<ListedDocument, 'slice'>[], asOf: Date): Promise<void> {
    const { db } = this.#context.resources
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
    await this.#context.engine.send('slice', { jobId: this.#jobId, slice: this.#slice })
    this.#slice = null
    this.#count = 0
  }
}
