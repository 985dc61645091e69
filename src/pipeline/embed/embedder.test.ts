import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, describe, test } from 'node:test'
import { cacheKey, memoryCache } from './cache.ts'
import { createEmbedder } from './embedder.ts'
import { loadTokenizer, tokenize } from './inference.ts'
import { defaultModelName, findModel } from './model.ts'
import { toNumbers } from './numbers.ts'

const never = new AbortController().signal
const cosine = (a: number[], b: number[]) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

describe('the local embedder', () => {
  const embedder = createEmbedder({ threads: 2 })
  after(() => embedder.close())
  const one = async (text: string) => (await embedder.embed([text], never))[0]!

  test('it returns unit vectors of dimension 384', async () => {
    for (const text of ['How to request leave', '', '  ', '漢字 и кириллица 🙂', '\ud800', '[SEP][PAD]']) {
      const vector = await one(text)
      assert.equal(vector.length, embedder.dims)
      assert.ok(Math.abs(cosine(vector, vector) - 1) < 1e-4, JSON.stringify(text))
    }
  })

  test('it places similar texts close together', async () => {
    const [leave, holiday, pump] = await embedder.embed(
      [
        'How do I request annual leave?',
        'Asking for holiday time off',
        'The pump of the boiler needs grease',
      ],
      never,
    )
    assert.ok(cosine(leave!, holiday!) > cosine(leave!, pump!) + 0.3)
  })

  test('it returns identical vectors in any order, batch and process', async () => {
    const texts = [
      'short',
      'a text of medium length about mills',
      'grain and water '.repeat(60),
      'short again',
    ]
    const other = createEmbedder({ threads: 1 })
    const first = await embedder.embed(texts, never)
    const second = await other.embed([...texts].reverse(), never)
    await other.close()
    assert.deepEqual(second.reverse(), first)
    assert.deepEqual(await one(texts[2]!), first[2])
  })

  test('it reads the first 256 tokens only', async () => {
    const words = Array.from({ length: 300 }, () => 'grain')
    const whole = await one(words.join(' '))
    assert.deepEqual(await one(words.with(254, 'thunder').join(' ')), whole)
    assert.notDeepEqual(await one(words.with(253, 'thunder').join(' ')), whole)
    const model = findModel(defaultModelName)
    const ids = tokenize(await loadTokenizer(model), words.join(' '), model)
    assert.deepEqual([ids.length, ids[0], ids[255]], [256, 101, 102])
  })

  test('it embeds equal texts once and cached ones never', async () => {
    const cached = createEmbedder({ threads: 1, cache: memoryCache({ maxBytes: 1_000_000 }) })
    const first = await cached.embed(['a', 'b', 'a'], never)
    assert.deepEqual(first[2], first[0])
    assert.deepEqual(await cached.embed(['b', 'a'], never), [first[1], first[0]])
    const { embedded, reused } = cached.stats()
    assert.deepEqual({ embedded, reused }, { embedded: 2, reused: 3 })
    await cached.close()
  })

  test('it starts no worker if all texts are cached', async () => {
    const cache = memoryCache({ maxBytes: 1_000_000 })
    await cache.put(new Map([[cacheKey(defaultModelName, 'known'), Float32Array.of(0.5, 0.25)]]))
    const idle = createEmbedder({ cache })
    assert.deepEqual(await idle.embed(['known'], never), [[0.5, 0.25]])
    assert.deepEqual(await idle.embed([], never), [])
    assert.equal(idle.stats().started, 0)
  })

  test('it stops when aborted', async () => {
    const caller = new AbortController()
    const running = embedder.embed(
      Array.from({ length: 500 }, (_, i) => `text ${i}`),
      caller.signal,
    )
    caller.abort(new Error('cancelled'))
    await assert.rejects(running, { message: 'cancelled' })
    assert.ok(embedder.stats().embedded < 100)
  })
})

describe('numbers of a vector', () => {
  test('they keep direction and unit length, and survive JSON', () => {
    for (const dims of [4, 384, 1536, 3072, 4096]) {
      // Equal values are the worst case, because their rounding errors add up.
      const shapes = [() => 1, (i: number) => Math.sin(i + 1), (i: number) => (i === 0 ? 1 : -1e-9)]
      for (const shape of shapes) {
        const values = Array.from({ length: dims }, (_, i) => shape(i))
        const vector = Float32Array.from(values, (value) => value / Math.hypot(...values))
        const numbers = toNumbers(vector)
        assert.deepEqual(JSON.parse(JSON.stringify(numbers)), numbers)
        const squared = cosine(numbers, numbers)
        assert.ok(Math.abs(squared - 1) < 1e-4, `${dims}`)
        assert.ok(cosine(numbers, [...vector]) / Math.sqrt(squared) > 0.999999, `${dims}`)
      }
    }
  })

  test('they print short', () => {
    const vector = Float32Array.from({ length: 384 }, (_, i) => Math.sin(i + 1) / 20)
    assert.ok(JSON.stringify(toNumbers(vector)).length < 0.5 * JSON.stringify([...vector]).length)
  })
})

describe('the cache in memory', () => {
  test('it drops the oldest entries beyond its size', async () => {
    const cache = memoryCache({ maxBytes: 10 * (384 * 4 + 200) })
    for (let i = 0; i < 15; i++) await cache.put(new Map([[`${i}`, new Float32Array(384)]]))
    assert.deepEqual([...(await cache.get(['0', '4', '5', '14'])).keys()], ['5', '14'])
  })
})

test('it does not crash the process when closed while embedding', () => {
  const script = `(async () => {
    const { createEmbedder } = await import(${JSON.stringify(import.meta.resolve('./embedder.ts'))})
    const embedder = createEmbedder({ threads: 2 })
    const texts = Array.from({ length: 200 }, (_, index) => 'The weir and the wheel '.repeat(20) + index)
    const stop = new AbortController()
    await embedder.embed(texts.slice(0, 2), stop.signal)
    setTimeout(() => stop.abort(), 150)
    await embedder.embed(texts, stop.signal).catch(() => {})
    await embedder.close()
    console.log('closed')
  })()`
  const child = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
  assert.deepEqual([child.status, child.signal, child.stdout], [0, null, 'closed\n'], child.stderr)
})
