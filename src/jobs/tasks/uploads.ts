import type { DocumentWarning } from '../../document.ts'
import { stagesOfNodes, stepOf } from '../../document-stage.ts'
import { AppError, explain } from '../../errors.ts'
import { detectFiletype } from '../../filetype/filetype.ts'
import { refForFile } from '../../ingest/one-file.ts'
import { runNodeByNode } from '../../ingest/step-by-step.ts'
import { embedInBatches } from '../../pipeline/embed/embed-elements.ts'
import { parseNodes, plan } from '../../pipeline/nodes.ts'
import {
  claimDocuments,
  countSuspects,
  type Deaths,
  endUnfinished,
  type FinishedDocument,
  finishDocuments,
  recordDeath,
} from '../../store/jobs/job-documents.ts'
import { addStepTimes, isActive, type JobRow, markStarted } from '../../store/jobs/jobs.ts'
import {
  type NodeOutput,
  packOutput,
  pruneUploads,
  readUpload,
  type Upload,
  writeOutputs,
} from '../../store/jobs/uploads.ts'
import { cancelled, completeJob, failJob } from '../job-outcome.ts'
import { runnersFor } from '../model-meter.ts'
import type { Handler, TaskAttempt } from '../queue/engine.ts'
import type { Resources } from '../resources.ts'
import { noRoomForResults } from '../upload-quotas.ts'
import { readActiveJob, runJobTask, type TaskContext } from './job-task.ts'
import { DEATHS_ALONE, runSuspect, stoppedWorker } from './suspects.ts'

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
        const slice = { resources, attempt, endsAt: performance.now() + taskMs }
        if ((await processUploads(job, slice, signal)) === 'more')
          return engine.send('files', { jobId, part: part + 1 })
        if (await completeJob(db, job)) await pruneUploads(db)
      },
      fail: (error) => failJob(resources, jobId, error),
      mayBeTakenOver: true,
    })
  }
}

type UploadTask = { resources: Resources; attempt: TaskAttempt; endsAt: number }

/**
 * One file after the other, until none is left or the time is over. A retry continues with the first unfinished file;
 * one whose process died comes last.
 */
async function processUploads(job: JobRow, task: UploadTask, signal: AbortSignal): Promise<'done' | 'more'> {
  const isOver = () => performance.now() >= task.endsAt
  if (task.attempt.afterDeath) await setAside(job, task)
  while (await processNext(job, { ...task, deaths: 'none' }, signal)) if (isOver()) return 'more'
  for (;;) {
    const { once, often } = await countSuspects(task.resources.db, job.id)
    if (once + often === 0) return 'done'
    const deaths = once > 0 ? 'once' : 'often'
    await runSuspect(() => processNext(job, { ...task, deaths }, signal), signal)
    if (isOver()) return 'more'
  }
}

/** The first death found a file next to those of other jobs. */
const MAX_DEATHS = 1 + DEATHS_ALONE

async function setAside(job: JobRow, { resources: { db }, attempt }: UploadTask): Promise<void> {
  const died = { jobId: job.id, task: attempt.id }
  await recordDeath(db, { ...died, maxDeaths: MAX_DEATHS })
  await endUnfinished(db, died, { state: 'failed', ...explain(stoppedWorker()) })
}

/** One claim at a time shows which file was processed when a process died. False if none is left. */
async function processNext(
  job: JobRow,
  { resources, attempt, deaths }: UploadTask & { deaths: Deaths },
  signal: AbortSignal,
): Promise<boolean> {
  const { db, log } = resources
  if (!(await isActive(db, job.id))) throw cancelled(job.id)
  const claim = { jobId: job.id, task: attempt.id, limit: 1, deaths }
  const { fence, documents } = await claimDocuments(db, claim)
  const [document] = documents
  if (!document) return false
  const upload = await readUpload(db, job.id, document.ref.recordId)
  if (!upload) throw new AppError('taken_over', `another task has processed ${document.ref.recordId}`)
  const stages = stagesOfNodes(job.settings.nodes)
  const spent: JobRow['step_ms'] = {}
  let done = 0
  let startedAt = performance.now()
  const onNode = () => {
    const step = stepOf(stages[done++] ?? 'write')
    const now = performance.now()
    spent[step] = (spent[step] ?? 0) + now - startedAt
    startedAt = now
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
  await addStepTimes(db, job.id, spent)
  return true
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
    outputs.push({ nodeId: node.id, packed: await packOutput(parts) })
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
