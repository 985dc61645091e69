import { AppError } from '../../../errors.ts'
import type { Account } from '../access/accounts.ts'
import { currentAccount } from '../access/current-account.ts'
import type { VisitorTransports } from '../access/visitors.ts'
import { authorization } from '../config.ts'
import type { OpenOptions } from '../open-options.ts'
import { accountResponse, tenantResponse } from '../responses.ts'
import { cloudSite, gatewaySite, isHosted } from '../transport/site.ts'
import { createWikiTransport, type SignedTransport } from '../transport/transport.ts'

export type CloudConnection = VisitorTransports & {
  transport: SignedTransport
  account: Account
  kind: string
}

/** Only the gateway accepts scoped tokens and those of service accounts. Passwords never go there. */
export async function connectCloud(openOptions: OpenOptions, signal: AbortSignal): Promise<CloudConnection> {
  const { config, egress, options } = openOptions
  const access = { site: cloudSite(config.url), authorization: authorization(config), egress }
  const siteTransport = createWikiTransport(access, options)
  // The gateway serves no visitors, so anonymous access cannot be proved there.
  const isSite = access.site.prefix === ''
  const visitor = isSite ? createWikiTransport({ ...access, authorization: null }, options) : null
  try {
    const account = await signIn(siteTransport, signal)
    return { transport: siteTransport, visitor, account, kind: 'Cloud' }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'source_unauthorized' || !config.token) throw error
    const origin = gatewayFor(openOptions)
    const cloudId = origin ? await cloudIdOf(openOptions, signal) : null
    if (!origin || !cloudId) throw error
    const site = gatewaySite(access.site, { origin, cloudId })
    const gatewayTransport = createWikiTransport({ ...access, site }, options)
    const account = await signIn(gatewayTransport, signal, 2).catch((second) => {
      // If the gateway requires another grant, it has accepted the token.
      signal.throwIfAborted()
      throw second instanceof AppError && second.code === 'source_forbidden'
        ? second
        : withHint(error, config)
    })
    const kind = 'Cloud, through the gateway for scoped tokens'
    return { transport: gatewayTransport, visitor, account, kind }
  }
}

/** Only sites under the vendor's domains use the gateway. */
function gatewayFor({ config, options }: OpenOptions): string | null {
  return options.gatewayOrigin ?? (isHosted(new URL(config.url)) ? 'https://api.atlassian.com' : null)
}

/** The id of a Cloud site, else null. Sent without credentials. */
export async function cloudIdOf(openOptions: OpenOptions, signal: AbortSignal): Promise<string | null> {
  const { config, egress, options } = openOptions
  const site = { ...cloudSite(config.url), base: new URL(config.url).origin }
  const request = {
    doing: 'looking up the site',
    path: '/_edge/tenant_info',
    response: tenantResponse,
    tries: 3,
  }
  try {
    return (await createWikiTransport({ site, authorization: null, egress }, options).send(request, signal))
      .cloudId
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) return null
    throw error
  }
}

/** A list of spaces would prove nothing, because visitors may see some. */
function signIn(transport: SignedTransport, signal: AbortSignal, tries?: number): Promise<Account> {
  return currentAccount(transport, { response: accountResponse, tries }, signal)
}

function withHint(error: AppError, { username }: { username?: string | undefined }): AppError {
  if (username) return error
  const fix = 'On Cloud a token needs the e-mail address of its account as username'
  return new AppError(error.code, error.message, { cause: error, fix })
}
