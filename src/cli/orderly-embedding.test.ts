import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import type { Embedder } from '../pipeline/embed/embedder.ts'
import { orderly } from './orderly-embedding.ts'

const many = Array.from({ length: 100 }, (_, index) => `text ${index}`)

test('the vectors are those of the texts, in their order, and few are under way at a time', async () => {
  const { embedder, seen } = slow()
  const { signal } = new AbortController()
  const vectors = await orderly(embedder).embed(many, signal)
  assert.deepEqual(
    vectors,
    many.map((_, index) => [index]),
  )
  assert.ok(seen.most <= 4 * availableParallelism(), `${seen.most} at once`)
  assert.deepEqual(await orderly(embedder).embed([], signal), [])
})

test('stopped, it hands over nothing more, and closing waits for what is under way', async () => {
  const { embedder, seen } = slow()
  const stop = new AbortController()
  const calm = orderly(embedder)
  const embedding = calm.embed(many, stop.signal)
  stop.abort()
  await assert.rejects(embedding, { name: 'AbortError' })
  assert.ok(seen.underWay > 0)
  await calm.close()
  assert.deepEqual([seen.underWay, seen.closedWith], [0, 0])
  assert.ok(seen.done < many.length)
})

test('an error of the embedder is one, and closing bears it', async () => {
  const { embedder } = slow(new Error('no model'))
  const calm = orderly(embedder)
  await assert.rejects(calm.embed(many, new AbortController().signal), /no model/)
  await calm.close()
})

/** Stands in for threads that take a while. */
function slow(error?: Error) {
  const seen = { underWay: 0, most: 0, done: 0, closedWith: -1 }
  const embedder: Embedder = {
    ...{ name: 'slow', dims: 1, stats: () => ({ embedded: 0, reused: 0, started: 0, crashed: 0 }) },
    async embed(texts) {
      seen.underWay += texts.length
      seen.most = Math.max(seen.most, seen.underWay)
      await new Promise(setImmediate)
      seen.underWay -= texts.length
      seen.done += texts.length
      if (error) throw error
      return texts.map((text) => [Number(text.split(' ')[1])])
    },
    close: async () => {
      seen.closedWith = seen.underWay
    },
  }
  return { embedder, seen }
}
