import type { Duplex } from 'node:stream'
import { bareHost } from './address.ts'

/**
 * The address of the sample wiki that this very process holds. `.internal` is kept free for names like it, and no name
 * server is ever asked for this one: a connection to it is made inside the process, without any port, or not at all.
 */
export const SAMPLE_WIKI = 'http://sample-wiki.millrace.internal'

/** How the sample wiki is connected to; null where the operator switched it off. */
export type Inside = (() => Promise<Duplex>) | null

const HOST = new URL(SAMPLE_WIKI).hostname

/** The one address: http, this name as it is written, the port of http. */
export function isSampleWiki(url: URL): boolean {
  return url.protocol === 'http:' && url.hostname === HOST && url.port === ''
}

/** Every name that looks like it, whatever the scheme or port: none of them may lead anywhere else. */
export function isReserved(url: URL): boolean {
  const host = bareHost(url.hostname)
  return host === HOST || host.endsWith(`.${HOST}`)
}
