import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Adds a token to requests of a client that cannot send one; all other headers stay, Host and Origin too. */
export async function startTokenProxy(target: string, token: string) {
  const server = createServer((from, to) => {
    const headers = { ...from.headers, authorization: `Bearer ${token}` }
    const forwarded = request(target + from.url, { method: from.method, headers }, (response) => {
      to.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(to)
    })
    forwarded.on('error', () => to.destroy())
    to.on('close', () => forwarded.destroy())
    from.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
