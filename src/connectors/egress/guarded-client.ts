import { isIP } from 'node:net'
import { Agent, type buildConnector } from 'undici'
import { AppError } from '../../errors.ts'
import {
  bareHost,
  isLocalName,
  metadataAddressReason,
  metadataNameReason,
  nonPublicReason,
} from './address.ts'
import type { Connect, ConnectByProxy, Resolve } from './connect.ts'
import type { EgressRequest, EgressResponse } from './egress.ts'
import { describeFailure } from './failure.ts'
import type { IsDirect } from './no-proxy.ts'
import { type CheckedDispatcher, requestThrough } from './request.ts'
import { isSandboxHost } from './sandbox-host.ts'

/** Which hosts a client may reach. */
export type EgressPolicy = {
  /** Whether a host is exempt from https-only and public-only; others need a public address. */
  isExempt(url: URL): boolean
  /** Allowed names may resolve to any address, metadata services included. */
  allowsAnyAddress: boolean
  /** What a person can do about a refusal; null if nothing helps. */
  fix: ((url: URL) => string) | null
  /** Whether http is allowed for all hosts. */
  allowsHttp: boolean
}

export type GuardedClient = CheckedDispatcher & {
  refusal(url: URL): string | null
  /** The addresses of a host, if the policy allows all of them. */
  addressesOf(url: URL): Promise<string[]>
  request(url: URL, options: EgressRequest, signal: AbortSignal): Promise<EgressResponse>
}

/** `proxy` is null if every host is reached directly. */
export type Network = {
  resolve: Resolve
  connect: Connect
  proxy: { isDirect: IsDirect; connect: ConnectByProxy } | null
}

/** Checks each URL and the addresses of each new connection, for clients that use only the dispatcher. */
export function createGuardedClient(
  policy: EgressPolicy,
  { resolve, connect, proxy }: Network,
  pool: Agent.Options & { untrusted?: CheckedDispatcher },
): GuardedClient {
  const { isExempt, allowsAnyAddress } = policy

  async function checkedAddresses(url: URL): Promise<string[]> {
    check(url, policy)
    const host = bareHost(url.hostname)
    if (isIP(host)) return [host]
    const addresses = await resolve(host).catch((cause) => {
      const { message } = describeFailure(cause)
      throw new AppError('source_unreachable', `connecting to ${host}: ${message}`, { cause })
    })
    if (addresses.length === 0) {
      throw new AppError('source_unreachable', `connecting to ${host}: the name has no address`)
    }
    if (allowsAnyAddress) return addresses
    const reasonFor = isExempt(url) ? metadataAddressReason : nonPublicReason
    for (const address of addresses) {
      const why = reasonFor(address)
      if (!why) continue
      // The service operator cannot allow this by listing the name.
      const refusal = { why: `its name resolves to ${why}`, fix: isExempt(url) ? null : fixFor(url, policy) }
      // The address goes only to the log: responses must not reveal internal DNS.
      throw refused(url, refusal, new Error(`${host} resolves to ${address}`))
    }
    return addresses
  }

  function connector(target: buildConnector.Options, callback: buildConnector.Callback): void {
    const host = isIP(target.hostname) === 6 ? `[${target.hostname}]` : target.hostname
    const url = new URL(`${target.protocol}//${host}${target.port ? `:${target.port}` : ''}`)
    const fail = (error: Error) => callback(error, null)
    if (proxy && !proxy.isDirect(url)) {
      // The proxy resolves the name, so only the URL can be checked.
      const refusal = refusalOf(url, policy)
      if (refusal) fail(refused(url, refusal))
      else proxy.connect(target, callback)
    } else {
      checkedAddresses(url).then((addresses) => connect({ ...target, addresses }, callback), fail)
    }
  }

  const { untrusted, ...connections } = pool
  const dispatcher = new Agent({ ...connections, connect: connector, pipelining: 1 })
  const own: CheckedDispatcher = { dispatcher, check: (url) => check(url, policy) }
  return {
    ...own,
    addressesOf: checkedAddresses,
    refusal: (url) => {
      const refusal = refusalOf(url, policy)
      return refusal && (refusal.fix ? `${refusal.why}; ${refusal.fix}` : refusal.why)
    },
    request: (url, request, signal) => {
      const others = (request.redirects === 'untrusted' && untrusted) || own
      return requestThrough({ own, others }, { ...request, url }, signal)
    },
  }
}

type Refusal = { why: string; fix: string | null }

function check(url: URL, policy: EgressPolicy): void {
  const refusal = refusalOf(url, policy)
  if (refusal) throw refused(url, refusal)
}

/** Every check that needs no DNS. */
function refusalOf(url: URL, policy: EgressPolicy): Refusal | null {
  const { isExempt, allowsHttp } = policy
  const fix = fixFor(url, policy)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { why: 'only http and https addresses are supported', fix: null }
  }
  if (url.username !== '' || url.password !== '') {
    return { why: 'an address must not contain a user name or a password', fix: null }
  }
  if (isSandboxHost(url.hostname)) return { why: 'this name is reserved for the sandbox', fix: null }
  if (isExempt(url)) return null
  const host = bareHost(url.hostname)
  if (isLocalName(host)) return { why: 'it is this machine', fix }
  const why = isIP(host) ? nonPublicReason(host) : metadataNameReason(host)
  if (why) return { why: `it is ${why}`, fix }
  if (url.protocol === 'http:' && !allowsHttp) {
    return { why: 'http needs a host that the service operator allows', fix }
  }
  return null
}

function fixFor(url: URL, { fix }: EgressPolicy): string | null {
  return fix?.(url) ?? null
}

function refused(url: URL, { why, fix }: Refusal, cause?: Error): AppError {
  const options = fix ? { cause, fix: `${fix[0]!.toUpperCase()}${fix.slice(1)}` } : { cause }
  return new AppError('egress_refused', `connecting to ${url.host || url.protocol}: ${why}`, options)
}
