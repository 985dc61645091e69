import { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { UntrustedAuthority } from './failure.ts'

/** Finds an authority by fingerprint in a server's chain. Signatures, dates and names are still checked. */
export function authorityFinder(
  fingerprint: string,
): (connect: buildConnector.connector, options: buildConnector.Options) => Promise<string> {
  let found: string | undefined

  return async (connect, options) => {
    found ??= await new Promise<string>((resolve, reject) => {
      connect(options, (error, socket) => {
        if (error) return reject(error)
        try {
          resolve(findByFingerprint(chainOf(socket as TLSSocket), fingerprint))
        } catch (error) {
          reject(error)
        } finally {
          socket.destroy()
        }
      })
    })
    return found
  }
}

function findByFingerprint(chain: X509Certificate[], fingerprint: string): string {
  const at = chain.findIndex((one) => one.fingerprint256.replaceAll(':', '').toLowerCase() === fingerprint)
  const certificate = chain[at]
  if (!certificate) {
    throw new UntrustedAuthority('none of its certificates matches the fingerprint')
  }
  // A self-signed certificate is its own authority.
  if (at === 0 && !certificate.checkIssued(certificate)) {
    throw new UntrustedAuthority(
      "the fingerprint belongs to the server's own certificate, not to the authority that signed it",
    )
  }
  return certificate.toString()
}

/** The chain as sent, from the server's certificate upwards. */
function chainOf(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = []
  let next: ReturnType<TLSSocket['getPeerCertificate']> | undefined = socket.getPeerCertificate(true)
  // A root names itself as its issuer, which ends the loop.
  while (next?.raw && !chain.some(({ raw }) => raw.equals(next!.raw))) {
    chain.push(new X509Certificate(next.raw))
    next = (next as { issuerCertificate?: typeof next }).issuerCertificate
  }
  return chain
}
