import { z } from 'zod'
import { claimIdentity, type PersonTokens, type VerifiedToken } from '../../../accounts/person-token.ts'
import { forEachLimited } from '../../../concurrency.ts'
import { AppError, type ErrorCode, explain, invalid, notFound } from '../../../errors.ts'
import { withSource } from '../../../jobs/connections.ts'
import { PATIENCE_MS } from '../../../search/memberships.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { countAccounts, matchAccounts } from '../../../store/accounts/identities.ts'
import {
  deleteIdentitySettings,
  readIdentitySettings,
  storeIdentitySettings,
} from '../../../store/accounts/identity-settings.ts'
import { type ConnectorRow, listConnectors } from '../../../store/connectors/connectors.ts'
import { type ApiContext, type App, callerOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { identitySettingsBody, identitySettingsShape, identityTestShape } from '../../shapes/identity.ts'

const TEST_MS = 30_000
/** Sources that are asked at the same time. */
const CONCURRENT_SOURCES = 4

/** How tokens of the company's identity provider name a person. */
export function identitySettingsRoutes(app: App, context: ApiContext, personTokens: PersonTokens): void {
  const { resources } = context
  const { db } = resources
  const tags = ['identities']
  const config = { allows: 'administrator', keys: false } as const

  app.get(
    '/identity',
    { config, schema: { tags, response: { 200: identitySettingsShape } } },
    async (request) => {
      const settings = await readIdentitySettings(db, callerOf(request).workspaceId)
      if (!settings) throw notFound('Identity settings')
      return settings
    },
  )

  app.put(
    '/identity',
    { config, schema: { tags, body: identitySettingsBody, response: { 200: identitySettingsShape } } },
    async (request) => {
      const { workspaceId, actor } = callerOf(request)
      const { body } = request
      const settings = { ...body, claim: body.claim ?? (body.mapping === 'email' ? 'email' : 'sub') }
      for (const field of ['issuer', 'jwks_url'] as const) {
        const refusal = settings[field] ? resources.egress.refusal(new URL(settings[field])) : null
        if (refusal) throw invalid(['body', field], `${field} cannot be used: ${refusal}`)
      }
      await storeIdentitySettings(db, workspaceId, settings)
      const { issuer, audience, claim, mapping, trust_email } = settings
      const subject = { issuer, audience, claim, mapping, trust_email }
      await recordAudit(db, { workspaceId, actor, action: 'set_identity_settings', subject })
      return settings
    },
  )

  app.delete('/identity', { config, schema: { tags, response: { 200: z.object({}) } } }, async (request) => {
    const { workspaceId, actor } = callerOf(request)
    if (!(await deleteIdentitySettings(db, workspaceId))) throw notFound('Identity settings')
    await recordAudit(db, { workspaceId, actor, action: 'delete_identity_settings', subject: {} })
    return {}
  })

  const body = z.strictObject({ token: z.string().trim().min(1).max(100_000) })
  app.post(
    '/identity/test',
    { config, schema: { tags, body, response: { 200: identityTestShape } } },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const token = await personTokens.read(workspaceId, request.body.token).catch(invalidToken)
      await recordAudit(db, {
        workspaceId,
        actor,
        action: 'test_identity_settings',
        subject: { valid: !(token instanceof AppError) },
      })
      if (token instanceof AppError)
        return { valid: false, code: token.code, reason: explain(token).message, person: null, sources: [] }
      const sources = await withDeadline(reply, { ms: TEST_MS, doing: 'testing a token' }, (signal) =>
        accountsOf(context, { workspaceId, token }, signal),
      )
      return { valid: true, code: null, reason: null, person: toPerson(token), sources }
    },
  )
}

async function accountsOf(
  context: ApiContext,
  { workspaceId, token }: { workspaceId: string; token: VerifiedToken },
  signal: AbortSignal,
) {
  const { db } = context.resources
  const sources = await listConnectors(db, workspaceId, { kind: 'source' })
  const found = new Map<string, { account: string | null; reason: string | null }>()
  await forEachLimited(sources, CONCURRENT_SOURCES, async (source) => {
    found.set(source.id, await accountIn(context, { source, token }, signal))
  })
  return sources.map(({ id, name }) => ({ source_id: id, name, ...found.get(id)! }))
}

async function accountIn(
  context: ApiContext,
  { source, token }: { source: ConnectorRow; token: VerifiedToken },
  signal: AbortSignal,
) {
  const { db } = context.resources
  const { id, workspace_id: workspaceId } = source
  const identity = claimIdentity(token)
  const account = identity
    ? ((await matchAccounts(db, { workspaceId, ...identity }, [id])).get(id) ?? null)
    : token.value
  if (account !== null)
    return { account, reason: await accountProblem(context, { sourceId: id, account }, signal) }
  const isAmbiguous = identity && (await countAccounts(db, { sourceId: id, ...identity })) > 1
  return { account: null, reason: isAmbiguous ? AMBIGUOUS : UNKNOWN }
}

/** Null if the source knows the account as active. */
async function accountProblem(
  { connections }: ApiContext,
  { sourceId, account }: { sourceId: string; account: string },
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return await withSource(connections, { sourceId, maxWaitMs: PATIENCE_MS }, async (source) => {
      const belonging = await source.people?.groupsOf(account, signal)
      return belonging ? STATES[belonging.account] : null
    })
  } catch (error) {
    signal.throwIfAborted()
    return `the source could not be asked: ${explain(error).message}`
  }
}

const UNKNOWN = 'no identity of this source has this value; the person reads what visitors read'
const AMBIGUOUS = 'several accounts have this value, so it matches none; the person reads what visitors read'
const STATES = {
  known: null,
  unlicensed:
    'the account has no access to the product; the person reads what visitors and all signed-in accounts read',
  unknown: 'the source does not know this account; the person reads what visitors read',
  inactive: 'the account is deactivated and reads nothing',
}

/** Missing settings are an error of the request, not of the token. */
const RESULTS: ErrorCode[] = ['person_token_invalid', 'identity_provider_failed']

function invalidToken(error: unknown): AppError {
  if (error instanceof AppError && RESULTS.includes(error.code)) return error
  throw error
}

function toPerson({ settings, issuer, audience, subject, value, expiresAt }: VerifiedToken) {
  const { claim, mapping } = settings
  return { issuer, audience, subject, claim, value, mapping, expires_at: expiresAt.toISOString() }
}
