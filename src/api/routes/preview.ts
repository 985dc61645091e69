import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { type DocumentView, preview } from '../../ingest/preview.ts'
import { parseNodes, plan } from '../../pipeline/nodes.ts'
import { readWorkflowIn } from '../../store/workflows.ts'
import { type ApiContext, type App, callerOf, isId } from '../context.ts'
import { elementShape } from '../element-shape.ts'
import { invalid, notFound } from '../errors.ts'
import { within } from '../within.ts'

const LONGEST_MS = 60_000
/** Somebody waits: a wiki that asks to be left alone longer than this is reported and not waited for. */
const PATIENCE_MS = 10_000
const FIRST = 3

/** What a workflow would make of a few documents, before anything is written anywhere. */
export function previewRoutes(app: App, { resources, connections }: ApiContext): void {
  const { db } = resources
  app.post(
    '/workflows/:id/preview',
    {
      config: { allows: 'developer', keys: true },
      schema: {
        tags: ['workflows'],
        params: z.object({ id: z.string() }),
        body,
        response: { 200: z.object({ documents: z.array(documentShape) }) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const workflow = isId(id) ? await readWorkflowIn(db, callerOf(request).workspaceId, id) : undefined
      if (!workflow) throw notFound('Workflow')
      const { limit, record_ids: recordIds } = request.body ?? {}
      if (limit && recordIds) {
        throw invalid(['body', 'limit'], 'either limit or record_ids, not both')
      }
      if (!workflow.source_id) {
        throw new AppError('not_possible', `the workflow "${workflow.name}" has no source`, {
          fix: 'Give it one before it is previewed',
        })
      }
      const nodes = parseNodes(workflow.nodes)
      const model = plan(nodes).embed?.model
      const source = await connections.openSource(workflow.source_id, { patienceMs: PATIENCE_MS })
      const previewing = { source, nodes, embedder: model ? resources.embedder(model) : null }
      const wanted = recordIds ? { recordIds } : { limit: limit ?? FIRST }
      try {
        const views = await within(reply, { ms: LONGEST_MS, doing: 'the preview' }, (signal) =>
          preview(previewing, wanted, signal),
        )
        return { documents: views.map(answer) }
      } finally {
        await source.close()
      }
    },
  )
}

const body = z
  .strictObject({
    limit: z.number().int().min(1).max(10).nullish(),
    record_ids: z.array(z.string().min(1).max(1000)).min(1).max(10).nullish(),
  })
  .nullish()

const documentShape = z.object({
  record_id: z.string(),
  title: z.string(),
  url: z.string(),
  filetype: z.string().nullable(),
  html: z.string().nullable(),
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

function answer({ recordId, ...view }: DocumentView): z.infer<typeof documentShape> {
  return { record_id: recordId, ...view }
}
