import { AppError } from '../../../errors.ts'
import type { EgressResponse } from '../../egress/egress.ts'
import type { FailedResponse } from '../../kit/failed-response.ts'
import { CAPTCHA_FIX, type ResponseInfo, SIGN_IN_FIX } from './response-errors.ts'
import type { Site } from './site.ts'

/** `OUT` alone decides nothing: it is about an earlier session, and `OK` may follow. */
const REFUSED = ['AUTHENTICATED_FAILED', 'AUTHENTICATION_DENIED', 'AUTHORISATION_FAILED']

/** Whether the response says that the credentials of its request were accepted. */
export function saysSignedIn({ headers }: Pick<EgressResponse, 'headers'>): boolean {
  return reasonsIn(headers).includes('OK')
}

/**
 * The error of a response that says that the credentials were not accepted; for requests with credentials only. A wiki
 * that admits visitors then answers with 200, as for a visitor.
 */
export function refusedSignIn(doing: string, response: EgressResponse, site: Site): FailedResponse | null {
  const { status, headers } = response
  const failure = (why: string, fix: string): FailedResponse => {
    const cause = { status, signedOut: true } satisfies ResponseInfo
    const message = `${doing}: ${site.name} ${why}`
    return { error: new AppError('source_unauthorized', message, { cause, fix }), tries: 1 }
  }
  // After wrong passwords Data Center rejects sign-ins until a captcha is solved.
  if ((status === 401 || status === 403) && headers.has('x-authentication-denied-reason'))
    return failure(`requires a captcha to sign in (${status})`, CAPTCHA_FIX)
  const reason = reasonsIn(headers).find((each) => REFUSED.includes(each))
  return reason ? failure(`rejected the credentials (${status}, ${reason})`, SIGN_IN_FIX) : null
}

function reasonsIn(headers: Headers): string[] {
  return (headers.get('x-seraph-loginreason') ?? '').split(',').map((reason) => reason.trim().toUpperCase())
}
