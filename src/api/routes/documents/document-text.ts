import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { KnownDocument, Source } from '../../../connectors/source.ts'
import type { DocumentRef } from '../../../document.ts'
import { notFound } from '../../../errors.ts'
import { readContent, readPage } from '../../../ingest/document-content.ts'
import { compareVersions, type TextComparison } from '../../../ingest/version-text.ts'
import { withSource } from '../../../jobs/connections.ts'
import { runnersFor } from '../../../jobs/model-meter.ts'
import { NO_ACCESS } from '../../../permissions/levels.ts'
import { parseNodes } from '../../../pipeline/nodes.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { findLedgerEntries } from '../../../store/ledger/ledger-view.ts'
import type { WorkflowRow } from '../../../store/workflows/workflows.ts'
import { type ApiContext, type App, callerOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { documentChangesShape, documentContentShape, drawnPageShape } from '../../shapes/document.ts'
import { sourceIdOf } from '../workflows/workflow-in.ts'
import { contentOf } from './content.ts'
import { documentIn, type WorkflowAndDocument } from './document-in.ts'
import { permissionChanges } from './permission-changes.ts'
import { findPair, permissionsOf, type VersionPair, versionOf } from './versions.ts'

const TIMEOUT_MS = 60_000
/** A person waits for the response, so a longer pause of the source is an error. */
const PATIENCE_MS = 10_000

const config = { allows: 'developer', keys: true } as const
const contentQuery = z.strictObject({
  record_id: z.string().min(1).max(1000),
  workflow_id: z.string(),
})
const pageQuery = contentQuery.extend({ page: z.coerce.number().int().min(1).max(100_000) })
const changesQuery = contentQuery.extend({ from: z.string().max(20), to: z.string().max(20) })

type View = {
  workspaceId: string
  actor: string
  reply: FastifyReply
  query: z.infer<typeof contentQuery> & { page?: number }
}
type Comparison = { known: WorkflowAndDocument; pair: VersionPair; reply: FastifyReply }

/** Text of a document, read from the source for this request. Every view is in the audit log. */
export function documentTextRoutes(app: App, { resources, connections }: ApiContext): void {
  const { db, runners } = resources
  const contextOf = (workflow: WorkflowRow, source: Source) => ({
    source,
    runners: runnersFor(resources, workflow.workspace_id),
    nodes: parseNodes(workflow.nodes, { configured: runners.configured }),
  })

  const withSourceOf = <T>(workflow: WorkflowRow, work: (source: Source) => Promise<T>) =>
    withSource(connections, { sourceId: sourceIdOf(workflow), maxWaitMs: PATIENCE_MS }, work)

  app.get(
    '/documents/content',
    { config, schema: { querystring: contentQuery, response: { 200: documentContentShape } } },
    async (request, reply) => {
      const view = { ...callerOf(request), reply, query: request.query }
      const { result, entry } = await viewDocument(view, readContent)
      return contentOf(result, entry)
    },
  )

  app.get(
    '/documents/page',
    { config, schema: { querystring: pageQuery, response: { 200: drawnPageShape } } },
    async (request, reply) => {
      const { page } = request.query
      const view = { ...callerOf(request), reply, query: request.query }
      const { result } = await viewDocument(view, (context, document, signal) =>
        readPage(context, { ...document, page }, signal),
      )
      return { ...result, png: Buffer.from(result.png).toString('base64') }
    },
  )

  async function viewDocument<T extends { ref: DocumentRef }>(
    { workspaceId, actor, reply, query }: View,
    read: (context: ReturnType<typeof contextOf>, document: KnownDocument, signal: AbortSignal) => Promise<T>,
  ) {
    const { record_id: recordId, page } = query
    const { workflow, found } = await documentIn(db, { workspaceId, ...query })
    const entry = (await findLedgerEntries(db, [workflow.id], [recordId])).get(recordId)
    const locator = found.wanted?.ref.locator ?? entry?.locator ?? {}
    const result = await withSourceOf(workflow, (source) =>
      withDeadline(reply, { ms: TIMEOUT_MS, doing: 'reading the document' }, (signal) =>
        read(contextOf(workflow, source), { recordId, locator }, signal),
      ),
    )
    const { title } = result.ref
    const subject = { record_id: recordId, title, workflow: workflow.id, name: workflow.name, page }
    await recordAudit(db, { workspaceId, actor, action: 'view_document', subject })
    return { result, entry }
  }

  /** A source that does not answer still leaves the changes of permissions. */
  async function textOf({ known, pair, reply }: Comparison): Promise<TextComparison> {
    const { workflow, found } = known
    const [from, to] = [pair.from.version, pair.to.version]
    if (from === to) return { text: [], problem: null }
    if (!found.wanted) return { text: null, problem: 'The next run of the workflow lists this document.' }
    if (!workflow.source_id) return { text: null, problem: `The workflow "${workflow.name}" has no source.` }
    const ref = { ...found.wanted.ref, access: NO_ACCESS }
    return withSourceOf(workflow, (source) =>
      withDeadline(reply, { ms: TIMEOUT_MS, doing: 'reading two versions' }, (signal) =>
        compareVersions(contextOf(workflow, source), { ref, from, to }, signal),
      ),
    )
  }

  app.get(
    '/documents/changes',
    { config, schema: { querystring: changesQuery, response: { 200: documentChangesShape } } },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const { record_id: recordId, from, to } = request.query
      const known = await documentIn(db, { workspaceId, ...request.query })
      const { workflow, found } = known
      const pair = await findPair(db, { workflowId: workflow.id, recordId }, { from, to })
      if (!pair) throw notFound('Version')
      const { text, problem } = await textOf({ known, pair, reply })
      const title = found.wanted?.ref.title ?? ''
      const versions = { from: pair.from.version, to: pair.to.version }
      const subject = { record_id: recordId, title, workflow: workflow.id, name: workflow.name, ...versions }
      await recordAudit(db, { workspaceId, actor, action: 'view_document_changes', subject })
      const placed = found.wanted?.ref ?? { recordId, title, scope: '', scopeName: '', ancestors: [] }
      return {
        from: versionOf(pair.from),
        to: versionOf(pair.to),
        text,
        text_problem: problem,
        permissions: permissionChanges(placed, await permissionsOf(db, workflow.id, pair)),
      }
    },
  )
}
