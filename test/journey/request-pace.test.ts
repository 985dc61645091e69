import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertAgreement, contents } from '../world/agreement.ts'
import { detailsOf, type Flow, finish, makeFlow, run, startRun, until } from '../world/flow.ts'
import { assertSuccess } from '../world/open-space.ts'
import { anotherDestination } from '../world/second-destination.ts'
import { accounts } from '../world/wiki/accounts.ts'
import { type Fault, fault } from '../world/wiki/faults.ts'
import { httpDateIn, type RateState } from '../world/wiki/rate-headers.ts'
import { openWorld, type World } from '../world/world.ts'

/** Requests to a wiki share one pace, adapt to its latency, and pause when it asks for it. */
describe('the request pace of a wiki', () => {
  let world: World
  let flow: Flow
  let other: Flow

  before(async () => {
    world = await openWorld({
      wiki: { seed: 34, pages: 70, spaces: 4, people: 10, groups: 4 },
      env: { MILLRACE_ALLOWED_HOSTS: '127.0.0.1' },
    })
    // Requests sent before a refusal arrive within this time, even on a busy machine.
    await world.wiki.control.set({ pauseGraceMs: 3000 })
    flow = await makeFlow(world)
    other = await makeFlow(world, {
      suffix: ' other',
      destination: (await anotherDestination(world, 'other')).config,
    })
  })
  after(() => world.close())

  test('it reduces two workflows on one site to one request at a time near its limit', async () => {
    await world.wiki.control.set({ latencyMs: 50 })
    await together()
    assert.ok((await mostAtOnce()) > 2)
    await world.wiki.control.fail({ ...fault.nearLimit({ limit: 100, remaining: 5 }), times: null })
    await edited()
    await together()
    await world.wiki.control.resetCounts()
    await together()
    await world.wiki.control.clearFaults()
    assert.equal(await mostAtOnce(), 1)
  })

  test('it shares sixteen concurrent requests between two workflows on one site', async () => {
    await forgetPace()
    // Pages that the search does not know are requested one by one, as fast as the pace allows.
    await world.wiki.control.holdSearch()
    // Long enough that delays of a busy machine do not count as a slow wiki.
    await world.wiki.control.set({ latencyMs: 300 })
    for (let rounds = 0; rounds < 8 && (await mostAtOnce()) < 16; rounds++) {
      await edited()
      await together()
    }
    assert.equal(await mostAtOnce(), 16)
  })

  test('it sends fewer concurrent requests to a wiki that slows down', async () => {
    await forgetPace()
    await world.wiki.control.set({ latencyMs: 0, latencyPerRequestMs: 100 })
    await edited()
    await world.wiki.control.resetCounts()
    await assertSuccess(run(world, flow))
    await world.wiki.control.set({ latencyPerRequestMs: 0 })
    await world.wiki.control.releaseSearch()
    assert.ok((await mostAtOnce()) < 16, `${await mostAtOnce()} at once`)
  })

  const quota: RateState = { resetInSeconds: 5, resetSeconds: true, reason: 'confluence-quota-tenant-based' }
  const refusals: [name: string, refusal: () => Fault, leastMs: number][] = [
    ['429 with seconds to wait', () => fault.rateLimited(5), 5000],
    ['429 with a date to wait for', () => fault.rateLimited(httpDateIn(5)), 4000],
    ['429 that says nothing of when', () => fault.rateLimited(), 250],
    ['a quota that is used up', () => ({ ...fault.rateLimited(undefined, quota), ...whileReading }), 4500],
    ['503 with seconds to wait', () => ({ ...fault.unavailable(5), ...whileReading }), 5000],
  ]
  for (const [name, refusal, leastMs] of refusals)
    test(`it makes all requests wait for ${name} and completes the job`, async () => {
      await edited()
      await world.wiki.control.resetCounts()
      await world.wiki.control.fail({ after: 4, times: 2, ...refusal() })
      const began = Date.now()
      await assertSuccess(run(world, flow))
      const elapsedMs = Date.now() - began
      const { sites, duringPause } = await world.wiki.control.counts()
      await world.wiki.control.clearFaults()
      const refused = (sites.cloud.byStatus['429'] ?? 0) + (sites.cloud.byStatus['503'] ?? 0)
      assert.ok(refused >= 1)
      assert.equal(duringPause, 0, 'requests during the pause')
      assert.ok(elapsedMs >= leastMs, `it took ${elapsedMs} ms`)
      await assertAgreement(world)
    })

  test('it fails the job and removes nothing if the credentials stop working', async () => {
    const records = async () => new Set((await contents(world)).map(({ _source }) => _source.record_id))
    const earlier = await records()
    const [page = ''] = await edited()
    await world.wiki.control.trashPage(page)
    await world.wiki.control.fail({ ...fault.unauthorized(), ...whileReading, times: null })
    const ended = await run(world, flow)
    await world.wiki.control.clearFaults()
    assert.equal(ended.status, 'FAILED')
    assert.match(ended.details.message ?? '', /rejected the credentials \(401\)/)
    assert.equal(ended.details.counts.removed, 0)
    assert.deepEqual(await records(), earlier)
    assert.equal((await assertSuccess(run(world, flow))).details.counts.removed, 1)
    await assertAgreement(world)
  })

  test('it obeys the token bucket of a Data Center, with and without Retry-After', async () => {
    const source = {
      url: world.wiki.dataCenterUrl,
      token: accounts.crawler.pat,
      username: null,
      cloud: false,
    }
    const { config: destination } = await anotherDestination(world, 'dc')
    const dc = await makeFlow(world, { source, destination, suffix: ' dc' })
    await world.wiki.control.resetCounts()
    // The first pause takes five seconds, longer than the grace; later ones take one.
    await world.wiki.control.set({ rateLimit: { capacity: 12, perSecond: 0.2 } })
    const job = await startRun(world, dc)
    await until(
      async () => (await world.wiki.control.counts()).sites.dataCenter.byStatus['429'] ?? 0,
      (refused) => refused > 0,
    )
    await world.wiki.control.set({ rateLimit: { capacity: 12, perSecond: 6 } })
    await assertSuccess(finish(world, job))
    await world.wiki.control.set({ rateLimit: null })
    const { byStatus, duringPause } = (await world.wiki.control.counts()).sites.dataCenter
    assert.ok((byStatus['429'] ?? 0) > 0)
    assert.equal(duringPause, 0)
    await world.wiki.control.fail({ ...fault.nodeLimited(), site: 'dataCenter', after: 4 })
    const began = Date.now()
    await assertSuccess(run(world, dc))
    await world.wiki.control.clearFaults()
    assert.ok(Date.now() - began >= 1000, 'one interval of the bucket')
  })

  describe('during a pause of half an hour', () => {
    let job: string
    const requests = async () => (await world.wiki.control.counts()).sites.cloud.requests
    before(async () => {
      await edited()
      const state = { ...quota, resetInSeconds: 1800 }
      await world.wiki.control.fail({ ...fault.rateLimited(1800, state), after: 4, times: null })
      job = await startRun(world, flow)
      await until(
        () => world.wiki.control.faults(),
        ([armed]) => (armed?.hits ?? 0) > 0,
      )
      await world.wiki.control.clearFaults()
      await waitForQuiet()
    })

    /** Requests already under way arrive after the first refusal, and none follows. */
    async function waitForQuiet(): Promise<void> {
      let earlier = -1
      await until(
        async () => {
          await sleep(3000)
          return requests()
        },
        (now) => {
          const still = now === earlier
          earlier = now
          return still
        },
      )
    }

    test('it stops a cancelled job within seconds and starts the next', async () => {
      const asked = await requests()
      // Two listings run at a time: the third would wait if the first ones had not released their place.
      for (const _ of [1, 2, 3]) {
        const cancelled = await world.api.post<{ status: string }>(`/jobs/${job}/cancel`)
        assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'STOPPED'])
        assert.equal((await finish(world, job)).details.processing_status, 'STOPPED')
        job = await startRun(world, flow)
        await until(
          () => detailsOf(world, job),
          ({ processing_status }) => processing_status === 'IN_PROGRESS',
        )
      }
      await world.api.post(`/jobs/${job}/cancel`)
      assert.equal(await requests(), asked)
    })

    test('it reports the end of the pause in a check within seconds', async () => {
      assert.match((await checked()).reason ?? '', /asks for a pause until .*quota/)
    })

    test('it sends no request in a check during a pause', async () => {
      const asked = await requests()
      await checked()
      assert.equal(await requests(), asked)
    })

    test('it reports within seconds that the groups of a person cannot be read', async () => {
      const [person] = (await world.wiki.control.truth()).people
      const search = world.api.post<{ code: string }>(`/destinations/${flow.destinationId}/search`, {
        query: 'page',
        as: { user: person?.accountId },
      })
      const answer = await Promise.race([search, sleep(60_000, null, { ref: false })])
      assert.ok(answer, 'no answer in 60 s')
      assert.deepEqual([answer.status, answer.body.code], [502, 'source_unreachable'], answer.text)
    })
  })

  async function checked(): Promise<{ status: string; reason: string | null }> {
    const path = `/sources/${flow.sourceId}/connection-check`
    await world.api.post(path)
    const ended = await until(
      async () => (await world.api.get<{ status: string; reason: string | null }>(path)).body,
      ({ status }) => status !== 'SCHEDULED',
    )
    assert.equal(ended.status, 'FAILURE')
    return ended
  }

  /** What the service learned about the speed of the wiki is lost with the process. */
  async function forgetPace(): Promise<void> {
    await world.millrace.end('SIGINT')
    await world.restart()
  }

  /** A new version of every page. */
  async function edited(): Promise<string[]> {
    const pages = (await world.wiki.control.truth()).pages.filter(
      (page) => page.kind === 'page' && page.status === 'current',
    )
    for (const { id } of pages)
      await world.wiki.control.editPage(id, { body: `<p>Once more: ${Math.random()}.</p>` })
    return pages.filter(({ id }) => !pages.some(({ parentId }) => parentId === id)).map(({ id }) => id)
  }

  const mostAtOnce = async () => (await world.wiki.control.counts()).sites.cloud.mostAtOnce

  async function together(): Promise<void> {
    await Promise.all([assertSuccess(run(world, flow)), assertSuccess(run(world, other))])
  }
})

/** The listing has ended by then, and there is more than one slice. */
const whileReading = { path: 'body[.-]', after: 0 }
