import { z } from 'zod'
import type { Memberships } from '../../../search/memberships.ts'
import { mayName, mayNotImpersonate, requireDestination } from '../../../search/search-person.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { destinationIn } from '../connectors/connector-in.ts'

/** Tokens of a person, for clients that query the index. Audited. */
export function tokensRoutes(app: App, { resources: { db } }: ApiContext, memberships: Memberships): void {
  app.get(
    '/destinations/:id/tokens',
    {
      config: { allows: 'administrator', keys: 'search' },
      schema: {
        params: idParams,
        querystring: z.strictObject({ user: z.string().min(1).max(1000) }),
        response: { 200: tokensShape },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { workspaceId, actor } = caller
      if (!mayName(caller)) throw mayNotImpersonate()
      const { id } = request.params
      const { user } = request.query
      const destination = await destinationIn(db, workspaceId, id)
      requireDestination(caller, destination)
      return withDeadline(reply, { doing: 'reading the groups of a person' }, async (signal) => {
        const { tokens, sites, expiresAt } = await memberships.readerOf(
          { kind: 'named', as: { user } },
          destination,
          signal,
        )
        await recordAudit(db, {
          workspaceId,
          actor,
          action: 'tokens_as',
          subject: { destination: id, as: { user } },
        })
        return { user, tokens, sites, expires_at: expiresAt.toISOString() }
      })
    },
  )
}

const tokensShape = z.object({
  user: z.string(),
  /** Empty for a deactivated or closed account. */
  tokens: z.array(z.string()),
  sites: z.array(z.string()),
  expires_at: z.string(),
})
