import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { WorkerPool } from './worker-pool.ts'

const never = new AbortController().signal

/** Texts are commands: `die` ends the thread, `die once` only the first time, `hold` never responds. */
const workerScript = `
  import { parentPort, workerData } from 'node:worker_threads'
  const crashes = new Int32Array(workerData)
  parentPort.on('message', ({ id, text }) => {
    if (text === 'die' || (text === 'die once' && Atomics.add(crashes, 0, 1) === 0)) throw new Error('died')
    if (text === 'hold') return
    if (text === 'fail') return parentPort.postMessage({ kind: 'failed', id, reason: 'unsupported text' })
    parentPort.postMessage({ kind: 'vector', id, vector: Float32Array.of(Number(text)) })
  })
  parentPort.postMessage({ kind: 'ready' })
`

function poolOf(t: TestContext, { threads = 2, script = workerScript } = {}): WorkerPool {
  const url = new URL(`data:text/javascript,${encodeURIComponent(script)}`)
  const pool = new WorkerPool({ script: url, data: new SharedArrayBuffer(4), threads, graceMs: 200 })
  t.after(() => pool.close())
  return pool
}

const numbers = (vectors: Float32Array[]) => vectors.map((vector) => vector[0])

describe('the worker pool', () => {
  test('it returns vectors in order, from any thread', async (t) => {
    const pool = poolOf(t)
    const texts = Array.from({ length: 50 }, (_, i) => String(i))
    assert.deepEqual(numbers(await pool.run(texts, never)), texts.map(Number))
    assert.deepEqual(await pool.run([], never), [])
    assert.deepEqual(pool.stats, { embedded: 50, started: 2, crashed: 0 })
  })

  test('it starts no more threads than texts', async (t) => {
    const pool = poolOf(t)
    await pool.run(['1'], never)
    await pool.run(['2'], never)
    assert.equal(pool.stats.started, 1)
  })

  test('it retries the texts of a crashed thread on a new one', async (t) => {
    const pool = poolOf(t, { threads: 1 })
    assert.deepEqual(numbers(await pool.run(['1', '2'], never)), [1, 2])
    const results = await pool.run(['3', 'die once', '4', '5'], never).then(numbers)
    assert.deepEqual(results, [3, Number.NaN, 4, 5])
    assert.deepEqual(pool.stats, { embedded: 6, started: 2, crashed: 1 })
  })

  test('it fails only the text that crashes two threads', async (t) => {
    const pool = poolOf(t, { threads: 1 })
    const failing = pool.run(['die', '1'], never)
    const other = pool.run(['2', '3'], never)
    await assert.rejects(failing, { code: 'embedder_failed', message: /crashed twice/ })
    assert.deepEqual(numbers(await other), [2, 3])
    assert.equal(pool.stats.crashed, 2)
  })

  test('it reports a failed text and continues', async (t) => {
    const pool = poolOf(t)
    await assert.rejects(pool.run(['1', 'fail'], never), { message: 'embedding a text: unsupported text' })
    assert.deepEqual(numbers(await pool.run(['1'], never)), [1])
    assert.equal(pool.stats.crashed, 0)
  })

  test('it fails at once if threads cannot start', async (t) => {
    const pool = poolOf(t, { script: 'throw new Error("no library")' })
    await assert.rejects(pool.run(['1', '2', '3', '4', '5', '6'], never), (error: Error) => {
      assert.equal(error.message, 'starting the embedder')
      assert.match(String(error.cause), /no library/)
      return true
    })
    assert.ok(pool.stats.started <= 2)
  })

  test('it drops waiting texts when aborted', async (t) => {
    const pool = poolOf(t, { threads: 1 })
    const caller = new AbortController()
    const dropped = pool.run(['hold', '1', '2', '3'], caller.signal)
    const other = pool.run(['7'], never)
    const reason = new Error('cancelled')
    caller.abort(reason)
    await assert.rejects(dropped, (error) => error === reason)
    assert.deepEqual(numbers(await other), [7])
    // The task behind `hold` was already sent; the two others were not.
    assert.equal(pool.stats.embedded, 2)
    assert.throws(
      () => pool.run(['1'], caller.signal),
      (error) => error === reason,
    )
  })

  test('it ends idle threads and starts new ones on demand', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const pool = poolOf(t)
    await pool.run(['1', '2', '3'], never)
    t.mock.timers.tick(59_999)
    await pool.run(['4'], never)
    t.mock.timers.tick(59_999)
    assert.equal(pool.size, 2)
    t.mock.timers.tick(1)
    assert.equal(pool.size, 0)
    assert.deepEqual(numbers(await pool.run(['5'], never)), [5])
    assert.deepEqual(pool.stats, { embedded: 5, started: 3, crashed: 0 })
  })

  test('it keeps threads that still work', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const pool = poolOf(t)
    await pool.run(['1'], never)
    const held = assert.rejects(pool.run(['hold'], never), /closed/)
    t.mock.timers.tick(120_000)
    assert.equal(pool.size, 1)
    await pool.close()
    await held
  })

  test('it fails pending texts on close and accepts no more', async (t) => {
    const pool = poolOf(t)
    const open = assert.rejects(pool.run(['hold', 'hold', 'hold', 'hold', '1'], never), /closed/)
    await pool.close()
    await open
    assert.throws(() => pool.run(['1'], never), /closed/)
  })

  test('it takes turns between workspaces, text by text', async (t) => {
    const pool = poolOf(t, { threads: 1 })
    const order: string[] = []
    const many = Array.from({ length: 200 }, (_, i) => String(i))
    const large = pool.runFor('large', many, never).then(() => order.push('large'))
    const small = pool.runFor('small', ['1', '2', '3'], never).then(() => order.push('small'))
    await Promise.all([large, small])
    assert.deepEqual(order, ['small', 'large'])
  })
})
