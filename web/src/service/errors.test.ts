import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from './errors.ts'

describe('an error response', () => {
  test('names fields by path, without the request part', () => {
    const detail = [
      { loc: ['body', 'config', 'url'], msg: 'url is missing', type: 'missing' },
      { loc: ['body', 'config', 'url'], msg: 'a second error', type: 'value_error' },
      { loc: ['body'], msg: 'the body is invalid', type: 'value_error' },
    ]
    const error = new ApiError('/sources', 422, { detail })
    assert.deepEqual(error.fields, { 'config.url': 'Url is missing.', '': 'The body is invalid.' })
    assert.equal(error.code, 'invalid_request')
  })

  test('has a message, a code and the request id', () => {
    const error = new ApiError('/jobs', 500, { detail: 'it broke', code: 'internal', request_id: 'req-7' })
    assert.deepEqual([error.message, error.code, error.requestId], ['It broke.', 'internal', 'req-7'])
    assert.deepEqual(error.fields, {})
  })

  test('has a default message if the service sends none', () => {
    assert.match(new ApiError('/jobs', 0, undefined).message, /cannot be reached/)
    assert.match(new ApiError('/jobs', 502, undefined).message, /502/)
  })
})
