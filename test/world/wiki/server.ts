import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { answerCloud, type SiteRequest } from './cloud.ts'
import type { Counters } from './counters.ts'
import { answerDataCenter } from './data-center.ts'
import type { Faults } from './faults.ts'
import type { SiteUrls, WikiResponse } from './http.ts'
import type { SiteName, World } from './model/model.ts'
import { requestedPause } from './rate-headers.ts'
import { createRateLimits } from './rate-limit.ts'
import { answerMedia } from './render/media.ts'
import { type SentResponse, send } from './send.ts'
import type { Declared } from './spec/declared.ts'

export interface Parts {
  world: World
  counters: Counters
  faults: Faults
  declared: Declared
  control: (path: string, body: string) => Promise<unknown>
  beforeAnswer?: ((url: string) => void) | undefined
  /** Pages for a browser, without signing in. */
  originals?: ((url: string) => WikiResponse | undefined) | undefined
}

/** Listeners for the Cloud site with controls, Data Center and the media host. */
export async function startServers(
  parts: Parts,
  port: number,
): Promise<{ urls: SiteUrls; close: () => void }> {
  const urls: SiteUrls = { cloudUrl: '', dataCenterUrl: '', mediaUrl: '' }
  const limits = createRateLimits(parts.world)
  const listen = async (site: SiteName, at: number): Promise<{ server: Server; origin: string }> => {
    const server = createServer((incoming, outgoing) => {
      serve(incoming, outgoing).catch((error: unknown) => {
        process.stderr.write(`simulated wiki: ${error instanceof Error ? error.stack : error}\n`)
        outgoing.destroy()
      })
    })
    const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
      const request = await readRequest(incoming)
      if (site === 'cloud' && request.url.startsWith('/__control/'))
        return answerControl(parts, request, outgoing)
      const end = parts.counters.begin(site, request, incoming.socket)
      const { status, bytes, headers, sentAt } = await respond(request, outgoing)
      const { authorization, 'user-agent': userAgent = '' } = request.headers
      end({ status, bytes, authorized: authorization !== undefined, userAgent })
      const until = requestedPause(headers, { status, sentAt })
      if (until !== undefined) parts.counters.pause(site, until, parts.world.settings.pauseGraceMs)
    }
    const respond = async (request: SiteRequest, outgoing: ServerResponse): Promise<TimedResponse> => {
      const { latencyMs, latencyPerRequestMs } = parts.world.settings
      const latency = latencyMs + latencyPerRequestMs * parts.counters.inFlightCount(site)
      if (latency > 0) await wait(latency)
      const undeclared = parts.declared.check(site, request)
      const fault = parts.faults.take(site, request.method, request.url)
      if (fault?.delayMs !== undefined) await wait(fault.delayMs)
      if (fault?.isHeld) await parts.faults.released()
      if (fault?.expires !== undefined) expireAccount(parts.world, fault.expires)
      if (fault?.status !== undefined)
        return {
          sentAt: Date.now(),
          ...(await send(outgoing, {
            status: fault.status,
            headers: fault.headers ?? {},
            body: fault.body ?? '',
          })),
        }
      if (fault?.breaks === 'reset' || fault?.breaks === 'hang')
        return { sentAt: Date.now(), ...(await breakConnection(outgoing, fault.breaks)) }
      const refused = site === 'media' ? undefined : limits.refuse(site)
      parts.beforeAnswer?.(request.url)
      const answer = refused ?? refuseUndeclared(answerFor(site, request), undeclared)
      for (const [name, value] of Object.entries(site === 'media' ? {} : limits.headers(site)))
        outgoing.setHeader(name, value)
      for (const [name, value] of Object.entries(fault?.headers ?? {})) outgoing.setHeader(name, value)
      return { sentAt: Date.now(), ...(await send(outgoing, answer, fault)) }
    }
    const answerFor = (name: SiteName, request: SiteRequest): WikiResponse => {
      if (name === 'cloud') return parts.originals?.(request.url) ?? answerCloud(parts.world, urls, request)
      if (name === 'dataCenter') return answerDataCenter(parts.world, urls, request)
      return answerMedia(parts.world, request)
    }
    server.keepAliveTimeout = 30_000
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(at, '127.0.0.1', resolve)
    })
    return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }
  const [cloud, dataCenter, media] = await Promise.all([
    listen('cloud', port),
    listen('dataCenter', 0),
    listen('media', 0),
  ])
  urls.cloudUrl = `${cloud.origin}/wiki`
  urls.dataCenterUrl = `${dataCenter.origin}${parts.world.settings.dcContext}`
  urls.mediaUrl = media.origin
  const close = () => {
    for (const { server } of [cloud, dataCenter, media]) {
      server.close()
      server.closeAllConnections()
    }
  }
  return { urls, close }
}

/** Before sending: the client may have the response earlier than this process continues. */
type TimedResponse = SentResponse & { sentAt: number }

/** A caller who may not ask is told so first. */
const refuseUndeclared = (answer: WikiResponse, undeclared: WikiResponse | undefined): WikiResponse =>
  answer.status === 401 || answer.status === 403 ? answer : (undeclared ?? answer)

function expireAccount(world: World, name: string): void {
  for (const account of world.accounts) if (account.name === name) account.expired = true
}

async function breakConnection(outgoing: ServerResponse, how: 'reset' | 'hang'): Promise<SentResponse> {
  if (how === 'reset') outgoing.socket?.resetAndDestroy()
  else if (!outgoing.destroyed) await new Promise<void>((resolve) => outgoing.once('close', resolve))
  return { status: 0, bytes: 0, headers: {} }
}

async function answerControl(parts: Parts, request: SiteRequest, outgoing: ServerResponse): Promise<void> {
  try {
    const value = await parts.control(request.url.slice('/__control/'.length), request.body)
    await send(outgoing, { status: 200, body: { value } })
  } catch (error) {
    await send(outgoing, {
      status: 400,
      body: { error: error instanceof Error ? error.message : String(error) },
    })
  }
}

async function readRequest(incoming: IncomingMessage): Promise<SiteRequest> {
  const { method = 'GET', url = '/', headers } = incoming
  if (method === 'GET' || method === 'HEAD') return { method, url, headers, body: '' }
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return { method, url, headers, body: Buffer.concat(chunks).toString() }
}
