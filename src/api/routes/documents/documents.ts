import { z } from 'zod'
import { isAtLeast, ROLES } from '../../../accounts/roles.ts'
import { notFound } from '../../../errors.ts'
import { type DocumentRun, documentHistory } from '../../../store/jobs/document-history.ts'
import { documentsTitled, workspacesKnowing } from '../../../store/ledger/known-documents.ts'
import { type ApiContext, type App, callerOf, personOf } from '../../http/context.ts'
import {
  type DocumentOverview,
  documentOverviewShape,
  documentRunShape,
  documentVersionShape,
  foundDocumentShape,
} from '../../shapes/document.ts'
import { documentIn } from './document-in.ts'
import { documentTextRoutes } from './document-text.ts'
import { documentOverview } from './overview.ts'
import { documentVersions } from './versions.ts'

/** Record ids contain slashes, so they are no part of the path. */
const recordQuery = z.strictObject({ record_id: z.string().min(1).max(1000) })
/** One letter is in nearly every title. */
const MIN_TITLE = 2
const titleQuery = z.strictObject({ title: z.string().trim().min(MIN_TITLE).max(1000) })
const workflowQuery = recordQuery.extend({ workflow_id: z.string() })

/** A document over all workflows of the workspace. */
export function documentRoutes(app: App, context: ApiContext): void {
  const { db } = context.resources
  app.get(
    '/documents',
    {
      config: { allows: 'viewer', keys: true },
      schema: { querystring: recordQuery, response: { 200: documentOverviewShape } },
    },
    async (request) => {
      const { workspaceId, role } = callerOf(request)
      const found = await documentOverview(db, { workspaceId, recordId: request.query.record_id })
      if (!found) throw notFound('Document')
      return isAtLeast(role, 'developer') ? found : withoutReaders(found)
    },
  )

  app.get(
    '/documents/locate',
    {
      config: { allows: 'person', keys: true },
      schema: { querystring: recordQuery, response: { 200: z.array(locationShape) } },
    },
    async (request) => {
      const { caller } = request
      // Readers cannot open the document.
      const roles = ROLES.filter((role) => isAtLeast(role, 'viewer'))
      const of = caller ? { workspaceId: caller.workspaceId } : { personId: personOf(request).id, roles }
      return workspacesKnowing(db, request.query.record_id, of)
    },
  )

  app.get(
    '/documents/find',
    {
      config: { allows: 'viewer', keys: true },
      schema: { querystring: titleQuery, response: { 200: z.array(foundDocumentShape) } },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      return context.reads.run(workspaceId, (transaction) =>
        documentsTitled(transaction, workspaceId, request.query.title),
      )
    },
  )

  app.get(
    '/documents/runs',
    {
      config: { allows: 'viewer', keys: true },
      schema: { querystring: workflowQuery, response: { 200: z.array(documentRunShape) } },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const { record_id: recordId } = request.query
      const { workflow } = await documentIn(db, { workspaceId, ...request.query })
      const runs = await documentHistory(db, { id: workflow.id, workspaceId }, recordId)
      return runs.map(toRun)
    },
  )

  app.get(
    '/documents/versions',
    {
      config: { allows: 'viewer', keys: true },
      schema: { querystring: workflowQuery, response: { 200: z.array(documentVersionShape) } },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const known = await documentIn(db, { workspaceId, ...request.query })
      return documentVersions(db, known, request.query.record_id)
    },
  )

  documentTextRoutes(app, context)
}

function withoutReaders(document: DocumentOverview): DocumentOverview {
  const workflows = document.workflows.map((workflow) => ({
    ...workflow,
    permissions: { ...workflow.permissions, readers: null },
  }))
  return { ...document, workflows }
}

const locationShape = z.object({ workspace_id: z.string(), name: z.string() })

export function toRun(run: DocumentRun): z.infer<typeof documentRunShape> {
  const { at, error_code: code, error_message: message, ...entry } = run
  return { ...entry, at: at.toISOString(), error: code ? { code, message: message ?? '' } : null }
}
