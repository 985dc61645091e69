import { z } from 'zod'
import { createAttemptLimit } from '../../../accounts/attempt-limit.ts'
import { accountsOfMember } from '../../../accounts/identities.ts'
import { AppError, invalid, notFound } from '../../../errors.ts'
import { canLinkAccounts, ownAccountIn } from '../../../jobs/own-account-in-source.ts'
import type { Resources } from '../../../jobs/resources.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { linkedSources, linkMember, unlinkMember } from '../../../store/accounts/identities.ts'
import { listConnectors } from '../../../store/connectors/connectors.ts'
import type { LimitCounts } from '../../../store/counts/counts.ts'
import { type ApiContext, type App, callerOf, personOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { sourceIn } from '../connectors/connector-in.ts'

const LINK_MS = 30_000
/** Another person may guess credentials of the source through us. */
const ATTEMPTS = { name: 'link of an account', max: 10, windowMs: 15 * 60_000 }

const tags = ['identities']
const config = { allows: 'reader', keys: false } as const

/** A member's own accounts in the sources. */
export function identityLinkRoutes(app: App, { resources }: ApiContext, counts: LimitCounts): void {
  const { db } = resources
  const attempts = createAttemptLimit(counts, ATTEMPTS)

  app.get(
    '/identities/own',
    { config, schema: { tags, response: { 200: z.array(ownAccountShape) } } },
    async (request) => {
      const { workspaceId, id: userId } = callerOf(request)
      return ownAccounts(resources, { workspaceId, userId })
    },
  )

  const credentials = {
    username: z.preprocess(
      (value) => (value === '' || value === null ? undefined : value),
      z.string().trim().max(255).optional(),
    ),
    token: z.string().min(1).max(4000),
  }
  app.post(
    '/identities/link',
    {
      config,
      schema: {
        tags,
        body: z.strictObject({ source_id: z.uuid(), ...credentials }),
        response: {
          200: z.object({ source_id: z.string(), account: z.string(), name: z.string().nullable() }),
        },
      },
    },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const { id: userId } = personOf(request)
      const { source_id: id, username, token } = request.body
      const source = await sourceIn(db, workspaceId, id)
      const seconds = await attempts.begin(userId)
      if (seconds > 0) {
        reply.header('retry-after', seconds)
        throw new AppError('rate_limited', `too many attempts; try again in ${seconds} seconds`)
      }
      const { id: account, name } = await withDeadline(
        reply,
        { ms: LINK_MS, doing: 'signing in to the source' },
        (signal) => ownAccountIn(resources, source, { credentials: { username, token }, signal }),
      ).catch(wrongCredentials)
      await linkMember(db, { workspaceId, sourceId: source.id, userId, account, revision: source.revision })
      await recordAudit(db, {
        workspaceId,
        actor,
        action: 'link_identity',
        subject: { source: source.id, account },
      })
      // Only this attempt: own credentials must not allow more guesses.
      await attempts.undo(userId)
      return { source_id: source.id, account, name }
    },
  )

  app.delete(
    '/identities/link',
    {
      config,
      schema: {
        tags,
        querystring: z.strictObject({ source_id: z.uuid() }),
        response: { 200: z.object({}) },
      },
    },
    async (request) => {
      const { workspaceId, actor, id: userId } = callerOf(request)
      const { id: sourceId } = await sourceIn(db, workspaceId, request.query.source_id)
      if (!(await unlinkMember(db, { workspaceId, sourceId, userId }))) throw notFound('Linked account')
      await recordAudit(db, { workspaceId, actor, action: 'unlink_identity', subject: { source: sourceId } })
      return {}
    },
  )
}

/** In every source, with or without an account. */
async function ownAccounts(
  { db, registry }: Resources,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<z.infer<typeof ownAccountShape>[]> {
  const sources = await listConnectors(db, workspaceId, { kind: 'source' })
  const ids = sources.map(({ id }) => id)
  const accounts = await accountsOfMember(db, { workspaceId, userId }, ids)
  const linked = await linkedSources(db, { workspaceId, userId })
  return sources.map(({ id, name, type: typeName, config }) => {
    const type = registry.source(typeName)
    return {
      source_id: id,
      name,
      address: addressIn(config, type?.addressFields),
      account: accounts.get(id) ?? null,
      linked: linked.has(id),
      can_link: type !== undefined && canLinkAccounts(type),
    }
  })
}

const ownAccountShape = z.object({
  source_id: z.string(),
  name: z.string(),
  /** Where credentials are sent to link an account. */
  address: z.string().nullable(),
  /** Null: the person reads what visitors read. */
  account: z.string().nullable(),
  /** Whether the person linked it; otherwise the address matched. */
  linked: z.boolean(),
  can_link: z.boolean(),
})

function addressIn(config: Record<string, unknown>, [field]: string[] = []): string | null {
  const address = field && config[field]
  return typeof address === 'string' ? address : null
}

/** The errors of the source's settings and sign-in, at the fields of the form. */
function wrongCredentials(error: unknown): never {
  if (!(error instanceof AppError)) throw error
  if (error.code === 'source_unauthorized')
    throw invalid(['body', 'token'], 'the source rejected these credentials')
  if (error.code !== 'invalid_request') throw error
  const [field] = error.fields ?? []
  const name = field?.loc.at(-1) === 'username' ? 'username' : 'token'
  throw invalid(['body', name], field?.msg ?? error.message)
}
