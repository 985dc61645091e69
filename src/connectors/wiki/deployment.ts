import { AppError } from '../../errors.ts'
import type { Egress } from '../egress.ts'
import type { Site } from './site.ts'
import { isMissing } from './transport.ts'

export type WikiAccess = { site: Site; authorization: string; egress: Egress }

/** Where the API is not found, or refuses to say, the address may be that of something else: this says of what. */
export async function whyNotThisWiki(
  access: WikiAccess,
  error: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const refused = error instanceof AppError && error.code === 'source_unauthorized'
  if (!isMissing(error) && !refused) return error
  const { site, authorization, egress } = access
  const url = new URL(`${site.origin}${site.prefix}/rest/api/server-information`)
  const headers = { authorization, accept: 'application/json' }
  const options = { headers, maxBytes: 1024 * 1024, timeoutMs: 15_000 }
  const answer = await egress.request(url, options, signal).catch(() => null)
  signal.throwIfAborted()
  const version = answer?.status === 200 ? versionIn(await answer.text()) : null
  if (version) {
    const told = `${site.name} is a Data Center wiki (version ${version}), and Data Center is not supported yet`
    return new AppError('source_not_a_wiki', told, { cause: error })
  }
  if (refused) return error
  return new AppError(
    'source_not_a_wiki',
    `${site.name} does not answer as a wiki does: it has not the paths of its API`,
    {
      cause: error,
      fix: 'Check that url is the address at which people open the wiki',
    },
  )
}

function versionIn(text: string): string | null {
  try {
    const { version } = JSON.parse(text) as { version?: unknown }
    return typeof version === 'string' && /^\d+(\.\d+){0,3}/.test(version) ? version.slice(0, 20) : null
  } catch {
    return null
  }
}
