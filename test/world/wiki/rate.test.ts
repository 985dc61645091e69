import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { requestCloud, requestDataCenter } from './ask.ts'
import { fault } from './faults.ts'
import { httpDateIn } from './rate-headers.ts'
import { startWiki, type Wiki } from './start.ts'

describe('the limits of the simulated wiki', () => {
  let wiki: Wiki
  let cloud: ReturnType<typeof requestCloud>
  let dc: ReturnType<typeof requestDataCenter>

  before(async () => {
    wiki = await startWiki({ seed: 24, pages: 40 })
    cloud = requestCloud(wiki.cloudUrl)
    dc = requestDataCenter(wiki.dataCenterUrl)
  })
  after(() => wiki.stop())
  beforeEach(async () => {
    await wiki.control.clearFaults()
    await wiki.control.set({ rateLimit: null, latencyPerRequestMs: 0, pauseGraceMs: 0 })
    await wiki.control.resetCounts()
  })

  const failed = async (
    made: Parameters<Wiki['control']['fail']>[0],
    get = cloud,
    path = '/api/v2/spaces',
  ) => {
    await wiki.control.fail(made)
    return get(path)
  }

  test('it sends Retry-After in seconds, as a date, by a reset, or not at all', async () => {
    assert.equal((await failed(fault.rateLimited(3))).headers.get('retry-after'), '3')
    const date = (await failed(fault.rateLimited(httpDateIn(3)))).headers.get('retry-after') ?? ''
    assert.match(date, / GMT$/)
    const away = Date.parse(date) - Date.now()
    assert.ok(away > 1000 && away < 4100, String(away))
    const reset = async (resetSeconds: boolean) =>
      (await failed(fault.rateLimited(undefined, { resetInSeconds: 30, resetSeconds }))).headers.get(
        'x-ratelimit-reset',
      ) ?? ''
    assert.match(await reset(true), /T\d\d:\d\d:\d\dZ$/)
    assert.match(await reset(false), /T\d\d:\d\dZ$/)
    assert.ok(Date.parse(await reset(false)) >= Date.now() + 29_000)
    const silent = (await failed(fault.rateLimited())).headers
    assert.deepEqual(
      [silent.get('retry-after'), silent.get('x-failure-category')],
      [null, 'FAILURE_CLIENT_RATE_LIMITED'],
    )
  })

  test('it sends each reason, and structured headers under both names', async () => {
    for (const [reason, policy] of [
      ['confluence-quota-tenant-based', 'tenant-app-quota'],
      ['confluence-quota-global-based', 'global-app-quota'],
    ] as const) {
      for (const [structured, prefix] of [
        ['plain', ''],
        ['beta', 'beta-'],
      ] as const) {
        const state = { reason, structured, limit: 65_000, resetInSeconds: 120 }
        const { status, headers } = await failed(fault.rateLimited(120, state))
        assert.deepEqual([status, headers.get('ratelimit-reason')], [429, reason])
        assert.equal(headers.get(`${prefix}ratelimit-policy`), `"${policy}";q=65000;w=3600`)
        assert.equal(headers.get(`${prefix}ratelimit`), `"${policy}";r=0;t=120`)
      }
    }
  })

  test('it sends limit headers with normal responses, and can refuse like a proxy', async () => {
    const near = await failed(fault.nearLimit({ limit: 100, remaining: 5, structured: 'plain' }))
    assert.deepEqual([near.status, near.headers.get('x-ratelimit-nearlimit')], [200, 'true'])
    assert.match(near.headers.get('ratelimit') ?? '', /;r=5;/)
    const node = await failed(fault.nodeLimited(2, { limit: 8, fillRate: 4 }), dc, '/rest/api/space')
    assert.deepEqual(
      ['limit', 'remaining', 'fillrate', 'interval-seconds'].map((name) =>
        node.headers.get(`x-ratelimit-${name}`),
      ),
      ['8', '0', '4', '1'],
    )
    const proxy = await failed(fault.proxyRefused())
    assert.equal(proxy.status, 403)
    assert.match(proxy.headers.get('content-type') ?? '', /html/)
    assert.equal((await failed(fault.unavailable())).headers.get('retry-after'), null)
    assert.equal((await failed(fault.unavailable(4))).headers.get('retry-after'), '4')
  })

  test('it formats refusals of its bucket as configured', async () => {
    const limit = { capacity: 1, perSecond: 0.001 }
    const second = async (more: object) => {
      await wiki.control.set({ rateLimit: null })
      await cloud('/api/v2/spaces')
      await wiki.control.set({ rateLimit: { ...limit, ...more } })
      await cloud('/api/v2/spaces')
      return (await cloud('/api/v2/spaces')).headers
    }
    assert.match((await second({ retryAfter: 'date' })).get('retry-after') ?? '', / GMT$/)
    assert.equal((await second({ retryAfter: 'none' })).get('retry-after'), null)
    const quota = await second({
      reason: 'confluence-quota-tenant-based',
      structured: 'beta',
      resetSeconds: true,
    })
    assert.equal(quota.get('ratelimit-reason'), 'confluence-quota-tenant-based')
    assert.match(quota.get('beta-ratelimit-policy') ?? '', /^"tenant-app-quota";q=1;/)
    assert.match(quota.get('x-ratelimit-reset') ?? '', /:\d\dZ$/)
  })

  test('it counts requests during a pause, by path', async () => {
    await cloud('/api/v2/spaces')
    await failed(fault.rateLimited(60))
    await cloud('/api/v2/pages')
    await dc('/rest/api/space')
    const { duringPause, sites } = await wiki.control.counts()
    assert.deepEqual([duringPause, sites.cloud.duringPause, sites.dataCenter.duringPause], [1, 1, 0])
    const paused = (await wiki.control.requests()).filter((request) => request.duringPause)
    assert.deepEqual(
      paused.map(({ url }) => url),
      ['/wiki/api/v2/pages'],
    )
    await wiki.control.resetCounts()
    await cloud('/api/v2/pages')
    await failed(fault.unavailable(0))
    await cloud('/api/v2/pages')
    await failed(fault.rateLimited(httpDateIn(60)))
    await cloud('/api/v2/pages')
    assert.equal((await wiki.control.counts()).duringPause, 1)
    await wiki.control.resetCounts()
    await wiki.control.set({ pauseGraceMs: 60_000 })
    await failed(fault.rateLimited(60))
    await cloud('/api/v2/pages')
    assert.equal((await wiki.control.counts()).duringPause, 0)
  })

  test('it slows down with the number of concurrent requests', async () => {
    await wiki.control.set({ latencyPerRequestMs: 30 })
    const timed = async () => {
      const from = performance.now()
      await cloud('/api/v2/spaces?limit=1')
      return performance.now() - from
    }
    const alone = await timed()
    const crowd = await Promise.all(Array.from({ length: 6 }, timed))
    assert.ok(alone >= 29, String(alone))
    assert.ok(Math.max(...crowd) >= 170, String(crowd))
  })
})
