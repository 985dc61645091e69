import { AppError } from '../../../errors.ts'
import type { VisitorTransports } from '../access/visitors.ts'
import { listOf, spaceAnswer, tenantAnswer } from '../answers.ts'
import { authorization } from '../config.ts'
import type { OpenOptions } from '../open-options.ts'
import { cloudSite, gatewaySite, isHosted } from '../transport/site.ts'
import { createWikiTransport, type WikiTransport } from '../transport/transport.ts'

export type CloudConnection = VisitorTransports & { kind: string }

/**
 * The way into a Cloud site: the site itself, or the gateway where the site refuses a token, since scoped ones and
 * those of service accounts are taken only there. Passwords never go to the gateway.
 */
export async function connectCloud(opening: OpenOptions, signal: AbortSignal): Promise<CloudConnection> {
  const { config, egress, options } = opening
  const access = { site: cloudSite(config.url), authorization: authorization(config), egress }
  const atSite = createWikiTransport(access, options)
  // The gateway serves no visitors; where only it is configured, no anonymous access can be proved.
  const isSite = access.site.prefix === ''
  const visitor = isSite ? createWikiTransport({ ...access, authorization: null }, options) : null
  try {
    await knock(atSite, signal)
    return { transport: atSite, visitor, kind: 'Cloud' }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'source_unauthorized' || !config.token) throw error
    const origin = gatewayFor(opening)
    const cloudId = origin ? await tenantOf(opening, signal) : null
    if (!origin || !cloudId) throw error
    const site = gatewaySite(access.site, { origin, cloudId })
    const atGateway = createWikiTransport({ ...access, site }, options)
    await knock(atGateway, signal, 2).catch((second) => {
      // A gateway that wants another scope took the token; one that took it for nothing adds nothing.
      signal.throwIfAborted()
      throw second instanceof AppError && second.code === 'source_forbidden'
        ? second
        : withHint(error, config)
    })
    return { transport: atGateway, visitor, kind: 'Cloud, through the gateway for scoped tokens' }
  }
}

/** The gateway belongs to sites under the vendor's own names; whoever else shows a tenant is not sent there. */
function gatewayFor({ config, options }: OpenOptions): string | null {
  return options.gatewayOrigin ?? (isHosted(new URL(config.url)) ? 'https://api.atlassian.com' : null)
}

/** The id under which the gateway knows the site; null for what is no Cloud site. Asked without credentials. */
export async function tenantOf(opening: OpenOptions, signal: AbortSignal): Promise<string | null> {
  const { config, egress, options } = opening
  const site = { ...cloudSite(config.url), base: new URL(config.url).origin }
  const question = {
    doing: 'looking up the site',
    path: '/_edge/tenant_info',
    answer: tenantAnswer,
    tries: 3,
  }
  try {
    return (await createWikiTransport({ site, authorization: null, egress }, options).ask(question, signal))
      .cloudId
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) return null
    throw error
  }
}

/** v2 is what only a Cloud site has; Data Center answers this path with "not found". */
async function knock({ ask }: WikiTransport, signal: AbortSignal, tries?: number): Promise<void> {
  const question = { doing: 'signing in', path: '/api/v2/spaces', query: { limit: '1' } }
  await ask({ ...question, answer: listOf(spaceAnswer), ...(tries ? { tries } : {}) }, signal)
}

function withHint(error: AppError, { username }: { username?: string | undefined }): AppError {
  if (username) return error
  const fix = 'On Cloud a token goes with the e-mail address of its account: give it as username'
  return new AppError(error.code, error.message, { cause: error, fix })
}
