import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SharedPace } from '../type.ts'
import { RequestPace, type RequestSlot } from './pacing.ts'
import type { Clock, PauseReason } from './pauses.ts'

const { signal } = new AbortController()
const MINUTE = 60_000

/** Time passes only in `pass`, which runs due timers in order. */
function fakeClock(): Clock & { pass(ms: number): Promise<void> } {
  let time = 0
  let due: { at: number; run(): void }[] = []
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    now: () => time,
    later: (ms, run) => {
      const entry = { at: time + ms, run }
      due.push(entry)
      return () => {
        due = due.filter((each) => each !== entry)
      }
    },
    pass: async (ms) => {
      const end = time + ms
      await settle()
      for (;;) {
        const next = due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        due = due.filter((each) => each !== next)
        time = next.at
        next.run()
        await settle()
      }
      time = end
    },
  }
}

async function enter(pace: RequestPace, kind: string | null = null): Promise<RequestSlot> {
  const slot = await pace.enter({ kind }, signal)
  assert.ok('leave' in slot, 'the request has to wait too long')
  return slot
}
const ok = { ok: true, nearLimit: false }
const refusal = (reason: PauseReason, retryAfterMs: number | null = null) => ({
  reason,
  retryAfterMs,
  firstMs: 500,
})

/** A waiting request; `slot` is set when it may start, `gaveUp` if the pause is too long. */
function waiter(pace: RequestPace, share = 1) {
  const state: { slot: RequestSlot | null; gaveUp: boolean } = { slot: null, gaveUp: false }
  pace.enter({ kind: null, share }, signal).then((slot) => {
    if ('leave' in slot) state.slot = slot
    else state.gaveUp = true
  })
  return state
}

describe('the limit of parallel requests', () => {
  /** Runs `workers` until there are `responses`, each after `latency`; returns the limit after every response. */
  async function limitsUnderLoad(workers: number, responses: number, latency: (active: number) => number) {
    const clock = fakeClock()
    const pace = new RequestPace({ clock })
    const limits: number[] = []
    let active = 0
    const work = async (): Promise<void> => {
      while (limits.length < responses) {
        const slot = await enter(pace, 'list')
        active++
        await new Promise<void>((resolve) => clock.later(latency(active), resolve))
        active--
        slot.responded(ok)
        limits.push(pace.limit)
        slot.leave()
      }
    }
    let done = false
    const all = Promise.all(Array.from({ length: workers }, work)).then(() => {
      done = true
    })
    while (!done) await clock.pass(50)
    await all
    return limits
  }

  for (const ms of [0, 20]) {
    test(`grows from 4 to 16 at ${ms} ms, and stays there`, async () => {
      const limits = await limitsUnderLoad(24, 600, () => ms)
      assert.ok(limits[0]! > 4 && limits[0]! < 5)
      assert.ok(limits.every((limit, i) => i === 0 || limit >= limits[i - 1]!))
      assert.equal(limits[200], 16)
      assert.equal(limits.at(-1), 16)
    })
  }

  test('stops growing above its start if responses slow down under load', async () => {
    // Four requests take 200 ms in parallel; more take proportionally longer.
    const limits = await limitsUnderLoad(24, 2_000, (active) => 200 * Math.max(1, active / 4))
    const late = limits.slice(300)
    assert.ok(Math.max(...late) < 12, `${Math.max(...late)}`)
    assert.ok(Math.min(...late) >= 4, `${Math.min(...late)}`)
    assert.ok(Math.max(...late) - Math.min(...late) < 4, 'it oscillates')
  })

  test('falls in small steps to 4 if the wiki slows down, and grows again if it stays slow under low load', async () => {
    let responses = 0
    const limits = await limitsUnderLoad(24, 1_000, () => (++responses > 250 ? 2_000 : 20))
    assert.equal(limits[249], 16)
    assert.equal(Math.min(...limits), 4)
    assert.equal(limits.at(-1), 16)
    for (const [i, limit] of limits.entries()) assert.ok(i === 0 || limit > limits[i - 1]! - 0.3)
  })

  test('does not grow while it is not used up', async () => {
    assert.equal((await limitsUnderLoad(1, 100, () => 20)).at(-1), 4)
  })

  test('falls in small steps to 1 while the wiki warns', async () => {
    const pace = new RequestPace({ clock: fakeClock() })
    const seen: number[] = []
    for (let i = 0; i < 40; i++) {
      const slot = await enter(pace)
      slot.responded({ ok: true, nearLimit: true })
      slot.leave()
      seen.push(pace.limit)
    }
    assert.equal(seen[0], 3.75)
    assert.equal(seen.at(-1), 1)
  })

  test('halves after each refused burst, to at least 1', async () => {
    const clock = fakeClock()
    const pace = new RequestPace({ clock })
    for (const expected of [2, 1, 1]) {
      const slot = await enter(pace)
      slot.refused(refusal('burst', 0))
      slot.leave()
      assert.equal(pace.limit, expected)
      await clock.pass(MINUTE)
    }
  })

  test('counts refusals of parallel requests as one', async () => {
    const pace = new RequestPace({ clock: fakeClock() })
    const slots = await Promise.all([1, 2, 3].map(() => enter(pace)))
    for (const slot of slots) slot.refused(refusal('burst'))
    assert.equal(pace.limit, 2)
  })

  test('does not grow with responses to requests sent before a refusal', async () => {
    const pace = new RequestPace({ clock: fakeClock() })
    const slots = await Promise.all([1, 2, 3, 4].map(() => enter(pace)))
    slots[0]!.refused(refusal('burst'))
    for (const slot of slots.slice(1)) slot.responded(ok)
    assert.equal(pace.limit, 2)
  })

  test('stays the same after a quota refusal and after an outage', async () => {
    for (const reason of ['quota', 'down'] as const) {
      const pace = new RequestPace({ clock: fakeClock() })
      const slot = await enter(pace)
      slot.refused(refusal(reason, 1000))
      assert.equal(pace.limit, 4)
    }
  })

  test('queues further requests until one ends', async () => {
    const clock = fakeClock()
    const pace = new RequestPace({ clock })
    const slots = await Promise.all([1, 2, 3, 4].map(() => enter(pace)))
    const fifth = waiter(pace)
    await clock.pass(0)
    assert.equal(fifth.slot, null)
    slots[0]!.leave()
    await clock.pass(0)
    assert.ok(fifth.slot)
  })
})

