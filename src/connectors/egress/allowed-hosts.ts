import { isIP } from 'node:net'
import { AppError } from '../../errors.ts'
import { bareHost, portOf } from './address.ts'

/** An entry of the service operator's list; a null port means every port. */
export type AllowedHost = { labels: string[]; port: number | null }

/**
 * Parses `docs.corp.example, search:9200, *.lab.example, [fd00::7]:9200`. A `*` matches one label, never an
 * address.
 */
export function parseAllowedHosts(text: string): AllowedHost[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseEntry)
}

export function isAllowedHost(allowed: readonly AllowedHost[], url: URL): boolean {
  const host = bareHost(url.hostname)
  const labels = labelsOf(host)
  const port = portOf(url)
  return allowed.some((entry) => {
    if (entry.port !== null && entry.port !== port) return false
    if (entry.labels.length !== labels.length) return false
    return entry.labels.every((label, i) => label === labels[i] || (label === '*' && isIP(host) === 0))
  })
}

function parseEntry(entry: string): AllowedHost {
  if (entry.includes('/')) throw invalidEntry(entry, 'must be a host without a scheme or a path')
  const match = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d+))?$/.exec(entry)
  if (!match) throw invalidEntry(entry, 'must be host or host:port (an IPv6 address in brackets)')
  const port = match[2] === undefined ? null : Number(match[2])
  if (port !== null && (port < 1 || port > 65535)) throw invalidEntry(entry, 'has an invalid port')
  const host = normalise(match[1]!)
  if (host === null) throw invalidEntry(entry, 'is not a host name or an address')
  const labels = labelsOf(host)
  for (const label of labels) {
    if (label === '') throw invalidEntry(entry, 'has an empty label')
    if (label !== '*' && label.includes('*')) throw invalidEntry(entry, 'has a * that is not a whole label')
  }
  // 10.0.0.* looks like a range of addresses, which is not supported.
  if (labels.includes('*') && labels.every((label) => /^(\*|\d+)$/.test(label)) && labels.length > 1) {
    throw invalidEntry(entry, 'has a * in an address; list each address')
  }
  return { labels, port }
}

/** Normalises a host like a URL: lower case, punycode, canonical addresses. */
function normalise(host: string): string | null {
  const url = URL.parse(`http://${host}`)
  return url === null || url.username !== '' || /[?#@\\]/.test(host) ? null : bareHost(url.hostname)
}

/** An IPv6 address is one label. */
function labelsOf(host: string): string[] {
  return host.split('.')
}

function invalidEntry(entry: string, why: string): AppError {
  return new AppError('invalid_request', `MILLRACE_ALLOWED_HOSTS: "${entry}" ${why}`)
}
