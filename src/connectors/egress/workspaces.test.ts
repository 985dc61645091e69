import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { within } from '../../concurrency.ts'
import { createEgress } from './guard.ts'

test('it reaches a host for a workspace while another holds all its connections to it', async () => {
  const held = Promise.withResolvers<void>()
  let hanging = 0
  const server = createServer((request, response) => {
    if (request.url === '/quick') return response.end('fine')
    if (++hanging === 32) held.resolve()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = (path: string) => new URL(path, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const egress = createEgress({ publicOnly: false })
  const [first, second] = ['first', 'second'].map((workspace) => egress.forWorkspace(workspace))
  const over = new AbortController()
  const hung = Array.from({ length: 40 }, () => first?.request(at('/hang'), {}, over.signal))
  try {
    await held.promise
    // A request that waits for a connection notices no abort.
    const answer = await within(second!.request(at('/quick'), {}, over.signal), 5_000)
    assert.equal(answer?.status, 200)
    assert.equal(hanging, 32)
    assert.equal(egress.forWorkspace('first'), first)
  } finally {
    over.abort()
    await Promise.allSettled(hung)
    await egress.close()
    server.closeAllConnections()
    server.close()
  }
})