describe('a pause', () => {
  test('holds all requests for as long as the wiki asks', async () => {
    const clock = fakeClock()
    const pace = new RequestPace({ clock })
    const slot = await enter(pace)
    const { leftMs } = slot.refused(refusal('burst', 10_000))
    slot.leave()
    assert.equal(leftMs, 10_000)
    const others = [1, 2, 3].map(() => waiter(pace))
    await clock.pass(9_999)
    assert.ok(others.every(({ slot }) => slot === null))
    await clock.pass(1)
    assert.equal(others.filter(({ slot }) => slot !== null).length, 2)
  })

  test('is never shortened by a later refusal', async () => {
    const clock = fakeClock()
    const pace = new RequestPace({ clock })
    const [first, second] = await Promise.all([enter(pace), enter(pace)])
    first!.refused(refusal('burst', 60_000))
    second!.refused(refusal('burst', 1_000))
    first!.leave()
    second!.leave()
    const next = waiter(pace)
    await clock.pass(59_999)
    assert.equal(next.slot, null)
    await clock.pass(1)
    assert.ok(next.slot)
  })

  test('doubles after each refusal without Retry-After, and resets after a response', async () => {
    const clock = fakeClock()
    const pace = new RequestPace({ clock })
    const refuse = async () => {
      const slot = await enter(pace)
      const { leftMs } = slot.refused(refusal('down'))
      slot.leave()
      await clock.pass(leftMs)
      return leftMs
    }
    const [first, second, third] = [await refuse(), await refuse(), await refuse()]
    assert.ok(first! >= 250 && first! <= 500 && second! >= 500 && third! >= 1000)
    const slot = await enter(pace)
    slot.responded(ok)
    slot.leave()
    assert.ok((await refuse()) <= 500)
  })

  test('after an outage lets one request probe, and the others follow its success', async () => {
    const clock = fakeClock()
    const pace = new RequestPace({ clock })
    const first = await enter(pace)
    first.refused(refusal('down', 5_000))
    first.leave()
    const others = [1, 2, 3].map(() => waiter(pace))
    const started = () => others.filter(({ slot }) => slot !== null).length
    await clock.pass(5_000)
    assert.equal(started(), 1)
    await clock.pass(MINUTE)
    assert.equal(started(), 1)
    others[0]!.slot!.refused(refusal('down', 7_000))
    others[0]!.slot!.leave()
    await clock.pass(6_999)
    assert.equal(started(), 1)
    await clock.pass(1)
    assert.equal(started(), 2)
    others[1]!.slot!.responded({ ok: false, nearLimit: false })
    others[1]!.slot!.leave()
    await clock.pass(0)
    assert.equal(started(), 3)
  })

  test('after an outage is not ended by requests sent before it', async () => {
    const clock = fakeClock()
    const pace = new RequestPace({ clock })
    const [early, refused] = await Promise.all([enter(pace), enter(pace)])
    refused!.refused(refusal('down', 1_000))
    refused!.leave()
    const others = [1, 2].map(() => waiter(pace))
    await clock.pass(1_000)
    early!.responded(ok)
    early!.leave()
    await clock.pass(0)
    assert.equal(others.filter(({ slot }) => slot !== null).length, 1)
  })

  test('for a quota lasts up to an hour; requests that would wait longer give up', async () => {
    const clock = fakeClock()
    const pace = new RequestPace({ clock })
    const [first, second] = await Promise.all([enter(pace), enter(pace)])
    first!.refused(refusal('quota', 60 * MINUTE))
    first!.leave()
    const patient = waiter(pace)
    assert.deepEqual(await pace.enter({ kind: null, maxWaitMs: 20_000 }, signal), {
      reason: 'quota',
      leftMs: 60 * MINUTE,
    })
    second!.refused(refusal('quota', 24 * 60 * MINUTE))
    second!.leave()
    await clock.pass(0)
    assert.equal(patient.gaveUp, true)
    const late = await pace.enter({ kind: null }, signal)
    assert.ok('leftMs' in late && late.leftMs === 24 * 60 * MINUTE)
    // After 65 minutes a request may start, whatever the wiki asked for.
    await clock.pass(65 * MINUTE)
    await enter(pace)
  })

  test('for a burst lasts five minutes at most', async () => {
    const clock = fakeClock()
    const pace = new RequestPace({ clock })
    const slot = await enter(pace)
    slot.refused(refusal('burst', 6 * MINUTE))
    slot.leave()
    assert.ok('leftMs' in (await pace.enter({ kind: null }, signal)))
    await clock.pass(5 * MINUTE)
    await enter(pace)
  })

  test('stops at once for a cancelled request', async () => {
    const pace = new RequestPace()
    const slot = await enter(pace)
    slot.refused(refusal('quota', 30 * MINUTE))
    slot.leave()
    const caller = new AbortController()
    const waiting = pace.enter({ kind: null }, caller.signal)
    caller.abort(new Error('cancelled'))
    await assert.rejects(waiting, /cancelled/)
    await assert.rejects(pace.enter({ kind: null }, caller.signal), /cancelled/)
  })
})

