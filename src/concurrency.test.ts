import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import { createLimiter, createSharedLimiter, forEachLimited, runWorkers } from './concurrency.ts'

describe('createLimiter', () => {
  test('it runs a limited number at a time, in order of arrival', async () => {
    const limit = createLimiter(2)
    const started: number[] = []
    const deferred = [0, 1, 2, 3].map(() => Promise.withResolvers<void>())
    const all = deferred.map(({ promise }, index) =>
      limit(async () => {
        started.push(index)
        await promise
        return index
      }),
    )
    await tick()
    assert.deepEqual(started, [0, 1])
    deferred[1]!.resolve()
    await tick()
    assert.deepEqual(started, [0, 1, 2])
    for (const { resolve } of deferred) resolve()
    assert.deepEqual(await Promise.all(all), [0, 1, 2, 3])
  })

  test('it continues after a failure', async () => {
    const limit = createLimiter(1)
    await assert.rejects(
      limit(async () => Promise.reject(new Error('no'))),
      /no/,
    )
    assert.equal(await limit(async () => 'yes'), 'yes')
  })

  test('it rejects aborted callers that wait, but not work that runs', async () => {
    const limit = createLimiter(1)
    const first = Promise.withResolvers<string>()
    const abort = new AbortController()
    const running = limit(() => first.promise, abort.signal)
    const waiting = limit(async () => assert.fail('it was aborted'), abort.signal)
    await tick()
    abort.abort(new Error('stop'))
    await assert.rejects(waiting, /stop/)
    first.resolve('done')
    assert.equal(await running, 'done')
    await assert.rejects(
      limit(async () => 'late', abort.signal),
      /stop/,
    )
    assert.equal(await limit(async () => 'next'), 'next')
  })
})

test('createSharedLimiter refuses a call while too many of its key run or wait', async () => {
  const queue = { max: 2, refuse: () => new Error('too many') }
  const limit = createSharedLimiter({ total: 1, each: 1, queue })
  const first = Promise.withResolvers<void>()
  const running = [limit('a', () => first.promise), limit('a', async () => {})]
  await assert.rejects(
    limit('a', async () => assert.fail('it was refused')),
    /too many/,
  )
  const other = limit('b', async () => 'of another key')
  first.resolve()
  await Promise.all(running)
  assert.equal(await other, 'of another key')
  await limit('a', async () => {})
})

test('forEachLimited starts no further item after a failure', async () => {
  const started: number[] = []
  const work = async (item: number) => {
    started.push(item)
    await tick()
    if (item === 2) throw new Error('no')
  }
  await assert.rejects(forEachLimited([1, 2, 3, 4, 5, 6, 7, 8], 2, work), /no/)
  await tick()
  await tick()
  assert.ok(started.length <= 4, started.join())
  started.length = 0
  await forEachLimited([1, 3, 4], 2, work)
  assert.deepEqual(started, [1, 3, 4])
})

describe('runWorkers', () => {
  test('it aborts the others after the first failure, and throws its error', async () => {
    let aborted = 0
    let started = 0
    const work = async (signal: AbortSignal) => {
      if (started++ === 1) throw new Error('first')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))).catch(
        (error) => {
          aborted++
          throw error
        },
      )
    }
    await assert.rejects(runWorkers(3, work, new AbortController().signal), /first/)
    assert.equal(aborted, 2)
  })
})
