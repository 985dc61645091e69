import { AppError } from '../../errors.ts'
import type { Account } from './access/accounts.ts'
import { type AccountProof, createAccountProof } from './account-proof.ts'
import type { PageIncludes, WikiClient } from './client.ts'
import { cloudClient } from './cloud/client.ts'
import { type CloudConnection, cloudIdOf, connectCloud } from './cloud/connect.ts'
import { authorization, type WikiConfig } from './config.ts'
import { dataCenterClient } from './data-center/client.ts'
import { serverVersion } from './data-center/version.ts'
import type { OpenOptions } from './open-options.ts'
import { dataCenterSite, isHosted } from './transport/site.ts'
import { createWikiTransport, isNotFound } from './transport/transport.ts'

/** A wiki that accepted the credentials. */
export type OpenedWiki = {
  client: WikiClient
  account: Account
  proof: AccountProof
  /** The deployment and its version, for people. */
  kind: string
  /** Set if the settings name the other deployment. */
  mismatch: string | null
}

/** `cloud` only says which deployment to try first. Credentials go only to the host and its gateway. */
export async function openDeployment(openOptions: OpenOptions, signal: AbortSignal): Promise<OpenedWiki> {
  const { config } = openOptions
  if (isHosted(new URL(config.url))) {
    const only = await connectCloud(openOptions, signal).catch(maybeOtherDeployment)
    if (!(only instanceof AppError)) return openedCloud(only, config)
    throw notAWiki(config.url, only)
  }
  if (config.cloud) {
    const first = await connectCloud(openOptions, signal).catch(maybeOtherDeployment)
    if (!(first instanceof AppError)) return openedCloud(first, config)
    if (await cloudIdOf(openOptions, signal)) throw first
    const second = await openDataCenter(openOptions, signal).catch(maybeOtherDeployment)
    if (!(second instanceof AppError)) return second
    throw notAWiki(config.url, first, second)
  }
  const first = await openDataCenter(openOptions, signal).catch(maybeOtherDeployment)
  if (!(first instanceof AppError)) return first
  if (await cloudIdOf(openOptions, signal))
    return openedCloud(await connectCloud(openOptions, signal), config)
  throw notAWiki(config.url, first)
}

function openedCloud({ kind, account, ...transports }: CloudConnection, config: WikiConfig): OpenedWiki {
  const client = cloudClient(transports, includesOf(config))
  const proof = createAccountProof(transports.transport, client, account)
  return { client, account, proof, kind, mismatch: null }
}

/** Images are attached files: a new version changes the page that shows it. */
function includesOf({ extract_files, extract_images }: WikiConfig): PageIncludes {
  return { files: extract_files || extract_images }
}

/** Fails if the credentials are rejected, because a visitor sees almost no pages. */
async function openDataCenter(openOptions: OpenOptions, signal: AbortSignal): Promise<OpenedWiki> {
  const { config, egress, options } = openOptions
  const access = { site: dataCenterSite(config.url), authorization: authorization(config), egress }
  const transport = createWikiTransport(access, options)
  const version = await serverVersion(access, transport, signal).catch(addHint(config))
  const visitor = createWikiTransport({ ...access, authorization: null }, options)
  const client = dataCenterClient({ transport, visitor }, { version, includes: includesOf(config) })
  const account = await client.me(signal).catch(addHint(config))
  const proof = createAccountProof(transport, client, account)
  const kind = `Data Center ${version ?? '(unknown version)'}`
  const mismatch = config.cloud
    ? `cloud is true, but ${access.site.name} is ${kind} and is read as that`
    : null
  return { client, account, proof, kind, mismatch }
}

/** The most common mistake is a personal access token with a username. */
function addHint({ username, token }: WikiConfig) {
  return (error: unknown): never => {
    const refused = error instanceof AppError && error.code === 'source_unauthorized'
    if (!refused || !username || !token) throw error
    const fix =
      'A personal access token of Data Center is used without username: remove username, or use a password'
    throw new AppError(error.code, error.message, { cause: error.cause, fix })
  }
}

/** Returns errors that the other deployment would cause too, and throws all others. */
function maybeOtherDeployment(error: unknown): AppError {
  const codes = ['source_not_found', 'source_unauthorized', 'source_forbidden', 'source_misread']
  if (error instanceof AppError && codes.includes(error.code)) return error
  throw error
}

function notAWiki(url: string, ...errors: AppError[]): AppError {
  const refused = errors.find((error) => !isNotFound(error))
  if (refused) return refused
  const message = `${new URL(url).host} is not a wiki: the paths of its API do not exist`
  return new AppError('source_not_a_wiki', message, {
    cause: errors[0],
    fix: 'Check that the address of the wiki is the one at which people open it, including its context path',
  })
}
