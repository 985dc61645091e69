import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobChanges } from './progress.ts'

type ListedDocument = { step: number; ended: boolean }

/** A thing that goes a step further each time it is looked at, and ends with the last one. */
function stepping(last: number, failing: number[] = []) {
  const looksAt = new Map<string, number>()
  const failures: object[] = []
  const watching = createJobChanges<ListedDocument>({
    read: async (id) => {
      const looks = (looksAt.get(id) ?? 0) + 1
      looksAt.set(id, looks)
      if (failing.includes(looks)) throw new Error('the database is away')
      return { step: looks, ended: looks >= last }
    },
    hasEnded: ({ ended }) => ended,
    everyMs: 1,
    log: { warn: (fields) => void failures.push(fields) },
  })
  return { watching, failures, looks: () => looksAt.get('a') ?? 0 }
}

function follow(
  watching: ReturnType<typeof stepping>['watching'],
  until: (seen: ListedDocument | null) => boolean,
  id = 'a',
) {
  const told: (ListedDocument | null)[] = []
  const { promise, resolve } = Promise.withResolvers<(ListedDocument | null)[]>()
  const leave = watching.watch(id, (seen) => {
    told.push(seen)
    if (until(seen)) resolve(told)
  })
  return { told, leave, reached: promise }
}

test('it looks once for all who watch, and tells each of them every step to the end', async () => {
  const { watching, looks } = stepping(5)
  const all = Array.from({ length: 100 }, () => follow(watching, (seen) => seen?.ended === true))
  for (const { reached } of all)
    assert.deepEqual(
      (await reached).map((seen) => seen?.step),
      [1, 2, 3, 4, 5],
    )
  assert.equal(looks(), 5)
})

test('it tells whoever comes later what is known at once', async () => {
  const { watching, looks } = stepping(1000)
  await follow(watching, (seen) => seen?.step === 2).reached
  const before = looks()
  const late = follow(watching, () => true)
  assert.ok((late.told[0]?.step ?? 0) >= 2)
  assert.equal(looks(), before)
  watching.close()
})

test('it does not look any more when nobody watches', async () => {
  const { watching, looks } = stepping(Number.POSITIVE_INFINITY)
  const one = follow(watching, (seen) => seen?.step === 3)
  await one.reached
  one.leave()
  // Something else that is watched shows that the time for many more looks has passed.
  await follow(watching, (seen) => seen?.step === 10, 'b').reached
  assert.equal(looks(), 3)
  watching.close()
})

test('it goes on after a look that failed, and says so in the log', async () => {
  const { watching, failures } = stepping(4, [2])
  const one = follow(watching, (seen) => seen?.ended === true)
  assert.deepEqual(
    (await one.reached).map((seen) => seen?.step),
    [1, 3, 4],
  )
  assert.equal(failures.length, 1)
})

test('it gives up where every look fails', async () => {
  const { watching } = stepping(
    1000,
    Array.from({ length: 1000 }, (_, look) => look + 1),
  )
  assert.deepEqual(await follow(watching, (seen) => seen === null).reached, [null])
})

test('it lets go of all who watch when it is closed', async () => {
  const { watching } = stepping(1000)
  const one = follow(watching, (seen) => seen?.step === 1)
  await one.reached
  watching.close()
  assert.equal(one.told.at(-1), null)
})
