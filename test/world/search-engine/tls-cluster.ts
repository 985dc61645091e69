import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { IssuedCertificate } from '../certificates.ts'

export type TlsCluster = AsyncDisposable & { port: number; readonly seen: IncomingHttpHeaders[] }

/** Answers like a cluster with one empty index, behind these certificates. */
export async function startTlsCluster(
  { key }: IssuedCertificate,
  chain: IssuedCertificate[],
  index: string,
): Promise<TlsCluster> {
  const seen: IncomingHttpHeaders[] = []
  const cert = chain.map(({ certificate }) => certificate).join('\n')
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    seen.push(incoming.headers)
    outgoing.writeHead(200, {
      'content-type': 'application/json',
      'x-elastic-product': 'Elasticsearch',
    })
    outgoing.end(JSON.stringify({ [index]: { mappings: {}, settings: { index: { uuid: 'one' } } } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
