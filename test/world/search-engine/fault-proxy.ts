import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'

/** One request to the engine, its body unpacked. */
export type ProxiedRequest = { method: string; path: string; body: string; headers: IncomingHttpHeaders }

/** `undefined` forwards the request; `answer` changes items of the bulk response. */
export type Fault =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { reset: true }
  /** The engine processes it, but its response is lost. */
  | { cut: true }
  | { answer: (items: Record<string, { status: number; error?: object }>[]) => void; body?: string }

export type FaultProxy = {
  url: string
  /** Called for every request, in order. */
  on(decide: (proxied: ProxiedRequest) => Fault | undefined | Promise<Fault | undefined>): void
  readonly seen: ProxiedRequest[]
  close(): Promise<void>
}

/** A proxy between a client and a real engine that breaks requests for a test. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let decide: Parameters<FaultProxy['on']>[0] = () => undefined
  const seen: ProxiedRequest[] = []
  const server = createServer({ keepAliveTimeout: 60_000 }, async (incoming, outgoing) => {
    const raw = await buffer(incoming)
    const body = (incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString('utf8')
    const { method = 'GET', url: path = '/', headers } = incoming
    const proxied = { method, path, body, headers }
    seen.push(proxied)
    const fault = await decide(proxied)
    if (fault && 'reset' in fault) return void incoming.socket.resetAndDestroy()
    if (fault && 'status' in fault) {
      outgoing.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers })
      return void outgoing.end(JSON.stringify(fault.body ?? {}))
    }
    const isCut = fault !== undefined && 'cut' in fault
    const override = fault && 'answer' in fault ? fault : undefined
    forward(incoming, outgoing, { target, body: override?.body ?? body, answer: override?.answer, isCut })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    on: (next) => {
      decide = next
    },
    seen,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type ForwardOptions = {
  target: string
  body: string
  answer: ((items: Record<string, { status: number; error?: object }>[]) => void) | undefined
  isCut: boolean
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, options: ForwardOptions): void {
  const { target, body, answer, isCut } = options
  const packed = incoming.headers['content-encoding'] === 'gzip' ? gzipSync(body) : Buffer.from(body)
  const headers = { ...incoming.headers, host: new URL(target).host, 'content-length': String(packed.length) }
  delete headers['transfer-encoding']
  const forwarded = request(new URL(incoming.url ?? '/', target), {
    method: incoming.method ?? 'GET',
    headers,
  })
  forwarded.on('error', () => outgoing.destroy())
  forwarded.on('response', async (response) => {
    const text = (await buffer(response)).toString('utf8')
    if (isCut) return void incoming.socket.resetAndDestroy()
    const responseHeaders = { ...response.headers }
    delete responseHeaders['content-length']
    delete responseHeaders['transfer-encoding']
    outgoing.writeHead(response.statusCode ?? 502, responseHeaders)
    outgoing.end(answer ? withChangedItems(text, answer) : text)
  })
  forwarded.end(packed)
}

function withChangedItems(text: string, answer: NonNullable<ForwardOptions['answer']>): string {
  const parsed = JSON.parse(text) as { items: Record<string, { status: number; error?: object }>[] }
  answer(parsed.items)
  return JSON.stringify(parsed)
}
