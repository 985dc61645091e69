import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LimitCounts } from '../../store/counts/counts.ts'
import { memoryCounts } from '../../store/counts/memory-counts.ts'
import { sharedCounts } from '../../store/counts/shared-counts.ts'
import { closeDatabase, openDatabase } from '../../store/database.ts'
import { sharedRate } from './shared-rate.ts'

type Result = { current: number; ttl: number }

/** A process; the counts are what it shares with others. */
function processWith(counts: LimitCounts, max: number) {
  const store = new (sharedRate(counts, 'test'))({} as never) as unknown as {
    incr(key: string, done: (error: Error | null, result?: Result) => void, ms: number, max: number): void
  }
  return (key = 'key') =>
    new Promise<Result>((resolve, reject) =>
      store.incr(key, (error, result) => (result ? resolve(result) : reject(error)), 60_000, max),
    )
}

for (const max of [10, 600])
  test(`it allows ${max} requests over two processes`, async () => {
    const counts = memoryCounts()
    const processes = [processWith(counts, max), processWith(counts, max)]
    const answers = await Promise.all(Array.from({ length: max * 2 }, (_, at) => processes[at % 2]!()))
    assert.equal(answers.filter(({ current }) => current <= max).length, max)
    const { current, ttl } = await processes[0]!()
    assert.equal(current, max + 1)
    assert.ok(ttl > 0 && ttl <= 60_000)
    assert.equal((await processes[0]!('other')).current <= max, true)
  })

test('it gives one process nearly all requests if the other is idle', async () => {
  const counts = memoryCounts()
  const [busy, idle] = [processWith(counts, 600), processWith(counts, 600)]
  await idle()
  let allowed = 0
  while ((await busy()).current <= 600) allowed++
  assert.ok(allowed >= 540, `${allowed} requests`)
})

test('it asks for the counts once for many requests', async () => {
  const counts = memoryCounts()
  let asked = 0
  const take: LimitCounts['take'] = (...given) => {
    asked++
    return counts.take(...given)
  }
  const send = processWith({ ...counts, take }, 6000)
  for (let sent = 0; sent < 1000; sent++) await send()
  assert.ok(asked <= 10, `${asked} queries for 1,000 requests`)
})

test('it counts for itself while the database cannot be reached', async () => {
  const db = openDatabase('postgres://nobody@127.0.0.1:1/none')
  const send = processWith(sharedCounts(db), 10)
  const answers = await Promise.all(Array.from({ length: 14 }, () => send()))
  assert.equal(answers.filter(({ current }) => current <= 10).length, 10)
  await closeDatabase(db)
})
