import type { DocumentWarning } from '../../document.ts'
import { stagesOfNodes } from '../../document-stage.ts'
import { AppError, explain } from '../../errors.ts'
import { detectFiletype } from '../../filetype/filetype.ts'
import { refForFile } from '../../ingest/one-file.ts'
import { runNodeByNode } from '../../ingest/step-by-step.ts'
import { embedInBatches } from '../../pipeline/embed/embed-elements.ts'
import { parseNodes, plan } from '../../pipeline/nodes.ts'
import { claimDocuments, type FinishedDocument, finishDocuments } from '../../store/jobs/job-documents.ts'
import { isActive, type JobRow, markStarted } from '../../store/jobs/jobs.ts'
import {
  type NodeOutput,
  packElements,
  pruneUploads,
  readUpload,
  type Upload,
  writeOutputs,
} from '../../store/jobs/uploads.ts'
import type { Handler } from '../engine.ts'
import { cancelled, completeJob, failJob } from '../job-outcome.ts'
import { runnersFor } from '../model-meter.ts'
import type { Resources } from '../resources.ts'
import { noRoomForResults } from '../upload-quotas.ts'
import { readActiveJob, runJobTask, type TaskContext } from './job-task.ts'

export function uploadsTask({ resources }: TaskContext): Handler<'files'> {
  const { db } = resources
  return async ({ jobId }, attempt) => {
    const job = await readActiveJob(db, jobId)
    if (!job) return
    await markStarted(db, jobId)
    await runJobTask(db, job, {
      attempt,
      work: async (signal) => {
        await processUploads(job, { resources, task: attempt.id }, signal)
        if (await completeJob(db, job)) await pruneUploads(db)
      },
      fail: (error) => failJob(resources, jobId, error),
      mayBeSuperseded: true,
    })
  }
}

/** More than an upload may have. */
const MAX_UPLOADS = 100_000

/** A retry continues with the first unfinished file. */
async function processUploads(
  job: JobRow,
  { resources, task }: { resources: Resources; task: string },
  signal: AbortSignal,
): Promise<void> {
  const { db, log } = resources
  const { fence, documents } = await claimDocuments(db, { jobId: job.id, task, limit: MAX_UPLOADS })
  const stages = stagesOfNodes(job.settings.nodes)
  for (const { ref } of documents) {
    if (!(await isActive(db, job.id))) throw cancelled(job.id)
    const upload = await readUpload(db, job.id, ref.recordId)
    if (!upload) throw cancelled(job.id)
    let done = 0
    const onNode = () => {
      done++
    }
    const outcome = await processUpload(upload, job, { resources, onNode, signal }).catch(
      (error): FinishedDocument => {
        signal.throwIfAborted()
        if (!(error instanceof AppError))
          log.error({ job_id: job.id, err: error }, 'processing an uploaded file failed')
        const isSkipped = error instanceof AppError && error.skips !== undefined
        const stage = stages[done] ?? 'write'
        return { recordId: upload.id, state: isSkipped ? 'skipped' : 'failed', stage, error: explain(error) }
      },
    )
    await finishDocuments(db, { jobId: job.id, fence }, [outcome])
  }
}

async function processUpload(
  { id, filename, content }: Upload,
  job: JobRow,
  { resources, onNode, signal }: { resources: Resources; onNode: () => void; signal: AbortSignal },
): Promise<FinishedDocument> {
  if (content.length === 0)
    throw new AppError('document_unsupported', `reading ${filename}: the file is empty`)
  const runners = runnersFor(resources, job.workspace_id)
  const nodes = parseNodes(job.settings.nodes, { configured: runners.configured })
  const runner = await runners.create(plan(nodes))
  const filetype = await detectFiletype(content, filename, true)
  const document = { ref: refForFile(filename), version: '', filetype, body: content }
  const outputs: NodeOutput[] = []
  let warnings: DocumentWarning[] = []
  let count = 0
  for await (const { node, result } of runNodeByNode({ nodes, runner }, document, signal)) {
    const { elements } = result
    const { embedder } = runner
    const isEmbedded = node.type === 'embed' && embedder
    const parts = isEmbedded ? embedInBatches(elements, embedder, signal) : [elements]
    outputs.push({ nodeId: node.id, packed: await packElements(parts) })
    onNode()
    count = elements.length
    warnings = result.warnings
  }
  const { db, uploadQuotas } = resources
  const target = { job, fileId: id, maxBytes: uploadQuotas.outputBytes }
  if ((await writeOutputs(db, target, outputs)) === 'quota_reached')
    throw noRoomForResults(filename, uploadQuotas)
  return { recordId: id, state: 'new', elements: count, ...(warnings.length > 0 ? { warnings } : {}) }
}
