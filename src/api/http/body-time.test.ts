import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import fastify from 'fastify'
import { limitBodyTime } from './body-time.ts'
import type { App } from './context.ts'
import { sendUnreadable } from './unreadable-requests.ts'

describe('the time of a body', () => {
  const app = fastify({ clientErrorHandler: sendUnreadable }) as unknown as App
  const held = Promise.withResolvers<void>()
  limitBodyTime(app, { stalledMs: 100, bodyMs: 400, uploadMs: 400 })
  app.post('/held', async () => {
    await held.promise
    return { ok: true }
  })
  before(() => app.listen({ port: 0, host: '127.0.0.1' }))
  after(() => app.close())

  const open = (head: string): Socket => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(`POST /held HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${head}`)
    return socket
  }

  test('it ends a body that stops arriving or never ends, and no response that takes longer', async () => {
    const complete = open('content-length: 2\r\n\r\n{}')
    const [stalled, chunked] = [
      open('content-length: 9\r\n\r\n{'),
      open('transfer-encoding: chunked\r\n\r\n1\r\n{\r\n'),
    ]
    const trickling = open('content-length: 900\r\n\r\n{')
    const timer = setInterval(() => trickling.write(' '), 20)
    for (const socket of [stalled, chunked, trickling]) {
      const answer = await readAll(socket)
      assert.match(answer, /^HTTP\/1.1 408 Request Timeout\r\n/)
      assert.match(answer, /"code":"request_timeout"/)
    }
    clearInterval(timer)
    held.resolve()
    const [answer] = await once(complete, 'data')
    assert.match(String(answer), /^HTTP\/1.1 200 OK\r\n/)
    complete.destroy()
  })
})

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.on('error', () => {})
  for await (const data of socket) text += String(data)
  return text
}
