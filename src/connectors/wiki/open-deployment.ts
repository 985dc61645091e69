import { AppError } from '../../errors.ts'
import type { Wants, WikiClient } from './client.ts'
import { cloudClient } from './cloud/client.ts'
import { type CloudConnection, connectCloud, tenantOf } from './cloud/connect.ts'
import { authorization, type WikiConfig } from './config.ts'
import { dataCenterClient } from './data-center/client.ts'
import { serverVersion } from './data-center/version.ts'
import type { OpenOptions } from './open-options.ts'
import { dataCenterSite, isHosted } from './transport/site.ts'
import { createWikiTransport, isNotFound } from './transport/transport.ts'

/** A wiki that was found and let us in. */
export type OpenedWiki = {
  client: WikiClient
  /** What it turned out to be, for people. */
  kind: string
  /** Set where the settings say otherwise. */
  mismatch: string | null
}

/**
 * Finds out what answers at the address. `cloud` says where to look first, and is a hint rather than a switch: an
 * API token may come with either value, and since the two deployments cannot be mistaken for one another (only one
 * has v2 and a tenant, only the other knows people by a key) a wrong value costs a few requests and a word in the
 * check instead of the run. Credentials go to the configured host alone, and from there only to the gateway that
 * belongs to it.
 */
export async function openDeployment(opening: OpenOptions, signal: AbortSignal): Promise<OpenedWiki> {
  const { config } = opening
  if (isHosted(new URL(config.url))) {
    const only = await connectCloud(opening, signal).catch(unlessElsewhere)
    if (!(only instanceof AppError)) return opened(only, config)
    throw whyNeither(config.url, only)
  }
  if (config.cloud) {
    const first = await connectCloud(opening, signal).catch(unlessElsewhere)
    if (!(first instanceof AppError)) return opened(first, config)
    if (await tenantOf(opening, signal)) throw first
    const second = await openDataCenter(opening, signal).catch(unlessElsewhere)
    if (!(second instanceof AppError)) return second
    throw whyNeither(config.url, first, second)
  }
  const first = await openDataCenter(opening, signal).catch(unlessElsewhere)
  if (!(first instanceof AppError)) return first
  if (await tenantOf(opening, signal)) return opened(await connectCloud(opening, signal), config)
  throw whyNeither(config.url, first)
}

function opened({ kind, ...doors }: CloudConnection, config: WikiConfig): OpenedWiki {
  return { client: cloudClient(doors, wantsOf(config)), kind, mismatch: null }
}

/** Pictures are files too: a new version of one is a change of the page that shows it. */
function wantsOf({ extract_files, extract_images }: WikiConfig): Wants {
  return { files: extract_files || extract_images }
}

/** Its version where it tells it, and who is asking: a wiki that takes us for a visitor would look all but empty. */
async function openDataCenter(opening: OpenOptions, signal: AbortSignal): Promise<OpenedWiki> {
  const { config, egress, options } = opening
  const access = { site: dataCenterSite(config.url), authorization: authorization(config), egress }
  const transport = createWikiTransport(access, options)
  const version = await serverVersion(access, transport, signal).catch(hinting(config))
  const visitor = createWikiTransport({ ...access, authorization: null }, options)
  const client = dataCenterClient({ transport, visitor }, { version, wants: wantsOf(config) })
  await client.me(signal).catch(hinting(config))
  const kind = `Data Center ${version ?? 'of an unknown version'}`
  const mismatch = config.cloud
    ? `cloud is true, but ${access.site.name} is ${kind}; it is read as such`
    : null
  return { client, kind, mismatch }
}

/** What people do most: a personal access token with the name of its account beside it. */
function hinting({ username, token }: WikiConfig) {
  return (error: unknown): never => {
    const refused = error instanceof AppError && error.code === 'source_unauthorized'
    if (!refused || !username || !token) throw error
    const fix =
      'A personal access token of Data Center goes alone: leave username out, or give a password with it'
    throw new AppError(error.code, error.message, { cause: error.cause, fix })
  }
}

/** Refused or not found: the address may be that of the other deployment. Anything else is an error of its own. */
function unlessElsewhere(error: unknown): AppError {
  const codes = ['source_not_found', 'source_unauthorized', 'source_forbidden', 'source_misread']
  if (error instanceof AppError && codes.includes(error.code)) return error
  throw error
}

function whyNeither(url: string, ...errors: AppError[]): AppError {
  const refused = errors.find((error) => !isNotFound(error))
  if (refused) return refused
  const told = `${new URL(url).host} does not answer as a wiki does: it has not the paths of its API`
  return new AppError('source_not_a_wiki', told, {
    cause: errors[0],
    fix: 'Check that url is the address at which people open the wiki, with the path before its pages if there is one',
  })
}
