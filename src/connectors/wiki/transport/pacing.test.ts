import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Clock, createPace, type RequestPace, type Turn, type Why } from './pacing.ts'

const { signal } = new AbortController()
const MINUTE = 60_000

/** Time that passes only when it is told to, and then runs what is due in its order. */
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

async function enter(pace: RequestPace, kind: string | null = null): Promise<Turn> {
  const turn = await pace.enter({ kind }, signal)
  assert.ok('leave' in turn, 'it was turned away')
  return turn
}
const well = { well: true, nearLimit: false }
const refusal = (why: Why, askedMs: number | null = null) => ({ why, askedMs, firstMs: 500 })

/** Somebody who is let in when the pace sees fit, which is noted. */
function waiter(pace: RequestPace) {
  const state: { turn: Turn | null; turnedAway: boolean } = { turn: null, turnedAway: false }
  pace.enter({ kind: null }, signal).then((turn) => {
    if ('leave' in turn) state.turn = turn
    else state.turnedAway = true
  })
  return state
}

describe('the number of requests at once', () => {
  /** Keeps so many busy with answers that take as long as told, for so many answers; tells all limits on the way. */
  async function busy(workers: number, answers: number, latency: (active: number) => number) {
    const clock = fakeClock()
    const pace = createPace(clock)
    const limits: number[] = []
    let active = 0
    const work = async (): Promise<void> => {
      while (limits.length < answers) {
        const turn = await enter(pace, 'list')
        active++
        await new Promise<void>((resolve) => clock.later(latency(active), resolve))
        active--
        turn.answered(well)
        limits.push(pace.limit)
        turn.leave()
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
      const limits = await busy(24, 600, () => ms)
      assert.ok(limits[0]! > 4 && limits[0]! < 5)
      assert.ok(limits.every((limit, i) => i === 0 || limit >= limits[i - 1]!))
      assert.equal(limits[200], 16)
      assert.equal(limits.at(-1), 16)
    })
  }

  test('stops growing where answers take longer the more are asked for, well above what it started with', async () => {
    // Four are served side by side in 200 ms; more of them share that.
    const limits = await busy(24, 2_000, (active) => 200 * Math.max(1, active / 4))
    const late = limits.slice(300)
    assert.ok(Math.max(...late) < 12, `${Math.max(...late)}`)
    assert.ok(Math.min(...late) >= 4, `${Math.min(...late)}`)
    assert.ok(Math.max(...late) - Math.min(...late) < 4, 'it swings')
  })

  test('shrinks gently to 4 where the wiki became slow, and grows again where that is not our doing', async () => {
    let answers = 0
    const limits = await busy(24, 1_000, () => (++answers > 250 ? 2_000 : 20))
    assert.equal(limits[249], 16)
    assert.equal(Math.min(...limits), 4)
    assert.equal(limits.at(-1), 16)
    for (const [i, limit] of limits.entries()) assert.ok(i === 0 || limit > limits[i - 1]! - 0.3)
  })

  test('does not grow where it is not made use of', async () => {
    assert.equal((await busy(1, 100, () => 20)).at(-1), 4)
  })

  test('shrinks gently with warnings, down to 1', async () => {
    const pace = createPace(fakeClock())
    const seen: number[] = []
    for (let i = 0; i < 40; i++) {
      const turn = await enter(pace)
      turn.answered({ well: true, nearLimit: true })
      turn.leave()
      seen.push(pace.limit)
    }
    assert.equal(seen[0], 3.75)
    assert.equal(seen.at(-1), 1)
  })

  test('is half after each burst that is refused, never below 1', async () => {
    const clock = fakeClock()
    const pace = createPace(clock)
    for (const expected of [2, 1, 1]) {
      const turn = await enter(pace)
      turn.refused(refusal('burst', 0))
      turn.leave()
      assert.equal(pace.limit, expected)
      await clock.pass(MINUTE)
    }
  })

  test('takes refusals of requests that were under way together for one', async () => {
    const pace = createPace(fakeClock())
    const turns = await Promise.all([1, 2, 3].map(() => enter(pace)))
    for (const turn of turns) turn.refused(refusal('burst'))
    assert.equal(pace.limit, 2)
  })

  test('does not grow by what was asked for before a refusal', async () => {
    const pace = createPace(fakeClock())
    const turns = await Promise.all([1, 2, 3, 4].map(() => enter(pace)))
    turns[0]!.refused(refusal('burst'))
    for (const turn of turns.slice(1)) turn.answered(well)
    assert.equal(pace.limit, 2)
  })

  test('is left as it is by a quota and by an outage', async () => {
    for (const why of ['quota', 'down'] as const) {
      const pace = createPace(fakeClock())
      const turn = await enter(pace)
      turn.refused(refusal(why, 1000))
      assert.equal(pace.limit, 4)
    }
  })

  test('lets no more in, and the next one when somebody leaves', async () => {
    const clock = fakeClock()
    const pace = createPace(clock)
    const turns = await Promise.all([1, 2, 3, 4].map(() => enter(pace)))
    const fifth = waiter(pace)
    await clock.pass(0)
    assert.equal(fifth.turn, null)
    turns[0]!.leave()
    await clock.pass(0)
    assert.ok(fifth.turn)
  })
})

