import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createByteLimit } from './byte-limit.ts'

test('it starts work in order while the bytes fit, and drops aborted work', async () => {
  const limit = createByteLimit(10)
  const started: string[] = []
  const gates = new Map<string, () => void>()
  const run = (name: string, bytes: number, signal = new AbortController().signal) =>
    limit.use({ key: name, bytes }, signal, async () => {
      started.push(name)
      await new Promise<void>((resolve) => gates.set(name, resolve))
    })
  const leaving = new AbortController()
  const all = [run('a', 6), run('b', 4), run('large', 50), run('c', 1)]
  const dropped = assert.rejects(run('dropped', 1, leaving.signal), /gone/)
  leaving.abort(new Error('gone'))
  await dropped
  await turns()
  assert.deepEqual(started, ['a', 'b'])
  for (const name of ['a', 'b', 'large', 'c']) {
    gates.get(name)?.()
    await turns()
  }
  await Promise.all(all)
  assert.deepEqual(started, ['a', 'b', 'large', 'c'])
})

test('it leaves half of the bytes to others', async () => {
  const limit = createByteLimit(10)
  const started: string[] = []
  const gates = new Map<string, () => void>()
  const run = (name: string, key: string, bytes: number) =>
    limit.use({ key, bytes }, new AbortController().signal, async () => {
      started.push(name)
      await new Promise<void>((resolve) => gates.set(name, resolve))
    })
  const all = [run('a1', 'a', 3), run('a2', 'a', 3), run('a3', 'a', 1), run('b1', 'b', 5), run('a4', 'a', 2)]
  await turns()
  assert.deepEqual(started, ['a1', 'b1'])
  for (const name of ['a1', 'a2', 'b1', 'a3', 'a4']) {
    gates.get(name)?.()
    await turns()
  }
  await Promise.all(all)
  assert.deepEqual(started, ['a1', 'b1', 'a2', 'a3', 'a4'])
})

async function turns(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
