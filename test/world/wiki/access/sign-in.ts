import type { WikiResponse } from '../http.ts'
import type { ApiAccount, World } from '../model/model.ts'

/** At the site: the address with a classic token. `scoped`: a token that works only at the gateway. */
export function siteAccount(
  world: World,
  authorization: string | undefined,
): ApiAccount | 'scoped' | undefined {
  const basic = readBasic(authorization)
  if (basic === undefined) return undefined
  const account = valid(world).find((each) => each.email.toLowerCase() === basic.user.toLowerCase())
  if (account?.apiToken === basic.secret) return account
  return account?.scopedToken === basic.secret ? 'scoped' : undefined
}

/** Scoped tokens with an email address, or Bearer tokens of service accounts and OAuth. */
export function gatewayAccount(world: World, authorization: string | undefined): ApiAccount | undefined {
  const bearer = readBearer(authorization)
  if (bearer !== undefined) return valid(world).find((each) => each.bearer === bearer)
  const basic = readBasic(authorization)
  if (basic === undefined) return undefined
  return valid(world).find(
    (each) => each.email.toLowerCase() === basic.user.toLowerCase() && each.scopedToken === basic.secret,
  )
}

/** On Data Center: a personal access token, or name and password. */
export function dataCenterAccount(world: World, authorization: string | undefined): ApiAccount | undefined {
  const token = readBearer(authorization)
  if (token !== undefined) return valid(world).find((each) => each.pat === token)
  const basic = readBasic(authorization)
  return valid(world).find((each) => each.username === basic?.user && each.password === basic.secret)
}

const valid = ({ accounts }: World): ApiAccount[] => accounts.filter(({ expired }) => !expired)

export function readBasic(authorization: string | undefined): { user: string; secret: string } | undefined {
  const encoded = /^Basic (.+)$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  return colon === -1 ? undefined : { user: text.slice(0, colon), secret: text.slice(colon + 1) }
}

export const readBearer = (authorization: string | undefined): string | undefined =>
  /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]

/**
 * Sites send the result of the sign-in in a header. Wrong credentials differ from a visitor's request only by
 * it.
 */
export function withLoginReason(
  response: WikiResponse,
  { authorization, signedIn }: { authorization: string | undefined; signedIn: boolean },
): WikiResponse {
  if (authorization === undefined) return response
  const reason = signedIn ? 'OK' : 'AUTHENTICATED_FAILED'
  return { ...response, headers: { ...response.headers, 'x-seraph-loginreason': reason } }
}