describe('a pause', () => {
  test('is kept by everybody, as long as the wiki asked for', async () => {
    const clock = fakeClock()
    const pace = createPace(clock)
    const turn = await enter(pace)
    const { leftMs } = turn.refused(refusal('burst', 10_000))
    turn.leave()
    assert.equal(leftMs, 10_000)
    const others = [1, 2, 3].map(() => waiter(pace))
    await clock.pass(9_999)
    assert.ok(others.every(({ turn }) => turn === null))
    await clock.pass(1)
    assert.equal(others.filter(({ turn }) => turn !== null).length, 2)
  })

  test('is never shortened by a later refusal', async () => {
    const clock = fakeClock()
    const pace = createPace(clock)
    const [first, second] = await Promise.all([enter(pace), enter(pace)])
    first!.refused(refusal('burst', 60_000))
    second!.refused(refusal('burst', 1_000))
    first!.leave()
    second!.leave()
    const next = waiter(pace)
    await clock.pass(59_999)
    assert.equal(next.turn, null)
    await clock.pass(1)
    assert.ok(next.turn)
  })

  test('grows where nothing is asked for and nothing but refusals come, and starts again after an answer', async () => {
    const clock = fakeClock()
    const pace = createPace(clock)
    const refuse = async () => {
      const turn = await enter(pace)
      const { leftMs } = turn.refused(refusal('down'))
      turn.leave()
      await clock.pass(leftMs)
      return leftMs
    }
    const [first, second, third] = [await refuse(), await refuse(), await refuse()]
    assert.ok(first! >= 250 && first! <= 500 && second! >= 500 && third! >= 1000)
    const turn = await enter(pace)
    turn.answered(well)
    turn.leave()
    assert.ok((await refuse()) <= 500)
  })

  test('of an outage ends with one alone, and with the others once that one was served', async () => {
    const clock = fakeClock()
    const pace = createPace(clock)
    const first = await enter(pace)
    first.refused(refusal('down', 5_000))
    first.leave()
    const others = [1, 2, 3].map(() => waiter(pace))
    const inside = () => others.filter(({ turn }) => turn !== null).length
    await clock.pass(5_000)
    assert.equal(inside(), 1)
    await clock.pass(MINUTE)
    assert.equal(inside(), 1)
    others[0]!.turn!.refused(refusal('down', 7_000))
    others[0]!.turn!.leave()
    await clock.pass(6_999)
    assert.equal(inside(), 1)
    await clock.pass(1)
    assert.equal(inside(), 2)
    others[1]!.turn!.answered({ well: false, nearLimit: false })
    others[1]!.turn!.leave()
    await clock.pass(0)
    assert.equal(inside(), 3)
  })

  test('of an outage is not ended by what was asked for before it', async () => {
    const clock = fakeClock()
    const pace = createPace(clock)
    const [early, refused] = await Promise.all([enter(pace), enter(pace)])
    refused!.refused(refusal('down', 1_000))
    refused!.leave()
    const others = [1, 2].map(() => waiter(pace))
    await clock.pass(1_000)
    early!.answered(well)
    early!.leave()
    await clock.pass(0)
    assert.equal(others.filter(({ turn }) => turn !== null).length, 1)
  })

  test('of a quota is waited for an hour, and turns away whoever would wait for more', async () => {
    const clock = fakeClock()
    const pace = createPace(clock)
    const [first, second] = await Promise.all([enter(pace), enter(pace)])
    first!.refused(refusal('quota', 60 * MINUTE))
    first!.leave()
    const patient = waiter(pace)
    assert.deepEqual(await pace.enter({ kind: null, patienceMs: 20_000 }, signal), {
      why: 'quota',
      leftMs: 60 * MINUTE,
    })
    second!.refused(refusal('quota', 24 * 60 * MINUTE))
    second!.leave()
    await clock.pass(0)
    assert.equal(patient.turnedAway, true)
    const late = await pace.enter({ kind: null }, signal)
    assert.ok('leftMs' in late && late.leftMs === 24 * 60 * MINUTE)
    // After 65 minutes somebody may ask again, whatever was said.
    await clock.pass(65 * MINUTE)
    await enter(pace)
  })

  test('of a burst is waited for five minutes at most', async () => {
    const clock = fakeClock()
    const pace = createPace(clock)
    const turn = await enter(pace)
    turn.refused(refusal('burst', 6 * MINUTE))
    turn.leave()
    assert.ok('leftMs' in (await pace.enter({ kind: null }, signal)))
    await clock.pass(5 * MINUTE)
    await enter(pace)
  })

  test('is left at once by whoever is called off', async () => {
    const pace = createPace()
    const turn = await enter(pace)
    turn.refused(refusal('quota', 30 * MINUTE))
    turn.leave()
    const caller = new AbortController()
    const waiting = pace.enter({ kind: null }, caller.signal)
    caller.abort(new Error('called off'))
    await assert.rejects(waiting, /called off/)
    await assert.rejects(pace.enter({ kind: null }, caller.signal), /called off/)
  })
})
