import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { buildConnector } from 'undici'
import { AppError } from '../../errors.ts'
import { rememberAuthority } from './authority.ts'

/** All addresses of a name, as the system resolves it (hosts file included). */
export type Resolve = (hostname: string) => Promise<string[]>

/** Opens a connection to one of `addresses` and to nothing else; a certificate must be for `hostname`. */
export type Connect = (target: ConnectTarget, callback: buildConnector.Callback) => void
export type ConnectTarget = buildConnector.Options & { addresses: string[] }

/**
 * Whose certificates count for these hosts (`name` or `name:port`, as in a URL), and for no other: elsewhere the
 * system's authorities do. `fingerprint` is the SHA-256 of an authority's, 64 lower-case hexadecimal digits.
 */
export type TlsTrust = Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'> & {
  hosts: readonly string[]
  fingerprint?: string
}

export const resolveBySystem: Resolve = async (hostname) => {
  const answers = await lookup(hostname, { all: true })
  return answers.map((answer) => answer.address)
}

/**
 * The lookup of the socket answers with the addresses that were checked, so that none is asked for a second
 * time: a name server that changes its mind in between changes nothing. Host stays the name, for TLS and SNI.
 */
export function connectPinned({ hosts, fingerprint, ...tls }: TlsTrust): Connect {
  const authority = fingerprint === undefined ? null : rememberAuthority(fingerprint)
  return ({ addresses, ...options }, callback) => {
    const isMeant = hosts.includes(options.host ?? '')
    const connect = (more: ConnectionOptions) =>
      connectorTo(addresses, { ...(isMeant ? tls : {}), ...more })(options, callback)
    if (!authority || !isMeant || options.protocol !== 'https:') return connect({})
    // The first connection says nothing and hears the certificates; the second trusts the one that was asked for.
    authority(connectorTo(addresses, { rejectUnauthorized: false }), options).then(
      (ca) => connect({ ca }),
      (error) => callback(error, null),
    )
  }
}

function connectorTo(addresses: string[], tls: ConnectionOptions): buildConnector.connector {
  return buildConnector({
    ...tls,
    lookup: pinned(addresses),
    allowH2: false,
    timeout: 10_000,
    // Node tries the next address after 250 ms, which far-away hosts do not make.
    autoSelectFamilyAttemptTimeout: 1_000,
    maxCachedSessions: 0,
  })
}

function pinned(addresses: string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return (hostname, options, callback) => {
    const usable = answers.filter((answer) => !options.family || answer.family === options.family)
    const first = usable[0]
    if (!first) callback(new AppError('source_unreachable', `connecting to ${hostname}: no address`), '')
    else if (options.all) callback(null, usable)
    else callback(null, first.address, first.family)
  }
}
