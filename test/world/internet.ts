import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect as dial } from 'node:net'
import { after } from 'node:test'
import { parseAllowedHosts } from '../../src/connectors/egress/allowed-hosts.ts'
import type { Egress } from '../../src/connectors/egress/egress.ts'
import { createEgress } from '../../src/connectors/egress/guard.ts'

/** Public names lead to one local server, an internal name to another. */
export type Internet = {
  /** Requests to public names, and to the internal machine. */
  seen: IncomingMessage[]
  inside: IncomingMessage[]
  insideUrl: string
  dialled: string[]
  /** An egress to it; the internal machine always answers with this. */
  open(secret: Buffer): Promise<Egress>
  forget(): void
}
type Answers = Record<string, (insideUrl: string) => { status?: number; headers?: object; body?: Buffer }>

export const PUBLIC = '8.8.8.8'

export function openInternet(answers: Answers): Internet {
  const servers: Server[] = []
  after(() => {
    for (const server of servers) server.close()
  })
  const listen = async (handler: RequestListener): Promise<number> => {
    const server = createServer({ keepAliveTimeout: 60_000 }, handler).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  const internet: Internet = {
    seen: [],
    inside: [],
    insideUrl: '',
    dialled: [],
    async open(secret) {
      const inside = await listen((request, response) => {
        internet.inside.push(request)
        response.end(secret)
      })
      internet.insideUrl = `http://127.0.0.1:${inside}`
      const outside = await listen((request, response) => {
        internet.seen.push(request)
        const made = answers[request.url ?? '']?.(internet.insideUrl) ?? { status: 404 }
        response.writeHead(made.status ?? 200, { ...made.headers }).end(made.body)
      })
      return createEgress({
        // The wiki is allowed by configuration, the internal machine because a page names it.
        allowedHosts: parseAllowedHosts('127.0.0.1, inside.example, localhost'),
        resolve: async (host) => [host === 'inside.example' ? '10.0.0.5' : PUBLIC],
        connect: ({ addresses: [address], port }, callback) => {
          internet.dialled.push(`${address}`)
          const socket = dial(address === PUBLIC ? outside : Number(port), '127.0.0.1', () =>
            callback(null, socket),
          )
        },
      })
    },
    forget() {
      for (const list of [internet.seen, internet.inside, internet.dialled]) list.length = 0
    },
  }
  return internet
}
