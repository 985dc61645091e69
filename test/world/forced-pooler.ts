import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'

/** A pooler that lets every account in and signs in to the server as the account of `url`. */
export async function startForcedPooler(url: string): Promise<AsyncDisposable & { url: string }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    sockets.add(socket)
    // The start message; its account is ignored.
    socket.once('data', async () => {
      const client = new pg.Client({ connectionString: url })
      client.on('error', () => {})
      await client.connect()
      const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
      stream.removeAllListeners('data')
      sockets.add(stream)
      socket.write(Buffer.from('5200000008000000005a0000000549', 'hex'))
      socket.pipe(stream).pipe(socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pooled = new URL(url)
  pooled.port = String((server.address() as AddressInfo).port)
  return {
    url: pooled.href,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
