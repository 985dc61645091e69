import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { createEventStream, endWhenRefused } from './event-stream.ts'

test('it writes an event as three lines, and ends on request', async () => {
  const stream = createEventStream(() => {})
  stream.send({ id: 'w1', event: 'warning', data: { message: 'two\nlines' } })
  stream.end()
  stream.send({ id: 'w2', event: 'late', data: {} })
  const text = (await Array.fromAsync(stream.readable)).join('')
  assert.equal(text, 'id: w1\nevent: warning\ndata: {"message":"two\\nlines"}\n\n')
})

test('it sends a comment after every idle interval', async () => {
  const stream = createEventStream(() => {}, 1)
  for (let i = 0; i < 2; i++) {
    const [chunk] = await once(stream.readable, 'data')
    assert.match(String(chunk), /^:.*\n\n$/)
  }
  stream.end()
})

test('it reports its close once, and sends nothing after that', async () => {
  let closed = 0
  const stream = createEventStream(() => void closed++)
  stream.readable.destroy()
  await once(stream.readable, 'close')
  stream.send({ id: 'w1', event: 'late', data: {} })
  stream.end()
  assert.equal(closed, 1)
})

test('it detects a slow client', () => {
  const stream = createEventStream(() => {})
  assert.equal(stream.isBehind(), false)
  stream.send({ id: 'w1', event: 'much', data: { text: 'x'.repeat(100_000) } })
  assert.equal(stream.isBehind(), true)
  stream.readable.destroy()
})

test('it ends after its pending events once the client may no longer read', async () => {
  let closed = 0
  let checks = 0
  const stream = createEventStream(() => void closed++)
  stream.send({ id: 'w1', event: 'warning', data: {} })
  endWhenRefused(stream.readable, { isAllowed: async () => ++checks < 3, everyMs: 1 })
  const text = (await Array.fromAsync(stream.readable)).join('')
  assert.equal(text, 'id: w1\nevent: warning\ndata: {}\n\n')
  assert.deepEqual([checks, closed], [3, 1])
  stream.send({ id: 'w2', event: 'late', data: {} })
})

test('it ends if the check fails', async () => {
  const stream = createEventStream(() => {})
  const isAllowed = async () => {
    throw new Error('the database is unreachable')
  }
  endWhenRefused(stream.readable, { isAllowed, everyMs: 1 })
  assert.deepEqual(await Array.fromAsync(stream.readable), [])
})
