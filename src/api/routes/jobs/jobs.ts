import { z } from 'zod'
import { invalid, notFound } from '../../../errors.ts'
import { stopJob } from '../../../jobs/job-outcome.ts'
import { incompleteOf } from '../../../report.ts'
import type { Database } from '../../../store/database.ts'
import { countsOf } from '../../../store/jobs/job-counts.ts'
import type { StateCounts } from '../../../store/jobs/job-documents.ts'
import { type JobDocumentCounts, readDocumentCounts } from '../../../store/jobs/job-stages.ts'
import { type JobRow, listJobs, readJobIn } from '../../../store/jobs/jobs.ts'
import { type Starter, startersOf } from '../../../store/jobs/starters.ts'
import { filesOf, type JobFiles } from '../../../store/jobs/uploads.ts'
import type { ListPart, ListRange } from '../../../store/keyset.ts'
import type { JobStatus } from '../../../store/schema.ts'
import { type ApiContext, type App, callerOf, idParams, isId } from '../../http/context.ts'
import { announceNext, listQuery, rangeOf } from '../../http/list-page.ts'
import { jobDetailsShape, jobShape, jobStatus } from '../../shapes/resources.ts'
import { subjectOfError, toWarning } from './job-warnings.ts'
import { nodeStats } from './node-stats.ts'

export function jobRoutes(app: App, { resources }: ApiContext): void {
  const { db, log } = resources

  app.get(
    '/jobs',
    {
      config: { allows: 'viewer', keys: true },
      schema: { querystring: listing, response: { 200: z.array(jobShape) } },
    },
    async (request, reply) => {
      const { workflow_id: workflowId, status, kind, created_after, created_before } = request.query
      if (workflowId && !isId(workflowId)) return []
      const filter = {
        kind,
        workflowId,
        status: status ? parseStatus(status) : undefined,
        createdAfter: created_after,
        createdBefore: created_before,
      }
      const { rows, next } = await listInParts(rangeOf(request.query), async (range) => {
        const part = await listJobs(db, callerOf(request).workspaceId, { ...filter, ...range })
        return { rows: await jobResponses(db, part.rows), next: part.next }
      })
      announceNext(request, reply, next)
      return rows
    },
  )

  app.get(
    '/jobs/:id',
    { config: { allows: 'viewer', keys: true }, schema: { params: idParams, response: { 200: jobShape } } },
    async (request) => jobResponse(db, await findJob(db, callerOf(request).workspaceId, request.params.id)),
  )

  app.post(
    '/jobs/:id/cancel',
    {
      config: { allows: 'operator', keys: true },
      schema: {
        params: idParams,
        response: { 200: z.object({ id: z.string(), status: z.string(), message: z.string() }) },
      },
    },
    async (request) => {
      const job = await findJob(db, callerOf(request).workspaceId, request.params.id)
      const stopped = await stopJob(db, job.id)
      if (stopped) log.info({ job_id: job.id, processing_status: 'STOPPED' }, 'job stopped')
      const now = await findJob(db, job.workspace_id, job.id)
      return {
        id: job.id,
        status: now.status,
        message: stopped ? 'The job was stopped.' : `The job had already ended: ${now.status}.`,
      }
    },
  )

  app.get(
    '/jobs/:id/details',
    {
      config: { allows: 'viewer', keys: true },
      schema: { params: idParams, response: { 200: jobDetailsShape } },
    },
    async (request) => {
      const job = await findJob(db, callerOf(request).workspaceId, request.params.id)
      return jobDetails(job, await readDocumentCounts(db, job.id))
    },
  )
}

/** Jobs that are read at a time, and the size after which a list ends early. */
const BATCH = 100
const MAX_BYTES = 8_000_000

/** Jobs hold their settings and warnings, so few of them are in memory at once. */
async function listInParts<Row>(
  { limit, cursor }: ListRange,
  read: (range: ListRange) => Promise<ListPart<Row>>,
): Promise<ListPart<Row>> {
  const rows: Row[] = []
  let [next, bytes] = [cursor, 0]
  do {
    const part = await read({ limit: Math.min(BATCH, limit - rows.length), cursor: next })
    rows.push(...part.rows)
    bytes += JSON.stringify(part.rows).length
    next = part.next
  } while (next !== null && rows.length < limit && bytes < MAX_BYTES)
  return { rows, next }
}

/** A job of the caller's workspace, or a 404. */
export async function findJob(db: Database, workspaceId: string, id: string): Promise<JobRow> {
  const row = isId(id) ? await readJobIn(db, workspaceId, id) : undefined
  if (!row) throw notFound('Job')
  return row
}

type Job = z.infer<typeof jobShape>

export async function jobResponse(db: Database, job: JobRow): Promise<Job> {
  const [response] = await jobResponses(db, [job])
  return response!
}

