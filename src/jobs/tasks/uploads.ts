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

/** Then the next task takes over, so that other workspaces have their turn. */
const TASK_MS = 10_000

export function uploadsTask(context: TaskContext & { taskMs?: number }): Handler<'files'> {
  const { resources, engine, taskMs = TASK_MS } = context
  const { db } = resources
  return async ({ jobId, part = 0 }, attempt) => {
    const job = await readActiveJob(db, jobId)
    if (!job) return
    await markStarted(db, jobId)
    await runJobTask(db, job, {
      attempt,
      work: async (signal) => {
        const slice = { resources, task: attempt.id, endsAt: performance.now() + taskMs }
        if ((await processUploads(job, slice, signal)) === 'more')
          return engine.send('files', { jobId, part: part + 1 })
        if (await completeJob(db, job)) await pruneUploads(db)
      },
      fail: (error) => failJob(resources, jobId, error),
      mayBeSuperseded: true,
    })
  }
}

type UploadSlice = { resources: Resources; task: string; endsAt: number }

/** One file at a time, until none is left or the time is over. A retry continues with the first unfinished file. */
async function processUploads(
  job: JobRow,
  slice: UploadSlice,
  signal: AbortSignal,
): Promise<'done' | 'more'> {
  const { resources, task, endsAt } = slice
  const { db, log } = resources
  const stages = stagesOfNodes(job.settings.nodes)
  for (;;) {
    if (!(await isActive(db, job.id))) throw cancelled(job.id)
    const { fence, documents } = await claimDocuments(db, { jobId: job.id, task, limit: 1 })
    if (documents.length === 0) return 'done'
    for (const { ref } of documents) {
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
          return {
            recordId: upload.id,
            state: isSkipped ? 'skipped' : 'failed',
            stage,
            error: explain(error),
          }
        },
      )
      await finishDocuments(db, { jobId: job.id, fence }, [outcome])
    }
    if (performance.now() >= endsAt) return 'more'
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
