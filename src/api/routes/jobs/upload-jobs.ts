import { z } from 'zod'
import { invalid, notFound } from '../../../errors.ts'
import type { ConfiguredProviders } from '../../../pipeline/models/providers.ts'
import { type PipelineNode, parseNodes } from '../../../pipeline/nodes.ts'
import { findTemplate } from '../../../pipeline/templates.ts'
import { readOutput } from '../../../store/jobs/uploads.ts'
import { startUploadJob } from '../../../workflows/start-upload-job.ts'
import { type ApiContext, type App, callerOf, idParams, isId } from '../../http/context.ts'
import { acceptForms, withForm } from '../../http/forms/form.ts'
import { jobShape } from '../../shapes/resources.ts'
import { checkNodes } from '../connectors/setting-limits.ts'
import { findJob, jobResponse } from './jobs.ts'

/** The limit that the platform API documents for one file. */
export const UPLOAD_BYTES = 10 * 1024 * 1024

/** Jobs of uploaded files and of nodes in the request, without a workflow. */
export async function uploadJobRoutes(outer: App, context: ApiContext): Promise<void> {
  const { resources, engine, uploads } = context
  const { db } = resources
  await outer.register(async (child) => {
    const app = child as App
    await acceptForms(app, { fileBytes: UPLOAD_BYTES })

    app.post(
      '/jobs',
      {
        config: { allows: 'operator', keys: true, takesFiles: true },
        schema: { response: { 200: jobShape } },
      },
      async (request) => {
        const { workspaceId, actor } = callerOf(request)
        const job = await withForm(request, { uploads, fileField: 'input_files' }, ({ files, fields }) => {
          const { nodes, jobType } = readRequest(fields, resources.runners.configured)
          const starting = { workspaceId, startedBy: actor, jobType, nodes }
          return startUploadJob(files, starting, { db, engine, quotas: resources.uploadQuotas })
        })
        return jobResponse(db, job)
      },
    )
  })

  const outputQuery = z.object({ file_id: z.string(), node_id: z.string().optional() })
  outer.get(
    '/jobs/:id/download',
    { config: { allows: 'viewer', keys: true }, schema: { params: idParams, querystring: outputQuery } },
    async (request, reply) => {
      const job = await findJob(db, callerOf(request).workspaceId, request.params.id)
      const { file_id: fileId, node_id: nodeId } = request.query
      const found =
        isId(fileId) && (nodeId === undefined || isId(nodeId))
          ? await readOutput(db, { jobId: job.id, fileId, ...(nodeId ? { nodeId } : {}) })
          : undefined
      if (found === undefined) throw notFound('Output of this file')
      return reply.type('application/json').send(found)
    },
  )
}

type RequestedJob = { nodes: PipelineNode[]; jobType: 'template' | 'ephemeral' }

/** `request_data` is a form field with JSON: a template or nodes. */
function readRequest(fields: Map<string, string[]>, configured: ConfiguredProviders): RequestedJob {
  const loc = ['body', 'request_data']
  const unknown = [...fields.keys()].find((name) => name !== 'request_data')
  if (unknown !== undefined) throw invalid(['body', unknown], 'unknown field; the only one is request_data')
  const [text] = fields.get('request_data') ?? []
  if (text === undefined) throw invalid(loc, 'Field required', 'missing')
  const { template_id: templateId, job_nodes: nodes } = parseRequestData(text, loc)
  if ((templateId === undefined) === (nodes === undefined))
    throw invalid(loc, 'give either template_id or job_nodes')
  checkNodes(nodes, [...loc, 'job_nodes'])
  if (templateId === undefined)
    return { nodes: parseNodes(nodes, { loc: [...loc, 'job_nodes'], configured }), jobType: 'ephemeral' }
  const template = findTemplate(templateId, configured)
  if (!template) throw invalid([...loc, 'template_id'], `template ${templateId.slice(0, 100)} does not exist`)
  return {
    nodes: parseNodes(template.nodes, { loc: [...loc, 'template_id'], configured }),
    jobType: 'template',
  }
}

const requestData = z.strictObject({
  template_id: z.string().optional(),
  job_nodes: z.array(z.unknown()).optional(),
})

function parseRequestData(text: string, loc: string[]): z.infer<typeof requestData> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid(loc, 'is not JSON', 'json_invalid')
  }
  // Clients send null for what they leave out.
  const given =
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))
      : value
  const { data, error } = requestData.safeParse(given)
  if (error) throw invalid(loc, error.issues.map(({ message }) => message).join('; '))
  return data
}
