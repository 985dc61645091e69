import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readRate } from './rate-headers.ts'

const now = Date.parse('2026-01-01T00:50:00Z')
const read = (status: number, headers: Record<string, string>) => readRate(status, new Headers(headers), now)

describe('the wait that a response asks for', () => {
  const waits: [string, Record<string, string>, number | null][] = [
    ['seconds', { 'retry-after': '5' }, 5_000],
    ['a fraction of a second', { 'retry-after': '0.25' }, 250],
    ['an HTTP date', { 'retry-after': 'Thu, 01 Jan 2026 00:50:10 GMT' }, 10_000],
    ['a date in the past', { 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 0],
    ['nonsense', { 'retry-after': '-7' }, null],
    ['a reset without seconds', { 'x-ratelimit-reset': '2026-01-01T00:51Z' }, 60_000],
    ['a reset in seconds since 1970', { 'x-ratelimit-reset': String(now / 1000 + 7) }, 7_000],
    ['Retry-After before a reset', { 'retry-after': '1', 'x-ratelimit-reset': '2026-01-01T01:00Z' }, 1_000],
    ['the quota that is used up', { ratelimit: '"a-quota";r=9;t=600, "b-quota";r=0;t=30' }, 30_000],
    ['a quota before it is enforced', { 'beta-ratelimit': '"a-quota";r=0;t=12' }, 12_000],
    ['none for a quota that is not used up', { ratelimit: '"a-quota";r=9000;t=600' }, null],
    [
      'one interval of an empty bucket',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-fillrate': '5', 'x-ratelimit-interval-seconds': '3' },
      3_000,
    ],
    [
      'none for a bucket that is not empty',
      { 'x-ratelimit-remaining': '4', 'x-ratelimit-interval-seconds': '3' },
      null,
    ],
    [
      'the rest of the hour for a quota',
      { 'ratelimit-reason': 'confluence-quota-tenant-based' },
      10 * 60_000,
    ],
    ['nothing', {}, null],
  ]
  for (const [name, headers, ms] of waits) {
    test(`is read as ${name}`, () => assert.equal(read(429, headers).retryAfterMs, ms))
  }
  test('ignores the reset time of a response that is no refusal', () => {
    assert.equal(read(200, { 'x-ratelimit-reset': '2026-01-01T01:00Z' }).retryAfterMs, null)
    assert.equal(read(503, { 'retry-after': '3' }).retryAfterMs, 3_000)
  })
})

describe('a refusal for too many requests', () => {
  test('is a burst or a quota by its reason, or by the quota that is used up', () => {
    assert.equal(read(429, {}).limited, 'burst')
    assert.equal(read(429, { 'ratelimit-reason': 'confluence-burst-based' }).limited, 'burst')
    assert.equal(read(429, { 'ratelimit-reason': 'confluence-quota-global-based' }).limited, 'quota')
    assert.equal(read(429, { ratelimit: '"tenant-app-quota";r=0;t=60' }).limited, 'quota')
    assert.equal(read(429, { ratelimit: '"tenant-app-quota";r=5;t=60' }).limited, 'burst')
  })
  test('may be a 403 with Retry-After; any other 403 is about permissions', () => {
    assert.equal(read(403, { 'retry-after': '1' }).limited, 'burst')
    assert.equal(read(403, { 'x-ratelimit-remaining': '0' }).limited, 'burst')
    assert.equal(read(403, { 'x-failure-category': 'FAILURE_CLIENT_RATE_LIMITED' }).limited, 'burst')
    assert.equal(read(403, { 'x-ratelimit-remaining': '12' }).limited, null)
    assert.equal(read(403, {}).limited, null)
    assert.equal(read(404, { 'retry-after': '1' }).limited, null)
    assert.equal(read(200, { 'x-ratelimit-remaining': '0' }).limited, null)
  })
})

describe('a warning before a refusal', () => {
  test('is a header, or less than a fifth of a quota left', () => {
    assert.equal(read(200, { 'x-ratelimit-nearlimit': 'true' }).nearLimit, true)
    assert.equal(read(200, { 'x-ratelimit-nearlimit': 'false' }).nearLimit, false)
    const left = (r: number) => ({ 'ratelimit-policy': '"q";q=1000;w=3600', ratelimit: `"q";r=${r};t=60` })
    assert.equal(read(200, left(199)).nearLimit, true)
    assert.equal(read(200, left(200)).nearLimit, false)
    const beta = { 'beta-ratelimit-policy': '"q";q=1000;w=3600', 'beta-ratelimit': '"q";r=1;t=60' }
    assert.equal(read(200, beta).nearLimit, true)
    assert.equal(read(200, {}).nearLimit, false)
  })
})
