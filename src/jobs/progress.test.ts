import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobChanges } from './progress.ts'

type JobState = { step: number; ended: boolean }

/** A job that advances one step with each read, and ends with the last one. */
function setUp(last: number, failing: number[] = []) {
  const readCounts = new Map<string, number>()
  const failures: object[] = []
  const changes = createJobChanges<JobState>({
    read: async (id) => {
      const reads = (readCounts.get(id) ?? 0) + 1
      readCounts.set(id, reads)
      if (failing.includes(reads)) throw new Error('the database is unreachable')
      return { step: reads, ended: reads >= last }
    },
    hasEnded: ({ ended }) => ended,
    everyMs: 1,
    log: { warn: (fields) => void failures.push(fields) },
  })
  return { changes, failures, reads: () => readCounts.get('a') ?? 0 }
}

function follow(
  changes: ReturnType<typeof setUp>['changes'],
  until: (state: JobState | null) => boolean,
  id = 'a',
) {
  const received: (JobState | null)[] = []
  const { promise, resolve } = Promise.withResolvers<(JobState | null)[]>()
  const leave = changes.watch(id, (state) => {
    received.push(state)
    if (until(state)) resolve(received)
  })
  return { received, leave, reached: promise }
}

test('it reads once for all listeners, and sends each of them every state', async () => {
  const { changes, reads } = setUp(5)
  const all = Array.from({ length: 100 }, () => follow(changes, (state) => state?.ended === true))
  for (const { reached } of all)
    assert.deepEqual(
      (await reached).map((state) => state?.step),
      [1, 2, 3, 4, 5],
    )
  assert.equal(reads(), 5)
})

test('it sends a later listener the last state immediately', async () => {
  const { changes, reads } = setUp(1000)
  await follow(changes, (state) => state?.step === 2).reached
  const before = reads()
  const late = follow(changes, () => true)
  assert.ok((late.received[0]?.step ?? 0) >= 2)
  assert.equal(reads(), before)
  changes.close()
})

test('it stops reading without listeners', async () => {
  const { changes, reads } = setUp(Number.POSITIVE_INFINITY)
  const one = follow(changes, (state) => state?.step === 3)
  await one.reached
  one.leave()
  // A second watch shows that enough time for more reads has passed.
  await follow(changes, (state) => state?.step === 10, 'b').reached
  assert.equal(reads(), 3)
  changes.close()
})

test('it continues after a failed read, and logs the failure', async () => {
  const { changes, failures } = setUp(4, [2])
  const one = follow(changes, (state) => state?.ended === true)
  assert.deepEqual(
    (await one.reached).map((state) => state?.step),
    [1, 3, 4],
  )
  assert.equal(failures.length, 1)
})

test('it ends the watch if every read fails', async () => {
  const { changes } = setUp(
    1000,
    Array.from({ length: 1000 }, (_, at) => at + 1),
  )
  assert.deepEqual(await follow(changes, (state) => state === null).reached, [null])
})

test('it ends every watch when it is closed', async () => {
  const { changes } = setUp(1000)
  const one = follow(changes, (state) => state?.step === 1)
  await one.reached
  changes.close()
  assert.equal(one.received.at(-1), null)
})
