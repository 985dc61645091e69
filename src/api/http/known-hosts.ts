import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'

/**
 * Refuses requests that a web page of another site sends: DNS rebinding shows in Host, other pages in Origin.
 * Rebinding needs a name, so addresses are safe.
 */
export function requireKnownHost(
  { headers: { host = '', origin } }: Pick<FastifyRequest, 'headers'>,
  publicHosts: string[],
): void {
  const own = hostNameOf(`http://${host}`)
  const isKnown = (name: string) => isLoopback(name) || publicHosts.includes(name)
  if (own === null || !(isKnown(own) || isAddress(own))) {
    throw new AppError('forbidden', `this service does not answer for the host ${shown(host)}`, {
      fix: 'Add its address to MILLRACE_PUBLIC_URL',
    })
  }
  if (origin === undefined) return
  const from = hostNameOf(origin)
  if (from === null || !(isKnown(from) || from === own))
    throw new AppError('forbidden', `this request comes from another site: ${shown(origin)}`)
}

/** Null for text that is no host or has more than a host. */
function hostNameOf(address: string): string | null {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) return null
  return url.hostname
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(\.\d+){3}$/.test(name)
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
