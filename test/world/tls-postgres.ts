import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { IssuedCertificate } from './certificates.ts'

export type TlsPostgres = { port: number; close(): Promise<void> }

/** Answers the request for TLS like PostgreSQL, and forwards the rest to a server. */
export async function startTlsPostgres(
  target: { host: string; port: number },
  { key, certificate }: IssuedCertificate,
): Promise<TlsPostgres> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, key, cert: certificate })
      const upstream = connect(target.port, target.host)
      for (const each of [secure, upstream]) each.on('error', () => {})
      secure.pipe(upstream).pipe(secure)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => void server.close(),
  }
}
