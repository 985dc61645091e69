import { X509Certificate } from 'node:crypto'

/** Enough for a chain of long certificates. */
export const MAX_AUTHORITY_LENGTH = 64 * 1024

/** The certificates of a text in PEM; null if it holds none, or one that cannot be read. */
export function certificatesIn(pem: string): string[] | null {
  const begun = pem.split('-----BEGIN CERTIFICATE-----').length - 1
  // Without a dash in the class, a match ends at the next marker, so that the search takes linear time.
  const found = pem.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? []
  return begun > 0 && begun === found.length && found.every(isCertificate) ? found : null
}

/** A setting or a file of authorities must not hold a key. */
export function authorityProblem(pem: string): string | null {
  if (pem.includes('PRIVATE KEY')) return 'must not contain a private key, only certificates'
  return certificatesIn(pem) ? null : 'must be in PEM, with -----BEGIN CERTIFICATE----- in it'
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem) instanceof X509Certificate
  } catch {
    return false
  }
}
