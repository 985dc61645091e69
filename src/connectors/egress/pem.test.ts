import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type Certificates, makeCertificates } from '../../../test/world/certificates.ts'
import { authorityProblem, certificatesIn } from './pem.ts'

const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'

describe('certificates in PEM', () => {
  let certificates: Certificates
  let pem: string
  before(async () => {
    certificates = await makeCertificates()
    pem = (await certificates.authority('Corp CA')).certificate.trim()
    await certificates[Symbol.asyncDispose]()
  })

  test('it finds certificates between other lines', () => {
    const text = `# Corp CA\r\n${pem.replaceAll('\n', '\r\n')}\n\n# again\n${pem}\n`
    assert.equal(certificatesIn(text)?.length, 2)
    assert.equal(authorityProblem(text), null)
  })

  test('it refuses a text with one certificate that cannot be read', () => {
    for (const broken of [`${BEGIN}\nAAAA\n${END}`, `${BEGIN}\n!\n${END}`, BEGIN])
      for (const text of [`${broken}\n${pem}`, `${pem}\n${broken}`])
        assert.equal(certificatesIn(text), null, text)
  })

  test('it refuses a megabyte of beginnings', () => {
    assert.equal(certificatesIn(BEGIN.repeat(36_000)), null)
    assert.equal(certificatesIn(`${BEGIN}\n`.repeat(36_000)), null)
  })
})
