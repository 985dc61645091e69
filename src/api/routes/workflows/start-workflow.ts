import { invalid } from '../../../errors.ts'
import { storedNodes } from '../../../pipeline/nodes.ts'
import { startPermissionPass } from '../../../workflows/permission-passes.ts'
import { startJob } from '../../../workflows/start.ts'
import { startUploadJob } from '../../../workflows/start-upload-job.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { acceptForms, type FormFile, withForm } from '../../http/forms/form.ts'
import { jobShape } from '../../shapes/resources.ts'
import { jobResponse } from '../jobs/jobs.ts'
import { UPLOAD_BYTES } from '../jobs/upload-jobs.ts'
import { workflowIn } from './workflow-in.ts'

/** Starts of jobs and permission passes. */
export async function startWorkflowRoutes(app: App, context: ApiContext): Promise<void> {
  const { engine, resources } = context
  const { db } = resources
  app.post(
    '/workflows/:id/sync-permissions',
    { config: { allows: 'operator', keys: true }, schema: { params: idParams, response: { 202: jobShape } } },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      // Also for inactive workflows: a pass only makes permissions newer.
      const workflow = await workflowIn(db, workspaceId, request.params.id)
      const job = await startPermissionPass(
        workflow,
        { jobType: 'persistent', startedBy: actor },
        { db, engine },
      )
      return reply.code(202).send(await jobResponse(db, job))
    },
  )

  await app.register(async (child) => runRoute(child as App, context))
}

/** In a context of its own, since it accepts a form with files. */
async function runRoute(app: App, { resources, engine, uploads }: ApiContext): Promise<void> {
  const { db } = resources
  await acceptForms(app, { fileBytes: UPLOAD_BYTES })
  app.post(
    '/workflows/:id/run',
    {
      config: { allows: 'operator', keys: true, takesFiles: true },
      schema: { params: idParams, response: { 202: jobShape } },
    },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const workflow = await workflowIn(db, workspaceId, request.params.id)
      const starting = { jobType: 'persistent', startedBy: actor } as const
      const start = async (files: FormFile[]) => {
        if (files.length === 0) return startJob(workflow, starting, { db, engine })
        if (workflow.source_id || workflow.destination_id)
          throw invalid(
            ['body', 'input_files'],
            'files can only be sent to a workflow that has neither source nor destination',
          )
        const uploadJob = { ...starting, workspaceId, nodes: storedNodes(workflow), workflow }
        return startUploadJob(files, uploadJob, { db, engine, quotas: resources.uploadQuotas })
      }
      const job = request.isMultipart()
        ? await withForm(request, { uploads, fileField: 'input_files' }, ({ files }) => start(files))
        : await start([])
      return reply.code(202).send(await jobResponse(db, job))
    },
  )
}
