import type { Socket } from 'node:net'
import type { SiteName } from './model/model.ts'

/** Requests to the wiki since the last reset. */
export interface SiteCounts {
  requests: number
  byEndpoint: Record<string, number>
  byStatus: Record<string, number>
  connections: number
  bytesOut: number
  mostAtOnce: number
  /** Requests that arrived during a pause that a response had asked for. */
  duringPause: number
}

export interface SeenRequest {
  site: SiteName
  method: string
  url: string
  status: number
  /** Bytes of the body that were sent. */
  bytes: number
  authorized: boolean
  userAgent: string
  duringPause: boolean
}

export interface Counts {
  sites: Record<SiteName, SiteCounts>
  requests: number
  connections: number
  bytesOut: number
  duringPause: number
}

export interface Counters {
  /** Returns a function to call when the response is sent. */
  begin: (site: SiteName, request: { method: string; url: string }, socket: Socket) => (end: Ended) => void
  inFlightCount: (site: SiteName) => number
  /** A response asked for a pause until then. */
  pause: (site: SiteName, until: number, graceMs: number) => void
  counts: () => Counts
  recent: () => SeenRequest[]
  reset: () => void
}

export interface Ended {
  status: number
  bytes: number
  authorized: boolean
  userAgent: string
}

// Enough for any test, and cheap enough for a benchmark.
const MAX_REMEMBERED = 5000

export function createCounters(): Counters {
  let sites = emptySites()
  let seen: SeenRequest[] = []
  let sockets = new WeakSet<Socket>()
  const inFlight: Record<SiteName, number> = { cloud: 0, dataCenter: 0, media: 0 }
  let pauses: Partial<Record<SiteName, { from: number; until: number }>> = {}
  const isPaused = (site: SiteName, now: number): boolean => {
    const pause = pauses[site]
    return pause !== undefined && now >= pause.from && now < pause.until
  }
  return {
    begin(site, { method, url }, socket) {
      const counts = sites[site]
      const duringPause = isPaused(site, Date.now())
      counts.requests++
      if (duringPause) counts.duringPause++
      // Counted with its first counted request: the controls have connections too.
      if (!sockets.has(socket)) counts.connections++
      sockets.add(socket)
      const endpoint = endpointOf(method, url)
      counts.byEndpoint[endpoint] = (counts.byEndpoint[endpoint] ?? 0) + 1
      inFlight[site]++
      counts.mostAtOnce = Math.max(counts.mostAtOnce, inFlight[site])
      return ({ status, bytes, authorized, userAgent }) => {
        inFlight[site]--
        counts.byStatus[status] = (counts.byStatus[status] ?? 0) + 1
        counts.bytesOut += bytes
        if (seen.length < MAX_REMEMBERED)
          seen.push({ site, method, url, status, bytes, authorized, userAgent, duringPause })
      }
    },
    inFlightCount: (site) => inFlight[site],
    pause(site, until, graceMs) {
      const now = Date.now()
      const running = pauses[site]
      const continues = running !== undefined && running.until > now
      pauses[site] = continues
        ? { from: running.from, until: Math.max(running.until, until) }
        : { from: now + graceMs, until }
    },
    counts() {
      const all = Object.values(sites)
      const sum = (read: (counts: SiteCounts) => number) =>
        all.reduce((total, counts) => total + read(counts), 0)
      return {
        sites,
        requests: sum((each) => each.requests),
        connections: sum((each) => each.connections),
        bytesOut: sum((each) => each.bytesOut),
        duringPause: sum((each) => each.duringPause),
      }
    },
    recent: () => seen,
    reset() {
      sites = emptySites()
      seen = []
      sockets = new WeakSet()
      pauses = {}
    },
  }
}

/** Numbers, attachment ids and UUIDs become `{id}`, so that equal requests count together. */
export function endpointOf(method: string, url: string): string {
  const path = url.replace(/\?.*$/, '')
  return `${method} ${path.replaceAll(/\/(?:att)?(?:\d+|[0-9a-f]{8}-[0-9a-f-]{27})(?=\/|$)/g, '/{id}')}`
}

function emptySites(): Record<SiteName, SiteCounts> {
  const empty = (): SiteCounts => ({
    requests: 0,
    byEndpoint: {},
    byStatus: {},
    connections: 0,
    bytesOut: 0,
    mostAtOnce: 0,
    duringPause: 0,
  })
  return { cloud: empty(), dataCenter: empty(), media: empty() }
}
