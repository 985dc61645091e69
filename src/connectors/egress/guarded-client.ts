import { isIP, type Socket } from 'node:net'
import { Agent, type buildConnector } from 'undici'
import { AppError } from '../../errors.ts'
import { bareHost, isLocalName, whyNeverByName, whyNotPublic } from './address.ts'
import type { Connect, Resolve } from './connect.ts'
import type { EgressRequest, EgressResponse } from './egress.ts'
import { describeFailure } from './failure.ts'
import { type Inside, isReserved, isSampleWiki, SAMPLE_WIKI } from './sample-host.ts'
import { type Guard, requestThrough } from './request.ts'

/** Which hosts a client may reach. */
export type Policy = {
  /** Exempt from https-only and public-only. */
  isAllowed(url: URL): boolean
  /** Allowed names may resolve to any address, metadata services included. */
  isOwnMachine: boolean
  /** What a person can do about a refusal; null if nothing helps. */
  fix: string | null
  /** Whether http is allowed for all hosts. */
  plainHttp: boolean
  /** Connects to the sample site; null where it is off. */
  inside: Inside
}

export type Way = Guard & {
  refusal(url: URL): string | null
  request(url: URL, options: EgressRequest, signal: AbortSignal): Promise<EgressResponse>
}

/**
 * Checks the URL of each request, and the addresses of each new connection, so clients that use only the
 * dispatcher are guarded too.
 */
export function guardedWay(
  policy: Policy,
  { resolve, connect }: { resolve: Resolve; connect: Connect },
  pool: Agent.Options & { beyond?: Guard },
): Way {
  const { isAllowed, isOwnMachine } = policy

  async function checkedAddresses(url: URL): Promise<string[]> {
    check(url, policy)
    const host = bareHost(url.hostname)
    if (isIP(host)) return [host]
    const addresses = await resolve(host).catch((cause) => {
      throw new AppError('source_unreachable', `connecting to ${host}: ${describeFailure(cause)}`, { cause })
    })
    if (addresses.length === 0) {
      throw new AppError('source_unreachable', `connecting to ${host}: the name has no address`)
    }
    if (isOwnMachine) return addresses
    const whyNot = isAllowed(url) ? whyNeverByName : whyNotPublic
    for (const address of addresses) {
      const why = whyNot(address)
      if (!why) continue
      // Listing the name does not help here.
      const refusal = { why: `its name leads to ${why}`, fix: isAllowed(url) ? null : policy.fix }
      // The address goes only to the log: responses must not reveal internal DNS.
      throw refused(url, refusal, new Error(`${host} resolves to ${address}`))
    }
    return addresses
  }

  function connector(target: buildConnector.Options, callback: buildConnector.Callback): void {
    const host = isIP(target.hostname) === 6 ? `[${target.hostname}]` : target.hostname
    const url = new URL(`${target.protocol}//${host}${target.port ? `:${target.port}` : ''}`)
    const fail = (error: Error) => callback(error, null)
    if (isReserved(url)) {
      connectInside(url).then((socket) => callback(null, socket), fail)
    } else {
      checkedAddresses(url).then((addresses) => connect({ ...target, addresses }, callback), fail)
    }
  }

  async function connectInside(url: URL): Promise<Socket> {
    check(url, policy)
    // `check` ensures that it is set; undici needs only a stream.
    return (await policy.inside!()) as Socket
  }

  const { beyond, ...connections } = pool
  const dispatcher = new Agent({ ...connections, connect: connector, pipelining: 1 })
  const own: Guard = { dispatcher, check: (url) => check(url, policy) }
  // No other host may redirect to the sample site.
  const fromElsewhere: Guard = {
    dispatcher,
    check(url) {
      if (isReserved(url)) throw refused(url, FROM_ELSEWHERE)
      check(url, policy)
    },
  }
  return {
    ...own,
    refusal: (url) => {
      const refusal = look(url, policy)
      return refusal && (refusal.fix ? `${refusal.why}; ${refusal.fix}` : refusal.why)
    },
    request: (url, request, signal) => {
      const elsewhere = request.redirects === 'to strangers' && beyond ? beyond : fromElsewhere
      return requestThrough({ own, beyond: elsewhere }, { ...request, url }, signal)
    },
  }
}

type Refusal = { why: string; fix: string | null }

const FROM_ELSEWHERE: Refusal = { why: 'no other host leads to the sample wiki', fix: null }

function check(url: URL, policy: Policy): void {
  const refusal = look(url, policy)
  if (refusal) throw refused(url, refusal)
}

/** Every check that needs no DNS. */
function look(url: URL, { isAllowed, fix, plainHttp, inside }: Policy): Refusal | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { why: 'only http and https addresses can be reached', fix: null }
  }
  if (url.username !== '' || url.password !== '') {
    return { why: 'an address must not carry a user name or a password', fix: null }
  }
  if (isReserved(url)) return lookInside(url, { inside, fix })
  if (isAllowed(url)) return null
  const host = bareHost(url.hostname)
  if (isLocalName(host)) return { why: 'it is this machine', fix }
  const why = isIP(host) ? whyNotPublic(host) : null
  if (why) return { why: `it is ${why}`, fix }
  if (url.protocol === 'http:' && !plainHttp) {
    return { why: 'http is only for hosts that the operator allows', fix }
  }
  return null
}

function lookInside(url: URL, { inside, fix }: Pick<Policy, 'inside' | 'fix'>): Refusal | null {
  if (inside && isSampleWiki(url)) return null
  if (inside) return { why: 'this name is kept for the sample wiki', fix: `its address is ${SAMPLE_WIKI}` }
  const on = fix && 'the operator can switch it on with MILLRACE_SAMPLE_WIKI'
  return { why: 'the sample wiki is not open here', fix: on }
}

function refused(url: URL, { why, fix }: Refusal, cause?: Error): AppError {
  const options = fix ? { cause, fix: `${fix[0]!.toUpperCase()}${fix.slice(1)}` } : { cause }
  return new AppError('egress_refused', `connecting to ${url.host || url.protocol}: ${why}`, options)
}
