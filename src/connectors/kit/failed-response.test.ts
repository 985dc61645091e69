import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError, type ErrorCode } from '../../errors.ts'
import { errorOfPause, errorWithoutResponse } from './failed-response.ts'

describe('a request without a response', () => {
  const broken = (code: ErrorCode, cause: string, ranOut = false) => {
    const error = new AppError(code, 'connecting to site.corp', { cause: { code: cause } })
    const { tries, error: wrapped } = errorWithoutResponse('listing', error, ranOut)
    return [wrapped.code, tries]
  }
  test('is worth another try, unless it would fail again', () => {
    assert.deepEqual(broken('source_unreachable', 'ECONNRESET'), ['source_unreachable', Infinity])
    assert.deepEqual(broken('source_unreachable', 'CERT_HAS_EXPIRED'), ['source_unreachable', 1])
    assert.deepEqual(broken('egress_refused', ''), ['egress_refused', 1])
    assert.deepEqual(broken('source_answer_too_long', ''), ['source_answer_too_long', 1])
  })
  test('is worth one more try after a timeout, and fails only the document', () => {
    assert.deepEqual(broken('source_unreachable', '', true), ['source_failed', 2])
    assert.deepEqual(broken('source_unreachable', 'UND_ERR_BODY_TIMEOUT'), ['source_failed', 2])
    assert.deepEqual(broken('source_unreachable', 'UND_ERR_HEADERS_TIMEOUT'), ['source_failed', 2])
  })
})

describe('a site that asks for a pause', () => {
  test('may ask for longer than dates allow', () => {
    const request = { doing: 'listing', site: { name: 'site.corp' } }
    const { message } = errorOfPause(request, { reason: 'down', leftMs: 1e300 })
    assert.match(message, /until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: it is not available$/)
  })
})
