import { AppError } from '../../../errors.ts'
import type { EgressResponse } from '../../egress/egress.ts'
import { errorOfStatus, type FailedResponse } from '../../kit/failed-response.ts'
import { describeGrant, grantOfRequest, type TokenGrant } from '../token-grants.ts'
import type { Site } from './site.ts'

/** The cause of an error from a response; `grant` is what a scoped token may lack, `signedOut` what the response says. */
export type ResponseInfo = { status: number; grant?: TokenGrant; signedOut?: true }

/** Null for a successful response. */
export async function errorOfResponse(
  doing: string,
  response: EgressResponse,
  site: Site,
): Promise<FailedResponse | null> {
  const { status } = response
  const grant = [401, 403, 404].includes(status) ? grantOfRequest(response.url, site) : null
  const cause = { status, ...(grant && { grant }) } satisfies ResponseInfo
  const fixes = { 401: SIGN_IN_FIX, 403: withGrantFix(PERMISSION, grant), 404: withGrantFix('', grant) }
  const failed = errorOfStatus({ doing, site, cause, fixes }, response)
  // The gateway also responds with 401 if a valid token lacks a grant.
  if (failed?.error.code !== 'source_unauthorized') return failed
  if (!/scope does not match/i.test(await response.text())) return failed
  const message = `${doing}: ${site.name} rejected the token because it lacks a scope (401)`
  const error = new AppError('source_forbidden', message, { cause, fix: missingGrantFix(grant) })
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
  'Check the user name and the token, that the token has not expired, and the address of the wiki'
const PERMISSION = 'Give the account permission to see it'
export const CAPTCHA_FIX =
  'Sign in once in a browser as the account and solve the captcha, or use a personal access token'
const ALL_GRANTS = 'docs/connectors/wiki.md lists all scopes'

function missingGrantFix(grant: TokenGrant | null): string {
  return grant
    ? `The token needs ${describeGrant(grant)}; ${ALL_GRANTS}`
    : `Create a token with more scopes; ${ALL_GRANTS}`
}

/** A missing grant may look like a missing permission or a 404. */
function withGrantFix(fix: string, grant: TokenGrant | null): string {
  if (!grant) return fix
  return `${fix ? `${fix}, or check` : 'Check'} that the token has ${describeGrant(grant)}`
}
