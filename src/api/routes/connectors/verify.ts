import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { AppError, type ErrorCode, notFound } from '../../../errors.ts'
import type { Finding, ScopeView } from '../../../index-comparison.ts'
import { SHOWN_FINDINGS } from '../../../jobs/tasks/verify.ts'
import type { ConnectorRow } from '../../../store/connectors/connectors.ts'
import type { Database } from '../../../store/database.ts'
import { ACTIVE_STATUSES, type JobRow } from '../../../store/jobs/jobs.ts'
import { listFindings, scopeViews } from '../../../store/verifications/findings.ts'
import { readVerification, type VerificationRow } from '../../../store/verifications/verifications.ts'
import { type WorkflowRow, workflowsWriting } from '../../../store/workflows/workflows.ts'
import { refuseInactive, refuseWhileRunning, startVerification } from '../../../workflows/repair.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import {
  repairResponses,
  type repairShape,
  type verdictShape,
  verificationShape,
  verifyResponses,
} from '../../shapes/verification.ts'
import { findJob } from '../jobs/jobs.ts'
import { destinationIn } from './connector-in.ts'

/** Below the limit of common proxies; longer verifications respond with 202. */
const MAX_WAIT_SECONDS = 100
const MAX_IDS = 20

const config = { allows: 'developer', keys: true } as const
const querystring = z.object({
  wait: z.coerce
    .number()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .default(MAX_WAIT_SECONDS)
    .describe('Seconds to wait for the result; then the response is 202 with the job'),
})

/** Compares the ledger with the index, and repairs differences. */
export function verifyRoutes(app: App, { resources, engine }: ApiContext): void {
  const { db } = resources
  async function find(workspaceId: string, id: string) {
    const destination = await destinationIn(db, workspaceId, id)
    const workflows = await workflowsWriting(db, workspaceId, [destination.id])
    await refuseWhileRunning(db, workflows)
    return { destination, workflows }
  }

  type Start = { destination: ConnectorRow; workflows: WorkflowRow[]; startedBy: string; wait: number }

  /** The job after the wait; throws its error if it failed. */
  async function run(
    { wait, ...start }: Start & { repairs: boolean; approved: boolean },
    reply: FastifyReply,
  ) {
    const started = await startVerification(start, { db, engine })
    const job = await waitForEnd(db, started, { ms: wait * 1000, reply })
    if (job.status === 'COMPLETED' || ACTIVE_STATUSES.includes(job.status)) return job
    const row = await readVerification(db, job.id)
    const code = job.status === 'STOPPED' ? 'cancelled' : (row?.error_code as ErrorCode | null)
    throw new AppError(code ?? 'internal', job.message ?? `job ${job.id} failed`)
  }

  app.post(
    '/destinations/:id/verify',
    { config, schema: { params: idParams, querystring, response: verifyResponses } },
    async (request, reply) => {
      const { workspaceId, actor: startedBy } = callerOf(request)
      const found = await find(workspaceId, request.params.id)
      const { wait } = request.query
      const job = await run({ ...found, startedBy, wait, repairs: false, approved: false }, reply)
      if (job.status === 'COMPLETED') return reply.code(200).send(await verdictOf(db, job.id))
      return reply.code(202).send(await verificationOf(db, job))
    },
  )

  app.post(
    '/destinations/:id/repair',
    { config, schema: { params: idParams, querystring, body: approval, response: repairResponses } },
    async (request, reply) => {
      const { workspaceId, actor: startedBy } = callerOf(request)
      const found = await find(workspaceId, request.params.id)
      refuseInactive(found.workflows)
      const { wait } = request.query
      const approved = request.body?.approve_deletions === true
      const job = await run({ ...found, startedBy, wait, repairs: true, approved }, reply)
      if (job.status === 'COMPLETED') return reply.code(202).send(await repairOf(db, job.id))
      return reply.code(202).send(await verificationOf(db, job))
    },
  )

  app.get(
    '/destinations/:id/verify/:jobId',
    {
      config: { allows: 'viewer', keys: true },
      schema: {
        params: z.object({ id: z.string(), jobId: z.string() }),
        response: { 200: verificationShape },
      },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const destination = await destinationIn(db, workspaceId, request.params.id)
      const job = await findJob(db, workspaceId, request.params.jobId)
      if (job.kind !== 'verify' || job.settings.destination_id !== destination.id) throw notFound('Job')
      return verificationOf(db, job)
    },
  )
}

