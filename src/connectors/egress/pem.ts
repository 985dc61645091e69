import { X509Certificate } from 'node:crypto'

/** The certificates of a text in PEM; null if it holds none, or one that cannot be read. */
export function certificatesIn(pem: string): string[] | null {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
  return found.length > 0 && found.every(isCertificate) ? found : null
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
