import { z } from 'zod'
import { SANDBOX_MAX_DOCUMENTS } from '../../../connectors/egress/sandbox-host.ts'
import { documentsWritten } from '../../../store/sandbox/documents.ts'
import { type ApiContext, type App, callerOf } from '../../http/context.ts'
import { destinationShape } from '../../shapes/resources.ts'
import { noBody } from '../../shapes/rules.ts'
import { findOrCreateSandbox, findSandbox, sandboxReason } from './add-sandbox.ts'
import { toDestination } from './connectors.ts'

/** A destination to begin with: a part of the service's own database. */
export function sandboxRoutes(app: App, { resources }: ApiContext): void {
  app.get(
    '/sandbox',
    { config: { allows: 'viewer', keys: true }, schema: { response: { 200: sandboxShape } } },
    async (request) => {
      const { db, egress } = resources
      const destination = await findSandbox(db, callerOf(request).workspaceId)
      // An existing one needs no more privileges.
      const reason = destination && egress.sandbox ? null : await sandboxReason(resources)
      return {
        available: reason === null,
        reason,
        destination_id: destination?.id ?? null,
        max_documents: SANDBOX_MAX_DOCUMENTS,
        documents: destination ? await documentsWritten(db, destination) : 0,
      }
    },
  )

  app.post(
    '/sandbox',
    {
      config: { allows: 'developer', keys: true },
      schema: { body: noBody, response: { 200: destinationShape } },
    },
    async (request) =>
      toDestination(resources.registry, await findOrCreateSandbox(resources, callerOf(request))),
  )
}

const sandboxShape = z.object({
  available: z.boolean(),
  reason: z.string().nullable().describe('Why it is not available, and what the service operator can do'),
  destination_id: z.string().nullable().describe('The sandbox of this workspace, if it was created'),
  max_documents: z.number(),
  documents: z.number().describe('Documents that workflows wrote into it'),
})
