import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { buildConnector } from 'undici'
import { AppError } from '../../errors.ts'
import { portOf } from './address.ts'
import { authorityFinder } from './authority.ts'
import { type EgressProxy, openTunnel } from './proxy.ts'

/** All addresses of a name, hosts file included. */
export type Resolve = (hostname: string) => Promise<string[]>

/** Connects to one of `addresses` only; the certificate must match `hostname`. */
export type Connect = (target: ConnectTarget, callback: buildConnector.Callback) => void
/** Connects through the proxy of the service operator. */
export type ConnectByProxy = (options: buildConnector.Options, callback: buildConnector.Callback) => void
export type ConnectTarget = buildConnector.Options & { addresses: string[] }

/**
 * The authority for these hosts (`name` or `name:port`). `fingerprint` is its SHA-256 in lower-case
 * hexadecimal.
 */
export type TlsTrust = Pick<ConnectionOptions, 'ca' | 'secureContext' | 'checkServerIdentity'> & {
  hosts: readonly string[]
  fingerprint?: string
}

export const resolveBySystem: Resolve = async (hostname) => {
  const answers = await lookup(hostname, { all: true })
  return answers.map((answer) => answer.address)
}

/** Pins the socket to the checked addresses, so a second DNS answer changes nothing. */
export function connectPinned(trust: TlsTrust): Connect {
  const connectTrusted = trusted(trust)
  return ({ addresses, ...options }, callback) =>
    connectTrusted((tls) => connectorTo(addresses, tls), options, callback)
}

/** The proxy resolves the name; the certificate must still match it. */
export function connectThrough(proxy: EgressProxy, trust: TlsTrust): ConnectByProxy {
  const connectTrusted = trusted(trust)
  return (options, callback) => connectTrusted((tls) => tunnelConnector(proxy, tls), options, callback)
}

/** A function that connects with the connector it is given, and trusts the authority for its hosts. */
function trusted({ hosts, fingerprint, ...tls }: TlsTrust) {
  const authority = fingerprint === undefined ? null : authorityFinder(fingerprint)
  return (
    connectorWith: (tls: ConnectionOptions) => buildConnector.connector,
    options: buildConnector.Options,
    callback: buildConnector.Callback,
  ): void => {
    const isListed = hosts.includes(options.host ?? '')
    const connect = (more: ConnectionOptions) =>
      connectorWith({ ...(isListed ? tls : {}), ...more })(options, callback)
    if (!authority || !isListed || options.protocol !== 'https:') {
      connect({})
      return
    }
    // The first connection reads the certificates; the second trusts the matching one.
    authority(connectorWith({ rejectUnauthorized: false }), options).then(
      (ca) => connect({ ca }),
      (error) => callback(error, null),
    )
  }
}

function tunnelConnector(proxy: EgressProxy, tls: ConnectionOptions): buildConnector.connector {
  const secure = buildConnector({ ...tls, allowH2: false, timeout: TIMEOUT_MS, maxCachedSessions: 0 })
  return (options, callback) => {
    const { hostname, protocol } = options
    openTunnel(proxy, { hostname, port: portOf(options) }).then(
      (socket) =>
        protocol === 'https:' ? secure({ ...options, httpSocket: socket }, callback) : callback(null, socket),
      (error) => callback(error, null),
    )
  }
}

const TIMEOUT_MS = 10_000

function connectorTo(addresses: string[], tls: ConnectionOptions): buildConnector.connector {
  return buildConnector({
    ...tls,
    lookup: pinnedLookup(addresses),
    allowH2: false,
    timeout: TIMEOUT_MS,
    // Node's default of 250 ms is too short for distant hosts.
    autoSelectFamilyAttemptTimeout: 1_000,
    maxCachedSessions: 0,
  })
}

export function pinnedLookup(addresses: string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return (hostname, options, callback) => {
    const usable = answers.filter((answer) => !options.family || answer.family === options.family)
    const first = usable[0]
    if (!first) callback(new AppError('source_unreachable', `connecting to ${hostname}: no address`), '')
    else if (options.all) callback(null, usable)
    else callback(null, first.address, first.family)
  }
}