describe('a share of the limit', () => {
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const started = (waiters: ReturnType<typeof waiter>[]) => waiters.filter(({ slot }) => slot !== null).length
  const many = (pace: RequestPace, share?: number) => Array.from({ length: 20 }, () => waiter(pace, share))

  test('is not exceeded, even if no one else sends requests', async () => {
    const pace = new RequestPace({ clock: fakeClock() })
    const passes = [...many(pace, 0.5), ...many(pace, 0.5)]
    await settle()
    assert.equal(started(passes), 2)
    assert.equal(started(many(pace)), 0)
    await settle()
    passes[0]?.slot?.leave()
    await settle()
    assert.equal(started(passes), 2, 'a request with a full share took the turn')
  })

  test('grows and shrinks with the limit, and is at least one request', async () => {
    const pace = new RequestPace({ clock: fakeClock() })
    for (let i = 0; i < 200; i++) {
      const slots = await Promise.all([enter(pace), enter(pace), enter(pace), enter(pace)])
      for (const slot of slots) slot.responded(ok)
      for (const slot of slots) slot.leave()
    }
    const most = many(pace, 0.5)
    await settle()
    assert.equal(started(most), Math.floor(pace.limit / 2))

    const clock = fakeClock()
    const refused = new RequestPace({ clock })
    for (let i = 0; i < 6; i++) {
      const slot = await enter(refused)
      slot.refused(refusal('burst'))
      slot.leave()
      await clock.pass(MINUTE)
    }
    assert.equal(refused.limit, 1)
    const least = many(refused, 0.5)
    await settle()
    assert.equal(started(least), 1)
  })

  test('lets waiting requests with a full share go first', async () => {
    const pace = new RequestPace({ clock: fakeClock() })
    const first = await Promise.all([enter(pace), enter(pace), enter(pace), enter(pace)])
    const passes = many(pace, 0.5)
    const content = many(pace)
    for (const slot of first) slot.leave()
    await settle()
    assert.deepEqual([started(passes), started(content)], [1, 3])
  })

  test('keeps one turn in order, so that requests with a full share cannot starve others', async () => {
    const pace = new RequestPace({ clock: fakeClock() })
    let content = [...many(pace), ...many(pace)]
    const passes = many(pace, 0.5)
    for (let turns = 0; turns < 200; turns++) {
      await settle()
      const running = content.find(({ slot }) => slot !== null)
      running?.slot?.leave()
      content = [...content.filter((each) => each !== running), waiter(pace)]
      const pass = passes.find(({ slot }) => slot !== null)
      if (!pass) continue
      assert.ok(turns <= 41, `${turns} turns`)
      return
    }
    assert.fail('no turn')
  })
})

