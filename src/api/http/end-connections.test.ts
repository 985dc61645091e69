import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify from 'fastify'
import { endConnections } from './end-connections.ts'

async function serve(answer: () => Promise<string>, graceMs?: number) {
  const app = fastify()
  endConnections(app, graceMs)
  const asked = Promise.withResolvers<void>()
  app.get('/', async () => {
    asked.resolve()
    return answer()
  })
  const url = await app.listen({ port: 0 })
  return { app, url, port: Number(new URL(url).port), asked: asked.promise }
}

test('it closes next to a connection that sends nothing', async () => {
  const { app, port } = await serve(async () => '')
  const socket = connect(port, 'localhost')
  await once(socket, 'connect')
  await Promise.all([once(socket, 'close'), app.close()])
})

test('it closes after the response of a request that runs, and keeps no connection', async () => {
  const { app, url, asked } = await serve(() => sleep(100, 'done'))
  const response = fetch(url)
  await asked
  await app.close()
  assert.equal(await (await response).text(), 'done')
})

test('it ends requests that go on after the grace', async () => {
  const { app, url, asked } = await serve(() => new Promise(() => {}), 50)
  const response = fetch(url).then(
    () => 'answered',
    () => 'cut off',
  )
  await asked
  await app.close()
  assert.equal(await response, 'cut off')
})
