import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../errors.ts'
import { appErrorIn, describeFailure, type FailureKind, ProxyFailure, UntrustedAuthority } from './failure.ts'

const coded = (code: string, cause?: unknown) => Object.assign(new Error('remote text', { cause }), { code })

describe('a connection failure', () => {
  test('is described through any wrapping', () => {
    assert.equal(describeFailure(coded('ENOTFOUND')).message, 'the host does not exist')
    const wrapped = new Error('fetch failed', { cause: coded('ECONNREFUSED') })
    assert.equal(describeFailure(wrapped).message, 'nothing listens there (connection refused)')
    assert.equal(describeFailure(coded('CERT_HAS_EXPIRED')).message, 'its certificate has expired')
  })

  test('of several addresses is described by one of them', () => {
    assert.equal(
      describeFailure(new AggregateError([coded('EHOSTUNREACH')])).message,
      'there is no route to the host',
    )
  })

  test('that is unknown keeps its code and never the text', () => {
    assert.equal(describeFailure(coded('EWEIRD')).message, 'the connection failed (EWEIRD)')
    assert.equal(
      describeFailure(coded('ERR_SSL_X')).message,
      'no secure connection could be made (ERR_SSL_X)',
    )
    assert.equal(describeFailure('thrown text').message, 'the connection failed')
  })

  const kinds: [unknown, FailureKind][] = [
    [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'other_name'],
    [coded('CERT_NOT_YET_VALID'), 'certificate_invalid'],
    [coded('CERT_REVOKED'), 'certificate_invalid'],
    [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'unknown_authority'],
    [new UntrustedAuthority('no match'), 'fingerprint'],
    [new ProxyFailure('not used', { cause: coded('CERT_HAS_EXPIRED') }), 'proxy'],
    [coded('ECONNREFUSED'), 'unreachable'],
    [coded('ERR_SSL_X'), 'unreachable'],
    ['thrown text', 'unreachable'],
  ]
  for (const [error, kind] of kinds)
    test(`is of kind ${kind} for ${error}`, () => {
      assert.equal(describeFailure(new Error('fetch failed', { cause: error })).kind, kind)
    })

  test('ends on a circular chain of causes', () => {
    const error = new Error('a')
    error.cause = error
    assert.equal(describeFailure(error).message, 'the connection failed')
  })

  test('returns the refusal of the guard through any wrapping', () => {
    const refusal = new AppError('egress_refused', 'connecting to inside')
    assert.equal(appErrorIn(new Error('x', { cause: coded('UND_ERR', refusal) })), refusal)
    assert.equal(appErrorIn(coded('ENOTFOUND')), null)
  })
})
