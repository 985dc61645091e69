import type { DocumentWarning, Element } from '../document.ts'
import { AppError, explain } from '../errors.ts'
import { detectFiletype } from '../filetype/filetype.ts'
import { refOfFile } from '../ingest/one-file.ts'
import { stepByStep } from '../ingest/step-by-step.ts'
import { parseNodes, plan } from '../pipeline/nodes.ts'
import type { Runner } from '../pipeline/runner.ts'
import type { Database } from '../store/database.ts'
import { type Finished, finishDocuments, recordSeen, takeSlice } from '../store/jobs/job-documents.ts'
import { insertJob, isActive, type JobRow, markListed, type NewJob, readJob } from '../store/jobs/jobs.ts'
import {
  insertUploads,
  type NodeOutput,
  readUpload,
  type Upload,
  writeOutputs,
} from '../store/jobs/uploads.ts'
import { nextFence } from '../store/ledger/fences.ts'
import { cancelled } from './job-outcome.ts'
import type { Resources } from './resources.ts'

const ONLY_SLICE = 0

/** A run of files that were sent with it: it has neither source nor destination. */
export function isOfUploads({ settings }: JobRow): boolean {
  return settings.source_id === null
}

/** All of it or nothing: the job, its files, and each of them as a document that waits. */
export async function insertUploadedJob(
  db: Database,
  job: NewJob,
  uploads: Upload[],
): Promise<{ inserted: JobRow } | { active: string }> {
  return db.transaction().execute(async (transaction) => {
    const outcome = await insertJob(transaction, job)
    if ('active' in outcome) return outcome
    await insertUploads(transaction, job.id, uploads)
    const seen = uploads.map(({ id, filename }) => {
      return { ref: { ...refOfFile(filename), recordId: id }, kind: 'new' as const, slice: ONLY_SLICE }
    })
    await recordSeen(transaction, { jobId: job.id, asOf: new Date() }, seen)
    await markListed(transaction, job.id, true)
    return { inserted: (await readJob(transaction, job.id)) ?? outcome.inserted }
  })
}

/** Works the files of a run that are not done yet, one after the other: whatever dies, the next try goes on there. */
export async function workUploads(job: JobRow, resources: Resources, signal: AbortSignal): Promise<void> {
  const { db, log } = resources
  const fence = await nextFence(db)
  for (const { ref } of await takeSlice(db, { jobId: job.id, slice: ONLY_SLICE }, fence)) {
    if (!(await isActive(db, job.id))) throw cancelled(job.id)
    const upload = await readUpload(db, job.id, ref.recordId)
    if (!upload) throw cancelled(job.id)
    const outcome = await workUpload(upload, job, { resources, signal }).catch((error): Finished => {
      signal.throwIfAborted()
      if (!(error instanceof AppError))
        log.error({ job_id: job.id, err: error }, 'a file could not be worked')
      const isSkipped = error instanceof AppError && error.skips !== undefined
      return { recordId: upload.id, state: isSkipped ? 'skipped' : 'failed', error: explain(error) }
    })
    await finishDocuments(db, { jobId: job.id, fence }, [outcome])
  }
}

async function workUpload(
  { id, filename, content }: Upload,
  job: JobRow,
  { resources, signal }: { resources: Resources; signal: AbortSignal },
): Promise<Finished> {
  const { workshop } = resources
  const nodes = parseNodes(job.settings.nodes, { configured: workshop.configured })
  const bench = await workshop.bench(plan(nodes))
  const filetype = await detectFiletype(content, filename, true)
  const document = { ref: refOfFile(filename), version: '', filetype, body: content }
  const outputs: NodeOutput[] = []
  let said: DocumentWarning[] = []
  for await (const { node, worked } of stepByStep({ nodes, bench }, document, signal)) {
    const { elements, warnings } = worked
    outputs.push({
      nodeId: node.id,
      elements: node.type === 'embed' ? await embedded(elements, bench, signal) : elements,
    })
    said = warnings
  }
  await writeOutputs(resources.db, { jobId: job.id, fileId: id }, outputs)
  const elements = outputs.at(-1)?.elements.length ?? 0
  return { recordId: id, state: 'new', elements, ...(said.length > 0 ? { warnings: said } : {}) }
}

async function embedded(elements: Element[], { embedder }: Runner, signal: AbortSignal): Promise<Element[]> {
  if (!embedder) return elements
  const texts = elements.map(({ text }) => text).filter((text) => text.trim() !== '')
  const vectors = (await embedder.embed(texts, signal)).values()
  return elements.map((element) =>
    element.text.trim() === '' ? element : { ...element, embeddings: Array.from(vectors.next().value ?? []) },
  )
}