/** Three queries for any number of jobs. */
export async function jobResponses(db: Database, jobs: JobRow[]): Promise<Job[]> {
  const ids = jobs.map(({ id }) => id)
  const [counts, starters, files] = await Promise.all([
    countsOf(db, ids),
    startersOf(db, jobs),
    filesOf(db, jobs),
  ])
  return jobs.map((job) => ({
    ...jobFields(job, counts.get(job.id)!, starters.get(job.id)!),
    ...fileFields(job, files.get(job.id)),
  }))
}

function fileFields(
  job: JobRow,
  files: JobFiles | undefined,
): Pick<Job, 'input_file_ids' | 'output_node_files'> {
  if (!files) return { input_file_ids: null, output_node_files: null }
  const nodes = new Map(job.settings.nodes.map((node) => [node.id, node]))
  return {
    input_file_ids: files.inputs,
    output_node_files: files.outputs.flatMap(({ fileId, nodeId }) => {
      const node = nodes.get(nodeId)
      return node
        ? [{ node_id: nodeId, file_id: fileId, node_type: node.type, node_subtype: node.subtype }]
        : []
    }),
  }
}

function jobFields(
  job: JobRow,
  states: StateCounts,
  starter: Starter,
): Omit<Job, 'input_file_ids' | 'output_node_files'> {
  const { counts, summary } = documentCounts(job, states)
  return {
    id: job.id,
    workflow_id: job.workflow_id,
    workflow_name: job.workflow_name,
    status: job.status,
    created_at: job.created_at.toISOString(),
    runtime: runtimeOf(job),
    job_type: job.job_type,
    kind: job.kind,
    processing_status: job.processing_status,
    found: summary.total_docs,
    counts,
    held_back: job.held_back,
    incomplete: incompleteOf(job.warnings, job.settings.source_id ?? null),
    started_by: starter,
  }
}

const STATUSES = jobStatus.options
/** Clients of the platform API send the lower-case form; an empty one counts as none. */
const STATUS_NAMES = [...STATUSES, ...STATUSES.map((each) => each.toLowerCase().replace('_', ' ')), '']

const time = z.iso.datetime({ offset: true })
const listing = z.object({
  workflow_id: z.string().optional(),
  status: z.string().meta({ enum: STATUS_NAMES }).optional(),
  kind: z.enum(['content', 'permissions', 'verify']).default('content'),
  created_after: time.optional().describe('Jobs created at this time or later'),
  created_before: time.optional().describe('Jobs created before this time'),
  ...listQuery,
})

/** `in progress`, `In_Progress` and `IN_PROGRESS` are one status. */
function parseStatus(text: string): JobStatus {
  const normalized = text
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, '_')
  const found = STATUSES.find((status) => status === normalized)
  if (!found)
    throw invalid(['query', 'status'], `"${text}" is not a status; one of ${STATUSES.join(', ')}`, 'enum')
  return found
}

/** An ISO 8601 duration, such as `PT12.3S`. */
export function runtimeOf(job: JobRow): string | null {
  if (!job.started_at) return null
  const seconds = ((job.finished_at ?? new Date()).getTime() - job.started_at.getTime()) / 1000
  return `PT${Math.max(0, seconds).toFixed(1)}S`
}

export function jobDetails(job: JobRow, counted: JobDocumentCounts): z.infer<typeof jobDetailsShape> {
  const { counts, summary } = documentCounts(job, counted.states)
  return {
    id: job.id,
    processing_status: job.processing_status,
    node_stats: nodeStats(job, counted),
    message: job.message,
    error: job.error_code && { code: job.error_code, subject: subjectOfError(job.error_code, job) },
    step_seconds: stepSeconds(job),
    summary,
    counts,
    warnings: job.warnings.map((warning) => toWarning(warning, job)),
    incomplete: incompleteOf(job.warnings, job.settings.source_id ?? null),
    documents_kept: job.documents_kept,
    settings: job.settings,
  }
}

function stepSeconds({ step_ms: spent }: JobRow): Record<string, number> {
  return Object.fromEntries(Object.entries(spent).map(([step, ms]) => [step, Math.round(ms / 100) / 10]))
}

/** `discovered` counts decided documents; `summary` and the node counts also hold pending ones. */
function documentCounts(job: JobRow, states: StateCounts) {
  const changed = states.changed + states.permissions_only
  const discovered = states.new + changed + states.unchanged + states.skipped + states.failed
  return {
    summary: {
      total_docs: discovered + states.pending + states.in_progress,
      total_docs_succeeded: states.new + changed + states.unchanged,
      total_docs_failed: states.failed,
    },
    counts: {
      discovered,
      new: states.new,
      changed,
      unchanged: states.unchanged,
      skipped: states.skipped,
      failed: states.failed,
      removed: job.removed,
      permissions_only: states.permissions_only,
    },
  }
}
