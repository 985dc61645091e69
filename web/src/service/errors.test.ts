import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from './errors.ts'

describe('an answer that is no success', () => {
  test('names its fields by their place without the part of the request', () => {
    const detail = [
      { loc: ['body', 'config', 'url'], msg: 'url is missing', type: 'missing' },
      { loc: ['body', 'config', 'url'], msg: 'a second complaint', type: 'value_error' },
      { loc: ['body'], msg: 'the whole is wrong', type: 'value_error' },
    ]
    const error = new ApiError('/sources', 422, { detail })
    assert.deepEqual(error.fields, { 'config.url': 'Url is missing.', '': 'The whole is wrong.' })
    assert.equal(error.code, 'invalid_request')
  })

  test('is one sentence with its code and the id that stands in the log', () => {
    const error = new ApiError('/jobs', 500, { detail: 'it broke', code: 'internal', request_id: 'req-7' })
    assert.deepEqual([error.message, error.code, error.requestId], ['It broke.', 'internal', 'req-7'])
    assert.deepEqual(error.fields, {})
  })

  test('says something of its own where the service says nothing', () => {
    assert.match(new ApiError('/jobs', 0, undefined).message, /cannot be reached/)
    assert.match(new ApiError('/jobs', 502, undefined).message, /502/)
  })
})
