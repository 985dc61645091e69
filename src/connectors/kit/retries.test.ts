import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../errors.ts'
import { type Attempt, retry } from './retries.ts'

const { signal } = new AbortController()
const POLICY = { attempts: 3, firstMs: 1, maxMs: 2 }
const lost = new AppError('destination_unreachable', 'writing: the connection was lost')
const refused = new AppError('destination_rejected', 'writing: refused')

/** Counts the attempts; the last outcome repeats. */
function attempts(...outcomes: Attempt<string>[]) {
  const state = { count: 0, attempt: async () => outcomes[Math.min(state.count++, outcomes.length - 1)]! }
  return state
}

test('it repeats a transient failure', async () => {
  const tried = attempts({ error: lost }, { error: lost }, { value: 'written' })
  assert.equal(await retry(POLICY, tried.attempt, signal), 'written')
  assert.equal(tried.count, 3)
})

test('it gives up after the attempts of the policy', async () => {
  const tried = attempts({ error: lost })
  await assert.rejects(retry(POLICY, tried.attempt, signal), lost)
  assert.equal(tried.count, 3)
})

test('it does not repeat a permanent failure, nor one that the caller calls permanent', async () => {
  for (const outcome of [{ error: refused }, { error: lost, isTransient: false }]) {
    const tried = attempts(outcome)
    await assert.rejects(retry(POLICY, tried.attempt, signal), outcome.error)
    assert.equal(tried.count, 1)
  }
})

test('it gives up before a wait that ends after the longest total time', async () => {
  const tried = attempts({ error: lost, waitMs: 60_000 })
  await assert.rejects(retry({ ...POLICY, maxTotalMs: 1000 }, tried.attempt, signal), lost)
  assert.equal(tried.count, 1)
})

test('it ends a wait when it is cancelled, with the reason of the signal', async () => {
  const stop = new AbortController()
  const reason = new Error('stopped')
  const tried = attempts({ error: lost, waitMs: 60_000 })
  const running = retry(POLICY, tried.attempt, stop.signal)
  setImmediate(() => stop.abort(reason))
  await assert.rejects(running, reason)
})