type Announced = Parameters<SharedPace['pause']>[1]

describe('a budget that processes share', () => {
  const site = 'https://acme.example'
  /** Grants `limit`, and records requests. */
  function budget(limit: number) {
    const state = { limit, leases: 0, pause: null as Announced | null, announced: [] as Announced[] }
    let isBroken = false
    const pace: SharedPace = {
      lease: async () => {
        state.leases++
        if (isBroken) throw new Error('no database')
        return { limit: state.limit, pause: state.pause }
      },
      pause: async (_site, pause) => {
        state.announced.push(pause)
      },
    }
    return { state, shared: () => ({ site, pace }), breakDown: () => (isBroken = true) }
  }
  const started = (waiters: ReturnType<typeof waiter>[]) => waiters.filter(({ slot }) => slot !== null).length
  const many = (pace: RequestPace, share?: number) => Array.from({ length: 20 }, () => waiter(pace, share))

  test('limits the requests to the lease, and follows it', async () => {
    const clock = fakeClock()
    const { state, shared } = budget(1)
    const pace = new RequestPace({ clock, shared })
    const requests = many(pace)
    await clock.pass(0)
    assert.equal(started(requests), 1)
    state.limit = 3
    await clock.pass(3_000)
    assert.equal(started(requests), 3)
    state.limit = 16
    await clock.pass(3_000)
    assert.equal(started(requests), 4, 'its own limit still applies')
  })

  test('starts no request with a lease of 0, and waits for a better one', async () => {
    const clock = fakeClock()
    const { state, shared } = budget(0)
    const pace = new RequestPace({ clock, shared })
    const requests = many(pace, 0.5)
    await clock.pass(6_000)
    assert.equal(started(requests), 0)
    state.limit = 2
    await clock.pass(3_000)
    assert.equal(started(requests), 1)
  })

  test('renews for a request directly after a lease of 0', async () => {
    const clock = fakeClock()
    const { state, shared } = budget(2)
    const pace = new RequestPace({ clock, shared })
    const slot = await enter(pace)
    slot.leave()
    state.limit = 0
    await clock.pass(3_100)
    const late = waiter(pace)
    state.limit = 2
    await clock.pass(3_000)
    assert.ok(late.slot)
  })

  test('renews only while there are requests, and before the first after a break', async () => {
    const clock = fakeClock()
    const { state, shared } = budget(2)
    const pace = new RequestPace({ clock, shared })
    const slot = await enter(pace)
    slot.leave()
    await clock.pass(10 * MINUTE)
    assert.ok(state.leases <= 2, `${state.leases} leases`)
    const before = state.leases
    state.pause = { reason: 'quota', leftMs: MINUTE }
    const late = waiter(pace)
    await clock.pass(MINUTE / 2)
    assert.ok(state.leases > before)
    assert.equal(late.slot, null, 'another process announced a pause')
    state.pause = null
    await clock.pass(MINUTE)
    assert.ok(late.slot)
  })

  test('announces long pauses to other processes, not short ones', async () => {
    const clock = fakeClock()
    const { state, shared } = budget(4)
    const pace = new RequestPace({ clock, shared })
    const slot = await enter(pace)
    slot.refused(refusal('quota', 30_000))
    assert.deepEqual(state.announced, [{ reason: 'quota', leftMs: 30_000 }])
    slot.leave()
    const other = budget(4)
    const short = await enter(new RequestPace({ clock, shared: other.shared }))
    short.refused({ reason: 'burst', retryAfterMs: 100, firstMs: 1 })
    assert.deepEqual(other.state.announced, [])
  })

  test('keeps the last lease while the database is away', async () => {
    const clock = fakeClock()
    const { shared, breakDown } = budget(3)
    const pace = new RequestPace({ clock, shared })
    const requests = many(pace)
    await clock.pass(0)
    breakDown()
    await clock.pass(MINUTE)
    for (const { slot } of requests.slice(0, 3)) slot?.leave()
    await clock.pass(0)
    assert.equal(started(requests), 6)
    const first = budget(3)
    first.breakDown()
    const alone = many(new RequestPace({ clock, shared: first.shared }))
    await clock.pass(0)
    assert.equal(started(alone), 1)
  })
})
