import type { SiteName } from './model/model.ts'
import { type RateState, rateHeaders } from './rate-headers.ts'

/** A fault, and for how many of the matching requests. */
export interface Fault {
  /** A regular expression on path and query; default: every request. */
  path?: string
  site?: SiteName
  method?: string
  /** How many matching requests it affects; null: until cleared. */
  times?: number | null
  /** How many matching requests pass first. */
  after?: number
  /** Waits before answering. Alone it is a slow response. */
  delayMs?: number
  /** Waits before answering until `releaseHeld` or `clearFaults`. */
  isHeld?: boolean
  /** From this request on, the credentials of this caller have expired. */
  expires?: string
  status?: number
  /** With a status: its headers. Without one: added to the response. */
  headers?: Record<string, string>
  /** A string is sent unchanged, anything else as JSON. */
  body?: unknown
  /** `text`: half of the response. `connection`: half, then closed. `reset`: destroyed. `hang`: no response. */
  breaks?: 'text' | 'connection' | 'reset' | 'hang'
}

/** Builders for the most common failures. Spread in `path` and `times` as needed. */
export const fault = {
  /** Seconds or a date; without either, no time, like the gateway. */
  rateLimited: (retryAfter?: number | string, state?: RateState): Fault => ({
    status: 429,
    headers: {
      'x-ratelimit-remaining': '0',
      'ratelimit-reason': 'confluence-burst-based',
      ...(state === undefined ? {} : rateHeaders(state)),
      ...(retryAfter === undefined
        ? { 'x-failure-category': 'FAILURE_CLIENT_RATE_LIMITED' }
        : { 'retry-after': String(retryAfter) }),
    },
    body: { code: 429, message: 'Rate limit exceeded' },
  }),
  /** The token bucket of a Data Center node. */
  nodeLimited: (retryAfter?: number, bucket: { limit?: number; fillRate?: number } = {}): Fault => ({
    status: 429,
    headers: {
      'x-ratelimit-limit': String(bucket.limit ?? 10),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-fillrate': String(bucket.fillRate ?? 2),
      'x-ratelimit-interval-seconds': '1',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: { message: 'Rate limit exceeded' },
  }),
  /** A normal response with the headers of a near limit. */
  nearLimit: (state: RateState): Fault => ({ headers: rateHeaders(state) }),
  /** A proxy in front of the wiki refuses with its own response. */
  proxyRefused: (): Fault => ({
    status: 403,
    headers: { server: 'proxy' },
    body: '<html><head><title>403 Forbidden</title></head><body>Too many requests</body></html>',
  }),
  unavailable: (retryAfter?: number): Fault => ({
    status: 503,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    body: '<html><body>Service unavailable</body></html>',
  }),
  serverError: (): Fault => ({ status: 500, body: { statusCode: 500, message: 'Internal server error' } }),
  unauthorized: (): Fault => ({
    status: 401,
    headers: { 'www-authenticate': 'OAuth realm="https%3A%2F%2Facme.example"' },
    body: { statusCode: 401, message: 'Unauthorized' },
  }),
  /** Until `setAccount(name, { expired: false })`. */
  expired: (name: string): Fault => ({ expires: name }),
  loginPage: (): Fault => ({
    status: 200,
    headers: { 'content-type': 'text/html;charset=UTF-8' },
    body: '<!DOCTYPE html><html><head><title>Log In - Confluence</title></head><body><form name="loginform"></form></body></html>',
  }),
  truncated: (): Fault => ({ breaks: 'text' }),
  cutOff: (): Fault => ({ breaks: 'connection' }),
  reset: (): Fault => ({ breaks: 'reset' }),
  hang: (): Fault => ({ breaks: 'hang' }),
  slow: (delayMs: number): Fault => ({ delayMs }),
}

interface ActiveFault {
  id: number
  fault: Fault
  matcher: RegExp
  skip: number
  left: number
  hits: number
}

export interface Faults {
  add: (fault: Fault) => number
  clear: () => void
  list: () => { id: number; fault: Fault; hits: number }[]
  take: (site: SiteName, method: string, url: string) => Fault | undefined
  /** Until the held requests of now are released. */
  released: () => Promise<void>
  release: () => void
}

export function createFaults(): Faults {
  let active: ActiveFault[] = []
  let lastId = 0
  let held = Promise.withResolvers<void>()
  const release = () => {
    held.resolve()
    held = Promise.withResolvers()
  }
  return {
    add(added) {
      const left = added.times === null ? Number.POSITIVE_INFINITY : (added.times ?? 1)
      active.push({
        id: ++lastId,
        fault: added,
        matcher: new RegExp(added.path ?? ''),
        skip: added.after ?? 0,
        left,
        hits: 0,
      })
      return lastId
    },
    clear() {
      active = []
      release()
    },
    released: () => held.promise,
    release,
    list: () => active.map(({ id, fault: added, hits }) => ({ id, fault: added, hits })),
    take(site, method, url) {
      for (const each of active) {
        const { fault: added } = each
        if (each.left <= 0 || (added.site !== undefined && added.site !== site)) continue
        if ((added.method !== undefined && added.method !== method) || !each.matcher.test(url)) continue
        if (each.skip > 0) {
          each.skip--
          continue
        }
        each.left--
        each.hits++
        return added
      }
      return undefined
    },
  }
}
