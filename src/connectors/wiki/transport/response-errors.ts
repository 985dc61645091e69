import { AppError } from '../../../errors.ts'
import type { EgressResponse } from '../../egress/egress.ts'
import { errorOfStatus, type FailedResponse } from '../../kit/failed-response.ts'
import { describeScope, type Scope, scopeOfRequest } from '../scopes.ts'
import type { Site } from './site.ts'

/** The cause of an error from a response; `scope` is what a scoped token may lack, `signedOut` what the response says. */
export type ResponseInfo = { status: number; scope?: Scope; signedOut?: true }

/** Null for a successful response. */
export async function errorOfResponse(
  doing: string,
  response: EgressResponse,
  site: Site,
): Promise<FailedResponse | null> {
  const { status } = response
  const scope = [401, 403, 404].includes(status) ? scopeOfRequest(response.url, site) : null
  const cause = { status, ...(scope && { scope }) } satisfies ResponseInfo
  const fixes = { 401: SIGN_IN_FIX, 403: withScopeFix(PERMISSION, scope), 404: withScopeFix('', scope) }
  const failed = errorOfStatus({ doing, site, cause, fixes }, response)
  // The gateway also responds with 401 if a valid token lacks a scope.
  if (failed?.error.code !== 'source_unauthorized') return failed
  if (!/scope does not match/i.test(await response.text())) return failed
  const message = `${doing}: ${site.name} rejected the token because it lacks a scope (401)`
  const error = new AppError('source_forbidden', message, { cause, fix: missingScopeFix(scope) })
  return { error, tries: 1 }
}

export function misread(doing: string, why: string, site: Site): FailedResponse {
  const cause = { status: 200 } satisfies ResponseInfo
  return { error: new AppError('source_misread', `${doing}: ${site.name} ${why}`, { cause }), tries: 4 }
}

export function signInPage(doing: string, site: Site): FailedResponse {
  const why = 'answered with a web page instead of data; it may be a sign-in page'
  const cause = { status: 200 } satisfies ResponseInfo
  const error = new AppError('source_unauthorized', `${doing}: ${site.name} ${why}`, {
    cause,
    fix: SIGN_IN_FIX,
  })
  return { error, tries: 1 }
}

export const SIGN_IN_FIX =
  'Check username and token, that the token has not expired, and that url is the address of the wiki'
const PERMISSION = 'Give the account permission to see it'
export const CAPTCHA_FIX =
  'Sign in once in a browser as the account and solve the captcha, or use a personal access token'
const ALL_SCOPES = 'docs/connectors/wiki.md lists all scopes'

function missingScopeFix(scope: Scope | null): string {
  return scope
    ? `The token needs ${describeScope(scope)}; ${ALL_SCOPES}`
    : `Create a token with more scopes; ${ALL_SCOPES}`
}

/** A missing scope may look like a missing permission or a 404. */
function withScopeFix(fix: string, scope: Scope | null): string {
  if (!scope) return fix
  return `${fix ? `${fix}, or check` : 'Check'} that the token has ${describeScope(scope)}`
}
