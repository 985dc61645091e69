import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A key and its certificate, both in PEM. */
export type IssuedCertificate = { key: string; certificate: string; fingerprint: string }

export type Certificates = AsyncDisposable & {
  /** A file with this text, for settings that name one. */
  file(text: string): Promise<string>
  authority(name: string): Promise<IssuedCertificate>
  /** For a server of this name. Negative `days` make an expired certificate. */
  server(name: string, by: IssuedCertificate, days?: number): Promise<IssuedCertificate>
}

/** Creates authorities and certificates with openssl for one test. */
export async function makeCertificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-certificates-'))
  let count = 0
  const path = (name: string) => join(folder, `${++count}-${name}`)
  const openssl = (args: string[]) => run('openssl', args, { cwd: folder })

  const newKey = async (name: string) => {
    const key = path(`${name}.key`)
    await openssl(['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', key])
    return key
  }
  const issued = async (key: string, certificate: string): Promise<IssuedCertificate> => {
    const text = await readFile(certificate, 'utf8')
    const { fingerprint256 } = new X509Certificate(text)
    return { key: await readFile(key, 'utf8'), certificate: text, fingerprint: fingerprint256 }
  }
  const file = async (text: string) => {
    const name = path('file.pem')
    await writeFile(name, text)
    return name
  }

  return {
    file,
    async authority(name) {
      const key = await newKey('ca')
      const certificate = path('ca.pem')
      const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
      await openssl(['req', '-x509', '-new', '-key', key, '-days', '7', ...subject, '-out', certificate])
      return issued(key, certificate)
    },
    async server(name, by, days = 7) {
      const key = await newKey('server')
      const request = path('server.csr')
      await openssl(['req', '-new', '-key', key, '-subj', `/CN=${name}`, '-out', request])
      const extensions = await file(`subjectAltName=DNS:${name}\nbasicConstraints=critical,CA:FALSE\n`)
      const signer = ['-CA', await file(by.certificate), '-CAkey', await file(by.key), '-CAcreateserial']
      const certificate = path('server.pem')
      const terms = ['-days', String(days), '-extfile', extensions, '-out', certificate]
      await openssl(['x509', '-req', '-in', request, ...signer, ...terms])
      return issued(key, certificate)
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
