import type { ListingPage } from '../connectors/connector.ts'
import { compare } from '../ingest/compare.ts'
import { failedRecords, recordSeen, type Seen, unfinishedSlices } from '../store/job-documents.ts'
import { addWarning, closeScope, type JobRow, markListed, nextSlice } from '../store/jobs.ts'
import type { Engine } from './engine.ts'
import type { Resources } from './resources.ts'
import type { Run } from './runs.ts'

/** The grain of work: large enough to batch requests, small enough to be done again. */
const SLICE = 50

type Setting = { resources: Resources; engine: Engine; run: Run }

/**
 * Lists the source, records what was seen, and hands out slices while the listing goes on. It can die anywhere
 * and be done again: scopes that were closed are left out, what was seen keeps its slice, and slices that were
 * filled and not yet sent are sent.
 */
export async function list(
  job: JobRow,
  { resources, engine, run }: Setting,
  signal: AbortSignal,
): Promise<void> {
  const { db } = resources
  for (const slice of await unfinishedSlices(db, job.id)) await engine.send('slice', { jobId: job.id, slice })

  const { retry_of: retried } = job.settings
  const only = retried ? await failedRecords(db, retried) : null
  const filling = new Filling(job.id, { resources, engine, run })
  let complete = false
  for await (const page of run.source.list(new Set(Object.keys(job.closed_scopes)), signal)) {
    signal.throwIfAborted()
    if (page.kind === 'complete') complete = true
    else await take(job, only ? narrowed(page, only) : page, { resources, run, filling })
  }
  await filling.send()
  // A run of some documents alone has not seen the others, and so proves nothing about what left.
  await markListed(db, job.id, complete && !only)
}

type Part = Exclude<ListingPage, { kind: 'complete' }>

/** Rights may have changed since those documents failed, so they are listed again like any others. */
function narrowed(page: Part, only: ReadonlySet<string>): Part {
  return page.kind === 'refs' ? { ...page, refs: page.refs.filter((ref) => only.has(ref.recordId)) } : page
}

async function take(
  job: JobRow,
  page: Part,
  { resources: { db }, run, filling }: { resources: Resources; run: Run; filling: Filling },
): Promise<void> {
  switch (page.kind) {
    case 'warning':
      return addWarning(db, job.id, page.warning)
    case 'end':
      return closeScope(db, job.id, { name: page.scope, upTo: page.upTo ?? null })
    case 'refs': {
      const known = await run.ledger.find(page.refs.map((ref) => ref.recordId))
      const settings = { settingsHash: run.settingsHash, reprocessAll: job.settings.reprocess_all }
      await filling.add(
        page.refs.map((ref) => ({ ref, kind: compare(ref, known.get(ref.recordId), settings) })),
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

  async add(documents: Omit<Seen, 'slice'>[]): Promise<void> {
    const { db } = this.#setting.resources
    await recordSeen(
      db,
      this.#jobId,
      documents.filter(({ kind }) => kind === 'unchanged').map((document) => ({ ...document, slice: null })),
    )
    let work = documents.filter(({ kind }) => kind !== 'unchanged')
    while (work.length > 0) {
      this.#slice ??= await nextSlice(db, this.#jobId)
      const slice = this.#slice
      const taken = work.slice(0, SLICE - this.#count)
      work = work.slice(taken.length)
      await recordSeen(
        db,
        this.#jobId,
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
