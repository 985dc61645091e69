import { isIP } from 'node:net'
import { Agent, type buildConnector } from 'undici'
import { AppError } from '../../errors.ts'
import type { Egress } from '../egress.ts'
import { bareHost, isLocalName, whyNeverByName, whyNotPublic } from './address.ts'
import { type AllowedHost, isAllowedHost } from './allowed-hosts.ts'
import { type Connect, connectPinned, type Resolve, resolveBySystem, type TlsTrust } from './connect.ts'
import { describeFailure } from './failure.ts'
import { requestThrough } from './request.ts'

export type EgressOptions = {
  allowedHosts?: readonly AllowedHost[]
  /** False where the person at the keyboard owns the machine: every host then counts as allowed. */
  publicOnly?: boolean
  tls?: TlsTrust
  resolve?: Resolve
  connect?: Connect
}

/**
 * Refuses twice: by looking at the URL, before anything is sent, and by looking at the addresses of every new
 * connection, so that a client that only has the dispatcher is guarded as well. A connection that is kept alive
 * stays with the address that was checked.
 */
export function createEgress(options: EgressOptions = {}): Egress {
  const { allowedHosts = [], publicOnly = true, tls = {} } = options
  const resolve = options.resolve ?? resolveBySystem
  const connect = options.connect ?? connectPinned(tls)
  const isAllowed = (url: URL) => !publicOnly || isAllowedHost(allowedHosts, url)

  async function checkedAddresses(url: URL): Promise<string[]> {
    const refusal = look(url, isAllowed(url))
    if (refusal) throw refused(url, refusal)
    const host = bareHost(url.hostname)
    if (isIP(host)) return [host]
    const addresses = await resolve(host).catch((cause) => {
      throw new AppError('source_unreachable', `connecting to ${host}: ${describeFailure(cause)}`, { cause })
    })
    if (addresses.length === 0) {
      throw new AppError('source_unreachable', `connecting to ${host}: the name has no address`)
    }
    if (!publicOnly) return addresses
    const check = isAllowed(url) ? whyNeverByName : whyNotPublic
    for (const address of addresses) {
      const why = check(address)
      // The address itself is for the log alone: an answer must not tell what the name server inside knows.
      if (why) throw refused(url, leadsTo(why, isAllowed(url)), new Error(`${host} resolves to ${address}`))
    }
    return addresses
  }

  function connector(target: buildConnector.Options, callback: buildConnector.Callback): void {
    const host = isIP(target.hostname) === 6 ? `[${target.hostname}]` : target.hostname
    const url = new URL(`${target.protocol}//${host}${target.port ? `:${target.port}` : ''}`)
    checkedAddresses(url).then(
      (addresses) => connect({ ...target, addresses }, callback),
      (error) => callback(error, null),
    )
  }

  const dispatcher = new Agent({
    connect: connector,
    connections: 32,
    pipelining: 1,
    keepAliveTimeout: 15_000,
    // A bulk request may keep a busy cluster thinking for more than a minute before the first header.
    headersTimeout: 120_000,
    bodyTimeout: 60_000,
  })

  return {
    dispatcher,
    isAllowed,
    refusal: (url) => {
      const refusal = look(url, isAllowed(url))
      return refusal && (refusal.fixable ? `${refusal.why}; ${fix}` : refusal.why)
    },
    request: (url, request, signal) =>
      requestThrough(dispatcher, { ...request, url, check: (next) => check(next, isAllowed(next)) }, signal),
    close: () => dispatcher.destroy(),
  }
}

type Refusal = { why: string; fixable: boolean }

const fix = 'the operator can allow it with MILLRACE_ALLOWED_HOSTS'

function check(url: URL, allowed: boolean): void {
  const refusal = look(url, allowed)
  if (refusal) throw refused(url, refusal)
}

/** All that can be said without asking a name server. */
function look(url: URL, allowed: boolean): Refusal | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { why: 'only http and https addresses can be reached', fixable: false }
  }
  if (url.username !== '' || url.password !== '') {
    return { why: 'an address must not carry a user name or a password', fixable: false }
  }
  if (allowed) return null
  const host = bareHost(url.hostname)
  if (isLocalName(host)) return { why: 'it is this machine', fixable: true }
  const why = isIP(host) ? whyNotPublic(host) : null
  if (why) return { why: `it is ${why}`, fixable: true }
  if (url.protocol === 'http:')
    return { why: 'http is only for hosts that the operator allows', fixable: true }
  return null
}

/** Listing the name does not help where it leads to an address that no name may lead to. */
function leadsTo(why: string, allowed: boolean): Refusal {
  return { why: `its name leads to ${why}`, fixable: !allowed }
}

function refused(url: URL, refusal: Refusal, cause?: Error): AppError {
  const options = refusal.fixable ? { cause, fix: `${fix[0]!.toUpperCase()}${fix.slice(1)}` } : { cause }
  return new AppError('egress_refused', `connecting to ${url.host || url.protocol}: ${refusal.why}`, options)
}
