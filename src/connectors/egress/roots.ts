import tls from 'node:tls'
import { AppError } from '../../errors.ts'

/** Trusts these authorities in the whole process, in addition to the default ones. */
export function trustRoots(certificates: readonly string[]): void {
  if (certificates.length === 0) return
  // Missing before Node 24.5.
  if (!tls.setDefaultCACertificates) {
    throw new AppError(
      'invalid_request',
      `MILLRACE_CA_FILE needs Node 24.5 or newer, not ${process.version}`,
      {
        fix: 'Set NODE_EXTRA_CA_CERTS instead',
      },
    )
  }
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...certificates])
}

/** The default authorities and these. Built once, because Node parses over a hundred certificates for it. */
export function contextWith(certificates: readonly string[]): tls.SecureContext {
  const defaults = tls.getCACertificates?.('default') ?? tls.rootCertificates
  return tls.createSecureContext({ ca: [...defaults, ...certificates] })
}
