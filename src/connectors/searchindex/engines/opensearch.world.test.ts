import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { behindProxy } from '../../../../test/world/search-engine/behind-proxy.ts'
import { OPENSEARCH } from '../../../../test/world/search-engine/clusters.ts'
import { startFaultProxy } from '../../../../test/world/search-engine/fault-proxy.ts'
import { freshIndex, writeItem } from '../../../../test/world/search-engine/fresh-index.ts'
import { searchHits } from '../../../../test/world/search-hits.ts'
import type { CheckReport } from '../../../report.ts'

const { signal } = new AbortController()
const cluster = OPENSEARCH
const statuses = (report: CheckReport) => report.steps.map(({ status }) => status)
const CREATION = `-H 'Content-Type: application/json' -d '{"settings":{"index":{"knn":true,"knn.algo_param.ef_search":100}}}'`
let fence = 0

describe('an index of OpenSearch', () => {
  test('passes a check that warns about what a cluster without security does not report', async () => {
    await using index = await freshIndex({ cluster })
    const report = await index.destination.check(signal)
    assert.deepEqual([report.ok, report.reason], [true, null])
    assert.deepEqual(statuses(report), ['ok', 'warning', 'warning', 'ok', 'ok'])
    assert.deepEqual(await index.mapping(), {}, 'a check touches nothing')
  })

  test('if missing, gets instructions to create it for vectors', async () => {
    await using index = await freshIndex({ cluster, body: null })
    const report = await index.destination.check(signal)
    assert.deepEqual(statuses(report), ['ok', 'warning', 'warning', 'failed', 'skipped'])
    assert.ok(report.reason?.includes(CREATION), report.reason ?? '')
    await assert.rejects(index.destination.prepare({ dims: 4 }, signal), {
      code: 'destination_index_missing',
      fix: new RegExp(CREATION.replace(/[[\]{}.*+?^$|()]/g, '\\$&')),
    })
  })

  test('created without index.knn gets instructions, and takes elements without vectors', async () => {
    await using index = await freshIndex({ cluster, body: { settings: {} } })
    const report = await index.destination.check(signal)
    assert.equal(report.ok, true)
    assert.equal(report.steps[4]?.status, 'warning')
    assert.match(
      report.steps[4]?.detail ?? '',
      /without index\.knn.*Workflows without an embed node can use it/,
    )
    assert.ok(report.steps[4]?.fix?.includes(CREATION))
    await assert.rejects(index.destination.prepare({ dims: 4 }, signal), {
      code: 'destination_schema',
      message: /index\.knn/,
      fix: /delete the index and create it with curl -X PUT/,
    })
    assert.deepEqual(await index.mapping(), {}, 'refused before anything was written')
    await index.destination.prepare({ dims: null }, signal)
    assert.deepEqual(await index.destination.write([writeItem('a')], ++fence, signal), [])
    await index.refresh()
    const request = { query: 'text', tokens: ['user:u:1'], size: 5, from: 0 }
    assert.equal((await searchHits(index.destination.search, request, signal)).total, 1)
    assert.equal(await index.destination.search.dims(signal), null)
  })

  test('created as the error says passes', async () => {
    const body = { settings: { index: { knn: true, 'knn.algo_param.ef_search': 100 } } }
    await using index = await freshIndex({ cluster, body })
    await index.destination.prepare({ dims: 4 }, signal)
    assert.equal(await index.destination.search.dims(signal), 4)
    const report = await index.destination.check(signal)
    assert.match(
      report.steps[4]?.detail ?? '',
      /vectors of 4 dimensions: only an embedder with this dimension/,
    )
  })

  test('is recognised without any request about the whole cluster', async () => {
    await using world = await behindProxy({ cluster, dims: 4 })
    const { destination, name } = world.index
    await destination.check(signal)
    await destination.write([writeItem('a', { embeddings: [1, 0, 0, 0] })], ++fence, signal)
    const own = new RegExp(`^/(${name}([/?]|$)|_security/_authenticate$|_plugins/_security/authinfo$)`)
    assert.deepEqual(
      world.proxy.seen.map(({ path }) => path).filter((path) => !own.test(path)),
      [],
    )
  })

  test('of an old cluster is recognised by `GET /`, and accepted if that is forbidden', async () => {
    const old = { settings: { index: { uuid: 'u', version: { created: '7100299' } } }, mappings: {} }
    const forbidden = { status: 403, body: { error: { type: 'security_exception' } } }
    const otherServer = { status: 200, body: { version: { number: '7.10.2' } } }
    for (const root of [undefined, forbidden, otherServer]) {
      const proxy = await startFaultProxy((await cluster.engine()).url)
      await using index = await freshIndex({ cluster, url: proxy.url, body: null })
      proxy.on(({ path }) => {
        if (path === '/') return root
        return { status: 200, body: { [index.name]: old } }
      })
      const dims = index.destination.search.dims(signal)
      if (root === otherServer) await assert.rejects(dims, /neither Elasticsearch nor OpenSearch/)
      else assert.equal(await dims, null)
      await proxy.close()
    }
  })
})
