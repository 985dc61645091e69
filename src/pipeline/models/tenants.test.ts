import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRunnerFactory } from '../runner-factory.ts'
import type { Fetch } from './exchange.ts'
import { unlimitedMeter } from './token-meter.ts'

const EMBED = { subtype: 'openai', model: 'own', dimensions: 2 } as const
const never = new AbortController().signal

/** An embedder of each workspace; `respond` answers requests that contain "slow". */
function open(respond: Fetch) {
  const endpoint = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: null, model: 'own' }
  const fetch: Fetch = async (url, init) => {
    const { input } = JSON.parse(String(init?.body)) as { input: string[] }
    if (input.join().includes('slow')) return respond(url, init)
    const data = input.map((_, index) => ({ index, embedding: [1, 0] }))
    return Response.json({ data })
  }
  const factory = createRunnerFactory({ models: { endpoints: { openai: endpoint }, fetch } })
  return (workspace: string) => factory.forTenant({ workspace, meter: unlimitedMeter }).embedder(EMBED)
}

describe('a model endpoint of several workspaces', () => {
  test('it answers a workspace while another has more requests than the endpoint takes', async () => {
    const stop = new AbortController()
    let waiting = 0
    const allWait = Promise.withResolvers<void>()
    const embedderOf = open((_url, init) => {
      if (++waiting === 8) allWait.resolve()
      return new Promise((_, reject) =>
        init?.signal?.addEventListener('abort', () => reject(stop.signal.reason)),
      )
    })
    const first = await embedderOf('first')
    const slow = Array.from({ length: 20 }, (_, n) => first.embed([`slow ${n}`], stop.signal))
    try {
      await allWait.promise
      const second = await embedderOf('second')
      assert.deepEqual(await second.embed(['quick'], AbortSignal.timeout(5_000)), [[1, 0]])
      assert.equal(waiting, 8)
    } finally {
      stop.abort(new Error('over'))
      await Promise.allSettled(slow)
    }
  })

  test('it answers a workspace after the model of another failed', async () => {
    const embedderOf = open(async () => new Response('', { status: 500, headers: { 'retry-after-ms': '1' } }))
    const first = await embedderOf('first')
    for (let n = 0; n < 3; n++) await assert.rejects(first.embed([`slow ${n}`], never), /failed \(500\)/)
    await assert.rejects(first.embed(['quick'], never), /endpoint is down/)
    assert.deepEqual(await (await embedderOf('second')).embed(['quick'], never), [[1, 0]])
  })
})
