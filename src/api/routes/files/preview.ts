import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { invalid } from '../../../errors.ts'
import { type DocumentView, previewDocuments } from '../../../ingest/preview.ts'
import { withSource } from '../../../jobs/connections.ts'
import { runnersFor } from '../../../jobs/model-meter.ts'
import { defaultNodes, type PipelineNode, parseNodes } from '../../../pipeline/nodes.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { elementShape } from '../../shapes/element.ts'
import { sourceIn } from '../connectors/connector-in.ts'
import { sourceIdOf, workflowIn } from '../workflows/workflow-in.ts'

const TIMEOUT_MS = 60_000
/** A person waits for the response, so a longer pause of the source is an error. */
const PATIENCE_MS = 10_000
const DEFAULT_LIMIT = 3

/** Runs a pipeline on a few documents without writing. */
export function previewRoutes(app: App, { resources, connections }: ApiContext): void {
  const { db } = resources

  async function previewOf(
    sourceId: string,
    nodes: PipelineNode[],
    { options, reply, workspaceId }: PreviewRequest,
  ): Promise<Previewed> {
    const { limit, record_ids: recordIds } = options ?? {}
    const selection = recordIds ? { recordIds } : { limit: limit ?? DEFAULT_LIMIT }
    return withSource(connections, { sourceId, maxWaitMs: PATIENCE_MS }, async (source) => {
      const previewing = { source, nodes, runners: runnersFor(resources, workspaceId) }
      const views = await withDeadline(reply, { ms: TIMEOUT_MS, doing: 'the preview' }, (signal) =>
        previewDocuments(previewing, selection, signal),
      )
      return { documents: views.map(toDocument) }
    })
  }

  const config = { allows: 'developer', keys: true } as const
  app.post(
    '/workflows/:id/preview',
    { config, schema: { params: idParams, body, response: { 200: previewed } } },
    async (request, reply) => {
      const { id } = request.params
      const { workspaceId } = callerOf(request)
      const workflow = await workflowIn(db, workspaceId, id)
      refuseLimitWithIds(request.body)
      const sourceId = sourceIdOf(workflow)
      const nodes = parseNodes(workflow.nodes, { configured: resources.runners.configured })
      return previewOf(sourceId, nodes, { options: request.body, reply, workspaceId })
    },
  )

  app.post(
    '/sources/:id/preview',
    { config, schema: { params: idParams, body, response: { 200: previewed } } },
    async (request, reply) => {
      const { id } = request.params
      const { workspaceId } = callerOf(request)
      const source = await sourceIn(db, workspaceId, id)
      refuseLimitWithIds(request.body)
      return previewOf(source.id, defaultNodes(), { options: request.body, reply, workspaceId })
    },
  )
}

function refuseLimitWithIds(options: Body): void {
  if (options?.limit && options.record_ids)
    throw invalid(['body', 'limit'], 'either limit or record_ids, not both')
}

const body = z
  .strictObject({
    limit: z.number().int().min(1).max(10).nullish(),
    record_ids: z.array(z.string().min(1).max(1000)).min(1).max(10).nullish(),
  })
  .meta({
    not: {
      required: ['limit', 'record_ids'],
      properties: { limit: { type: 'integer' }, record_ids: { type: 'array' } },
    },
  })
  .nullish()

const documentShape = z.object({
  record_id: z.string(),
  title: z.string(),
  url: z.string(),
  filetype: z.string().nullable(),
  html: z.string().nullable(),
  data_source: z.looseObject({}).nullable(),
  nodes: z.array(
    z.object({
      node: z.object({ type: z.string(), subtype: z.string(), name: z.string() }),
      total: z.number(),
      elements: z.array(elementShape),
      dims: z.number().optional(),
      sample: z.array(z.number()).optional(),
    }),
  ),
  warnings: z.array(z.object({ code: z.string(), count: z.number(), message: z.string() })),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
})

const previewed = z.object({ documents: z.array(documentShape) })

type Body = z.infer<typeof body>
type PreviewRequest = { options: Body; reply: FastifyReply; workspaceId: string }
type Previewed = z.infer<typeof previewed>

function toDocument({ recordId, dataSource, ...view }: DocumentView): z.infer<typeof documentShape> {
  return { record_id: recordId, data_source: dataSource, ...view }
}
