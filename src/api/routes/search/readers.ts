import { z } from 'zod'
import { documentReaders } from '../../../search/document-readers.ts'
import type { Names } from '../../../search/names.ts'
import { readersShape } from '../../../search/shapes/lab.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { destinationIn } from '../connectors/connector-in.ts'

/** Who can read a document. Audited. */
export function readersRoutes(app: App, context: ApiContext, names: Names): void {
  const { db } = context.resources
  const config = { allows: 'administrator', keys: true } as const
  const schema = {
    params: idParams,
    querystring: z.strictObject({ record_id: z.string().min(1).max(1000) }),
    response: { 200: readersShape },
  }

  app.get('/destinations/:id/readers', { config, schema }, async (request, reply) => {
    const { workspaceId, actor } = callerOf(request)
    const { record_id: recordId } = request.query
    const destination = await destinationIn(db, workspaceId, request.params.id)
    const doing = 'reading who can read a document'
    const readers = await withDeadline(reply, { doing }, (signal) =>
      documentReaders({ context, names }, { destination, recordId }, signal),
    )
    const { id, name } = destination
    const subject = { destination: id, name, record_id: recordId, title: readers.title }
    await recordAudit(db, { workspaceId, actor, action: 'list_readers', subject })
    return readers
  })
}
