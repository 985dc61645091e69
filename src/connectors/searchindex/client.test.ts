import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agent } from 'undici'
import { startFaultProxy } from '../../../test/world/search-engine/fault-proxy.ts'
import { openEgress, silent } from '../../../test/world/search-engine/fresh-index.ts'
import { AppError } from '../../errors.ts'
import { openSearchIndex } from './destination.ts'

const { signal } = new AbortController()
const config = (url: string) => ({ hosts: [url], search_api_key: 'a:b', index_name: 'wiki' })
const retries = { attempts: 2, firstMs: 1, maxMs: 1 }

test('it sends only through the guard, and does not retry its refusal', async () => {
  const refusal = new AppError('egress_refused', 'wiki.test resolves to a private address')
  let connects = 0
  const dispatcher = new Agent({
    connect: (_, callback) => {
      connects++
      callback(refusal, null)
    },
  })
  const destination = openSearchIndex(
    config('http://wiki.test'),
    { egress: { ...openEgress(), dispatcher }, log: silent },
    retries,
  )
  await assert.rejects(destination.search.dims(signal), refusal)
  assert.equal(connects, 1)
  assert.equal((await destination.check(signal)).reason, refusal.message)
  await destination.close()
})

test('it keeps response text out of its errors', async () => {
  const proxy = await startFaultProxy('http://127.0.0.1:1')
  const egress = openEgress()
  const destination = openSearchIndex(config(proxy.url), { egress, log: silent }, retries)
  const error = { type: 'mapper_parsing_exception', reason: "failed to parse field [a.b]: value 'a secret'" }
  proxy.on(() => ({ status: 400, body: { error } }))
  await assert.rejects(destination.search.dims(signal), (thrown: AppError) => {
    assert.equal(thrown.code, 'destination_rejected')
    assert.match(
      thrown.message,
      /reading index wiki at 127\.0\.0\.1:\d+: mapper_parsing_exception in field a\.b \(400\)$/,
    )
    return thrown.cause === undefined
  })
  proxy.on(() => ({ status: 502, body: 'a secret' }))
  await assert.rejects(destination.search.dims(signal), {
    code: 'destination_overloaded',
    message: /^[^']*overloaded$/,
  })
  await destination.close()
  await egress.close()
  await proxy.close()
})

test('it uses another host when one is down', async () => {
  const away = await startFaultProxy('http://127.0.0.1:1')
  await away.close()
  const proxy = await startFaultProxy('http://127.0.0.1:1')
  proxy.on(() => ({
    status: 200,
    body: { wiki: { mappings: {} } },
    headers: { 'x-elastic-product': 'Elasticsearch' },
  }))
  const egress = openEgress()
  const both = { ...config(proxy.url), hosts: [away.url, proxy.url] }
  const destination = openSearchIndex(both, { egress, log: silent }, { ...retries, attempts: 3 })
  for (let time = 0; time < 3; time++) assert.equal(await destination.search.dims(signal), null)
  await destination.close()
  await egress.close()
  await proxy.close()
})
