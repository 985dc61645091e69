import { z } from 'zod'
import { type Finding, type VerifyResult, verify } from '../../ingest/verify.ts'
import { expectedIndex } from '../../jobs/expected-index.ts'
import { reconcileWorkflow } from '../../jobs/swap/end-swap.ts'
import { recordAudit } from '../../store/accounts/audit.ts'
import { workflowsUsing } from '../../store/workflows/workflows.ts'
import {
  type Repairing,
  refuseInactive,
  refuseLargeRemoval,
  refuseWhileRunning,
  repair,
} from '../../workflows/repair.ts'
import { type ApiContext, type App, callerOf } from '../context.ts'
import { withDeadline } from '../deadline.ts'
import { destinationIn } from '../destination.ts'

/** 100,000 elements take about a quarter of it. */
const TIMEOUT_MS = 120_000
/** Documents that differ; more are only counted. */
const MAX_SHOWN = 500
const MAX_IDS = 20

/** Compares the ledger with the index, and repairs differences. */
export function verifyRoutes(app: App, { resources, connections, engine }: ApiContext): void {
  const { db } = resources
  const config = { allows: 'developer', keys: true } as const
  const params = z.object({ id: z.string() })

  async function find(workspaceId: string, id: string) {
    const destination = await destinationIn(db, workspaceId, id)
    const workflows = await workflowsUsing(db, destination.id)
    await refuseWhileRunning(db, workflows)
    return { destination, workflows }
  }

  async function open({ destination, workflows }: Awaited<ReturnType<typeof find>>, signal: AbortSignal) {
    const setting = { resources, connections, destinationId: destination.id }
    for (const workflow of workflows) await reconcileWorkflow(workflow.id, setting, signal)
    return connections.openDestination(destination.id)
  }

  app.post(
    '/destinations/:id/verify',
    { config, schema: { tags: ['destinations'], params, response: { 200: verdictShape } } },
    async (request, reply) => {
      const { workflows, destination } = await find(callerOf(request).workspaceId, request.params.id)
      return withDeadline(reply, { ms: TIMEOUT_MS, doing: 'comparing the index' }, async (signal) => {
        const opened = await open({ destination, workflows }, signal)
        const shown: Finding[] = []
        let more = 0
        const found = (finding: Finding) => {
          if (shown.length < MAX_SHOWN) shown.push(finding)
          else more++
        }
        try {
          const expected = await expectedIndex({ db, workflows, destination: opened }, signal)
          const verdict = await verify({ expected, destination: opened, found }, signal)
          return { ...toCompared(verdict), findings: shown.map(toFinding), more_findings: more }
        } finally {
          await opened.close()
        }
      })
    },
  )

  app.post(
    '/destinations/:id/repair',
    { config, schema: { tags: ['destinations'], params, body: approval, response: { 202: repairedShape } } },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const { workflows, destination } = await find(workspaceId, request.params.id)
      refuseInactive(workflows)
      const done: Repairing = { removed: 0, jobs: [] }
      const verdict = await withDeadline(
        reply,
        { ms: TIMEOUT_MS, doing: 'repairing the index' },
        async (signal) => {
          const opened = await open({ destination, workflows }, signal)
          try {
            const repairing = { workflows, destination: opened, startedBy: actor }
            if (!request.body?.approve_deletions) await refuseLargeRemoval(repairing, db, signal)
            return await repair(repairing, { db, engine, done }, signal)
          } finally {
            await opened.close()
            const jobs = done.jobs.map(({ id }) => id)
            const subject = { destination: destination.id, removed_elements: done.removed, jobs }
            if (done.removed + jobs.length > 0)
              await recordAudit(db, { workspaceId, actor, action: 'repair_index', subject })
          }
        },
      )
      return reply.code(202).send({
        ...toCompared(verdict),
        removed_elements: done.removed,
        jobs: done.jobs.map(({ id, workflow_id }) => ({ id, workflow_id })),
      })
    },
  )
}

const approval = z.strictObject({ approve_deletions: z.boolean().optional() }).nullish()

const spaceShape = z.object({
  space_key: z.string(),
  documents: z.number(),
  elements: z.number(),
  missing: z.number(),
  different: z.number(),
  extra: z.number(),
  ledger_hash: z.string(),
  index_hash: z.string(),
})
const comparedShape = z.object({
  /** Whether the index holds exactly what the ledger says. */
  ok: z.boolean(),
  spaces: z.array(spaceShape),
  foreign_elements: z.number(),
})
const verdictShape = comparedShape.extend({
  findings: z.array(
    z.object({
      kind: z.enum(['missing', 'different', 'extra']),
      record_id: z.string(),
      space_key: z.string(),
      elements: z.number(),
      element_ids: z.array(z.string()),
      reason: z.string(),
    }),
  ),
  more_findings: z.number(),
})
const repairedShape = comparedShape.extend({
  removed_elements: z.number(),
  jobs: z.array(z.object({ id: z.string(), workflow_id: z.string() })),
})

function toCompared({ scopes, foreign }: VerifyResult): z.infer<typeof comparedShape> {
  return {
    ok: scopes.every(({ missing, different, extra }) => missing + different + extra === 0),
    spaces: scopes.map(({ scopeKey, ledgerHash, indexHash, ...counts }) => ({
      space_key: scopeKey,
      ...counts,
      ledger_hash: ledgerHash,
      index_hash: indexHash,
    })),
    foreign_elements: foreign,
  }
}

function toFinding({ kind, recordId, scopeKey, elementIds, why }: Finding) {
  const elements = { elements: elementIds.length, element_ids: elementIds.slice(0, MAX_IDS) }
  return { kind, record_id: recordId, space_key: scopeKey, ...elements, reason: why }
}
