import assert from 'node:assert/strict'
import { TEST_KEY } from './service.ts'
import type { World } from './world.ts'

export type SentEvent<T = Record<string, unknown>> = { id: string; event: string; data: T }

export type ServerEventStream = { status: number; headers: Headers; events: AsyncGenerator<SentEvent> }

/** Listens with fetch, like the page. */
export async function openEventStream(
  world: World,
  path: string,
  { lastId, signal }: { lastId?: string; signal?: AbortSignal } = {},
): Promise<ServerEventStream> {
  const response = await fetch(world.api.base + path, {
    headers: { authorization: `Bearer ${TEST_KEY}`, ...(lastId ? { 'last-event-id': lastId } : {}) },
    ...(signal ? { signal } : {}),
  })
  return { status: response.status, headers: response.headers, events: eventsOf(response) }
}

async function* eventsOf(response: Response): AsyncGenerator<SentEvent> {
  let rest = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    rest += chunk
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks.filter((each) => !each.startsWith(':'))) {
      const [id, event, data] = block.split('\n').map((line) => /^(?:id|event|data): (.*)$/.exec(line)?.[1])
      assert.ok(id && event && data, `not an event: ${block}`)
      yield { id, event, data: JSON.parse(data) }
    }
  }
  assert.equal(rest, '', 'the stream ends after a whole event')
}
