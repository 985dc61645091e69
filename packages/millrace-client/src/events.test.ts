import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, type ServerEvent } from './events.ts'

async function read(...pieces: string[]): Promise<ServerEvent[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })
  const events: ServerEvent[] = []
  for await (const event of eventsOf(new Response(body))) events.push(event)
  return events
}

test('it reads events across any chunk boundary', async () => {
  const stream =
    'id: 7\nevent: progress\ndata: {"a":1}\n\n: still here\n\nevent: done\ndata: one\ndata: two\n\n'
  const expected = [
    { id: '7', event: 'progress', data: '{"a":1}' },
    { id: undefined, event: 'done', data: 'one\ntwo' },
  ]
  assert.deepEqual(await read(stream), expected)
  assert.deepEqual(await read(...stream), expected)
})

test('it ends a stream that stays silent', async () => {
  const silent = new ReadableStream<Uint8Array>()
  for await (const event of eventsOf(new Response(silent), 10)) assert.fail(event.event)
})

test('it drops an incomplete event', async () => {
  assert.deepEqual(await read('event: progress\ndata: {"a"'), [])
})