const approval = z.strictObject({ approve_deletions: z.boolean().optional() }).nullish()

/** Stops waiting when the client disconnects; the job continues. */
async function waitForEnd(
  db: Database,
  started: JobRow,
  { ms, reply }: { ms: number; reply: FastifyReply },
): Promise<JobRow> {
  const end = Date.now() + ms
  let job = started
  // Growing delays: small indexes take less than a second.
  for (let pauseMs = 50; ACTIVE_STATUSES.includes(job.status); pauseMs = Math.min(pauseMs * 1.5, 1000)) {
    if (Date.now() >= end || reply.raw.destroyed) return job
    await sleep(Math.min(pauseMs, end - Date.now()))
    job = await findJob(db, started.workspace_id, started.id)
  }
  return job
}

async function verificationOf(db: Database, job: JobRow): Promise<z.infer<typeof verificationShape>> {
  const row = await readVerification(db, job.id)
  if (!row) throw notFound('Job')
  const isDone = job.status === 'COMPLETED'
  return {
    id: job.id,
    kind: row.repairs ? 'repair' : 'verify',
    status: job.status,
    processing_status: job.processing_status,
    message: job.message,
    poll: `/api/v1/destinations/${job.settings.destination_id}/verify/${job.id}`,
    progress: {
      phase: row.phase,
      waits_for: row.waits_for,
      documents_compared: Number(row.documents_compared),
      documents_total: Math.max(Number(row.documents_total), Number(row.documents_compared)),
      elements_listed: Number(row.elements_listed),
      removed_elements: Number(row.removed_elements),
    },
    result: isDone && !row.repairs ? await verdictOf(db, job.id) : null,
    repaired: isDone && row.repairs ? await repairOf(db, job.id) : null,
  }
}

async function verdictOf(db: Database, jobId: string): Promise<z.infer<typeof verdictShape>> {
  const row = await readVerification(db, jobId)
  if (!row) throw notFound('Job')
  const differences = await listFindings(db, jobId, { limit: SHOWN_FINDINGS })
  const shown = differences.flatMap(({ findings }) => findings).slice(0, SHOWN_FINDINGS)
  return {
    ...compared(row, await scopeViews(db, jobId)),
    findings: shown.map(toFinding),
    more_findings: Number(row.findings) - shown.length,
  }
}

async function repairOf(db: Database, jobId: string): Promise<z.infer<typeof repairShape>> {
  const row = await readVerification(db, jobId)
  if (!row) throw notFound('Job')
  return {
    ...compared(row, await scopeViews(db, jobId)),
    removed_elements: Number(row.removed_elements),
    jobs: row.repair_jobs,
  }
}

function compared({ foreign_elements: foreign }: VerificationRow, scopes: ScopeView[]) {
  return {
    ok: scopes.every(({ missing, different, extra }) => missing + different + extra === 0),
    spaces: scopes.map(({ scopeKey, ledgerHash, indexHash, ...counts }) => ({
      space_key: scopeKey,
      ...counts,
      ledger_hash: ledgerHash,
      index_hash: indexHash,
    })),
    foreign_elements: Number(foreign),
  }
}

function toFinding({ kind, recordId, scopeKey, elementIds, why }: Finding) {
  const elements = { elements: elementIds.length, element_ids: elementIds.slice(0, MAX_IDS) }
  return { kind, record_id: recordId, space_key: scopeKey, ...elements, reason: why }
}
