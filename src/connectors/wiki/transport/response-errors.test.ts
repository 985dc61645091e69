import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError, type ErrorCode } from '../../../errors.ts'
import { errorOfBrokenBody, errorOfPause } from './response-errors.ts'
import { cloudSite } from './site.ts'

describe('a request that came to no answer', () => {
  const broken = (code: ErrorCode, cause: string, ranOut = false) => {
    const error = new AppError(code, 'connecting to wiki.corp', { cause: { code: cause } })
    const { tries, error: told } = errorOfBrokenBody('listing', error, ranOut)
    return [told.code, tries]
  }
  test('is worth another try, unless it would only be the same again', () => {
    assert.deepEqual(broken('source_unreachable', 'ECONNRESET'), ['source_unreachable', Infinity])
    assert.deepEqual(broken('source_unreachable', 'CERT_HAS_EXPIRED'), ['source_unreachable', 1])
    assert.deepEqual(broken('egress_refused', ''), ['egress_refused', 1])
    assert.deepEqual(broken('source_answer_too_long', ''), ['source_answer_too_long', 1])
  })
  test('is worth one more where it took all its time, and the failure of what was asked for', () => {
    assert.deepEqual(broken('source_unreachable', '', true), ['source_failed', 2])
    assert.deepEqual(broken('source_unreachable', 'UND_ERR_BODY_TIMEOUT'), ['source_failed', 2])
    assert.deepEqual(broken('source_unreachable', 'UND_ERR_HEADERS_TIMEOUT'), ['source_failed', 2])
  })
})

describe('a wiki that wants to be left alone', () => {
  test('may say so for longer than there are dates', () => {
    const asked = { doing: 'listing', site: cloudSite('https://acme.atlassian.net') }
    const { message } = errorOfPause(asked, { why: 'down', leftMs: 1e300 })
    assert.match(message, /until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: it is not available$/)
  })
})
