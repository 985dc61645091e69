import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countFinders, findersOf } from './finders.ts'

const person = (found: string[], also: string[] = []) => ({
  found: new Map(found.map((id) => [id, `${id}-1`])),
  findsAlso: async (documents: ReadonlyMap<string, string>) =>
    new Set(also.filter((id) => documents.get(id) === `${id}-1`)),
})
const countsOf = async (...people: ReturnType<typeof person>[]) =>
  countFinders((await findersOf(people)).values(), people.length)

test('it counts what each person finds, what one alone finds, and what all find', async () => {
  const counts = await countsOf(person(['a', 'b']), person(['b', 'c', 'd']), person(['b', 'd']))
  assert.deepEqual(counts, { found: [2, 3, 2], only: [1, 1, 0], everyone: 1, differ: 3 })
})

test('it finds no difference for one person', async () => {
  assert.deepEqual(await countsOf(person(['a'])), { found: [1], only: [0], everyone: 1, differ: 0 })
})

test('it counts documents that a ranking did not reach but the person can find', async () => {
  const counts = await countsOf(person(['a'], ['b']), person(['a', 'b', 'c']))
  assert.deepEqual(counts, { found: [2, 3], only: [0, 1], everyone: 2, differ: 1 })
})
