import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { bareHost, isLocalName, portOf } from './address.ts'

/** Whether a URL is reached directly although a proxy is configured. */
export type IsDirect = (url: URL) => boolean

/** An unreadable entry of `NO_PROXY`; the message is for the service operator. */
export class NoProxyError extends Error {}

/**
 * Parses `intern.example, .corp.example, 10.0.0.0/8, [fd00::7]:9200, search:9200` or `*`. A name covers the names below
 * it. Networks match addresses in URLs only, because names are not resolved here.
 */
export function parseNoProxy(text: string): IsDirect {
  const rules = text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(parseEntry)
  return (url) => rules.some((matches) => matches(url))
}

/** The proxy has other loopback addresses than this machine. */
export function isLoopback({ hostname }: URL): boolean {
  const host = bareHost(hostname)
  if (isLocalName(host)) return true
  return isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback'
}

function parseEntry(entry: string): IsDirect {
  if (entry === '*') return () => true
  if (entry.includes('/')) return inNetwork(entry)
  const [host, port] = splitPort(entry)
  const matches = isIP(host) ? isAddress(host) : isNameBelow(entry, host)
  return (url) => (port === null || port === portOf(url)) && matches(bareHost(url.hostname))
}

type MatchesHost = (host: string) => boolean

function inNetwork(entry: string): IsDirect {
  if (!ipaddr.isValidCIDR(entry)) throw invalidEntry(entry)
  const [network, bits] = ipaddr.parseCIDR(entry)
  return ({ hostname }) => {
    const host = bareHost(hostname)
    if (!isIP(host)) return false
    const address = ipaddr.process(host)
    return address.kind() === network.kind() && address.match(network, bits)
  }
}

function isAddress(wanted: string): MatchesHost {
  const normal = ipaddr.process(wanted).toString()
  return (host) => isIP(host) !== 0 && ipaddr.process(host).toString() === normal
}

function isNameBelow(entry: string, text: string): MatchesHost {
  const suffix = text.replace(/^\*?\./, '')
  const name = URL.parse(`http://${suffix}`)?.hostname
  if (!name || !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(bareHost(name))) throw invalidEntry(entry)
  const isSuffixOnly = suffix !== text
  return (host) => host.endsWith(`.${bareHost(name)}`) || (!isSuffixOnly && host === bareHost(name))
}

function splitPort(entry: string): [host: string, port: number | null] {
  if (isIP(entry)) return [entry, null]
  const match = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(entry)
  if (!match) throw invalidEntry(entry)
  const port = match[2] === undefined ? null : Number(match[2])
  if (port !== null && (port < 1 || port > 65_535)) throw invalidEntry(entry)
  return [bareHost(match[1]!.replace(/\.$/, '')), port]
}

function invalidEntry(entry: string): NoProxyError {
  return new NoProxyError(`NO_PROXY: ${JSON.stringify(entry.slice(0, 100))} is no name, address or network`)
}
