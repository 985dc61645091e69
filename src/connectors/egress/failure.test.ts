import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../errors.ts'
import { appErrorIn, describeFailure } from './failure.ts'

const coded = (code: string, cause?: unknown) => Object.assign(new Error('remote text', { cause }), { code })

describe('a connection failure', () => {
  test('is described through any wrapping', () => {
    assert.equal(describeFailure(coded('ENOTFOUND')), 'the host does not exist')
    const wrapped = new Error('fetch failed', { cause: coded('ECONNREFUSED') })
    assert.equal(describeFailure(wrapped), 'nothing listens there (connection refused)')
    assert.equal(describeFailure(coded('CERT_HAS_EXPIRED')), 'its certificate has expired')
  })

  test('of several addresses is described by one of them', () => {
    assert.equal(
      describeFailure(new AggregateError([coded('EHOSTUNREACH')])),
      'there is no route to the host',
    )
  })

  test('that is unknown keeps its code and never the text', () => {
    assert.equal(describeFailure(coded('EWEIRD')), 'the connection failed (EWEIRD)')
    assert.equal(describeFailure(coded('ERR_SSL_X')), 'no secure connection could be made (ERR_SSL_X)')
    assert.equal(describeFailure('thrown text'), 'the connection failed')
  })

  test('ends on a circular chain of causes', () => {
    const error = new Error('a')
    error.cause = error
    assert.equal(describeFailure(error), 'the connection failed')
  })

  test('returns the refusal of the guard through any wrapping', () => {
    const refusal = new AppError('egress_refused', 'connecting to inside')
    assert.equal(appErrorIn(new Error('x', { cause: coded('UND_ERR', refusal) })), refusal)
    assert.equal(appErrorIn(coded('ENOTFOUND')), null)
  })
})
