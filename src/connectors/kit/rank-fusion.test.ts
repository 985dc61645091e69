import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuse, type Scored } from './rank-fusion.ts'

const list = (...scored: [string, number][]): Scored[] => scored.map(([key, score]) => ({ key, score }))
const ids = (scored: Scored[]) => scored.map(({ key }) => key)
/** Documents with evenly falling scores. */
const many = (name: string, count: number, from: number, to: number): Scored[] =>
  Array.from({ length: count }, (_, at) => ({
    key: `${name}${at}`,
    score: from + ((to - from) * at) / (count - 1),
  }))

test('it ranks a close vector above common words', () => {
  const common = many('common', 30, 2.1, 1.9)
  const near = [
    { key: 'meant', score: 0.9 },
    ...many('near', 20, 0.7, 0.65),
    ...many('common', 30, 0.64, 0.6),
  ]
  assert.equal(ids(fuse(common, near))[0], 'meant')
})

test('it ranks a rare word above neighbours without it', () => {
  const words = [{ key: 'rare', score: 14 }, ...many('far', 10, 3, 2)]
  const near = [...many('near', 3, 0.64, 0.62), ...many('far', 97, 0.58, 0.5)]
  assert.equal(ids(fuse(words, near)).indexOf('rare'), 3)
})

test('it ranks first what leads both lists, and keeps all of both', () => {
  const fused = fuse(list(['a', 5], ['b', 1]), list(['a', 0.9], ['c', 0.6]))
  assert.deepEqual(ids(fused), ['a', 'b', 'c'])
  assert.equal(fused[0]?.score, 1)
})

test('it keeps one list unchanged if the other is empty', () => {
  assert.deepEqual(ids(fuse([], list(['a', 0.9], ['b', 0.5]))), ['a', 'b'])
  assert.deepEqual(ids(fuse(list(['a', 9], ['b', 5]), [])), ['a', 'b'])
  assert.deepEqual(fuse([], list(['a', 0.9])), [{ key: 'a', score: 0.55 }])
})
