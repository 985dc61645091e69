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

test('reads events across any chunk boundary', async () => {
  const whole =
    'id: 7\nevent: progress\ndata: {"a":1}\n\n: still here\n\nevent: done\ndata: one\ndata: two\n\n'
  const expected = [
    { id: '7', event: 'progress', data: '{"a":1}' },
    { id: undefined, event: 'done', data: 'one\ntwo' },
  ]
  assert.deepEqual(await read(whole), expected)
  assert.deepEqual(await read(...whole), expected)
})

test('drops an incomplete event', async () => {
  assert.deepEqual(await read('event: progress\ndata: {"a"'), [])
})
