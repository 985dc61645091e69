import { AppError, type ErrorCode } from '../../../errors.ts'
import type { Egress } from '../../egress/egress.ts'
import type { Site } from '../transport/site.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { serverInformationResponse } from './responses.ts'

type Access = { site: Site; authorization: string; egress: Egress }

const NO_VERSION_CODES: ErrorCode[] = ['source_not_found', 'source_forbidden', 'source_misread']

/** The version of a Data Center wiki, or null if unknown. */
export async function serverVersion(
  access: Access,
  { send }: WikiTransport,
  signal: AbortSignal,
): Promise<string | null> {
  const request = {
    doing: 'signing in',
    path: '/rest/api/server-information',
    response: serverInformationResponse,
  }
  try {
    return (await send(request, signal)).version.slice(0, 20)
  } catch (error) {
    if (!(error instanceof AppError) || !NO_VERSION_CODES.includes(error.code)) throw error
    return versionFromManifest(access, signal)
  }
}

/** Older wikis publish their version only in an XML manifest for other applications. */
async function versionFromManifest(
  { site, authorization, egress }: Access,
  signal: AbortSignal,
): Promise<string | null> {
  const url = new URL(`${site.base}/rest/applinks/1.0/manifest`)
  const headers = { authorization, accept: 'application/xml' }
  const options = { headers, maxBytes: 1024 * 1024, timeoutMs: 15_000 }
  const response = await egress.request(url, options, signal).catch(() => null)
  signal.throwIfAborted()
  if (response?.status !== 200) return null
  const text = await response.text()
  if (!/<typeId>confluence<\/typeId>/.test(text)) return null
  return /<version>(\d+(?:\.\d+){0,3})/.exec(text)?.[1] ?? null
}

/** Compares major and minor numbers; an unknown version counts as new. */
export function atLeast(version: string | null, wanted: string): boolean {
  if (version === null) return true
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number)
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
}
