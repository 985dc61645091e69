import type { Duplex } from 'node:stream'
import { bareHost } from './address.ts'

/** The address of the sample source in this process, reached without DNS or port. */
export const SAMPLE_URL = 'http://sample-wiki.millrace.internal'

/** Connects to the sample source; null if the service operator switched it off. */
export type ConnectSample = (() => Promise<Duplex>) | null

const HOST = new URL(SAMPLE_URL).hostname

/** Exactly http, this name and the default port. */
export function isSampleUrl(url: URL): boolean {
  return url.protocol === 'http:' && url.hostname === HOST && url.port === ''
}

/** The sample host and names below it, which are never resolved. */
export function isSampleHost(url: URL): boolean {
  const host = bareHost(url.hostname)
  return host === HOST || host.endsWith(`.${HOST}`)
}
