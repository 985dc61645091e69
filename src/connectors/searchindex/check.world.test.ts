import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startFaultProxy } from '../../../test/world/search-engine/fault-proxy.ts'
import { freshIndex, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { searchEngine } from '../../../test/world/search-engine/shared.ts'
import type { CheckReport } from '../../report.ts'
import { nest } from './schema/schema.ts'

const { signal } = new AbortController()
const statuses = (report: CheckReport) => report.steps.map(({ status }) => status)

describe('a check of an index', () => {
  test('passes on an empty index and changes nothing', async () => {
    await using index = await freshIndex()
    const report = await index.destination.check(signal)
    assert.deepEqual(statuses(report), ['ok', 'ok', 'ok', 'ok', 'ok'])
    assert.deepEqual([report.ok, report.reason], [true, null])
    assert.deepEqual(await index.mapping(), {})
  })

  test('accepts the key as id:key too', async () => {
    await using index = await freshIndex()
    await using other = await freshIndex({ key: Buffer.from(index.key, 'base64').toString() })
    assert.deepEqual(statuses(await other.destination.check(signal)).slice(0, 3), ['ok', 'ok', 'failed'])
  })

  test('says how to create a missing index, without the key', async () => {
    await using index = await freshIndex({ body: null })
    const report = await index.destination.check(signal)
    assert.deepEqual(statuses(report), ['ok', 'ok', 'ok', 'failed', 'skipped'])
    const command = `curl -X PUT '${index.engine.url}/${index.name}'`
    assert.ok(report.steps[3]?.fix?.includes(command))
    assert.ok(report.reason?.includes(`index ${index.name} at`) && report.reason.includes(command))
    assert.ok(!JSON.stringify(report).includes(index.key))
  })

  test('reports that the index may be missing if the key has no privileges on its name', async () => {
    await using index = await freshIndex({ body: null, keyFor: 'another' })
    const report = await index.destination.check(signal)
    assert.deepEqual(statuses(report), ['ok', 'ok', 'failed', 'skipped', 'skipped'])
    assert.match(
      report.reason ?? '',
      /no read, write, view_index_metadata on index .*, which may not exist\. Give/,
    )
    assert.ok(report.reason?.includes(`create it with curl -X PUT '${index.engine.url}/${index.name}'`))
  })

  test('says that a key is not accepted, and what to do', async () => {
    await using index = await freshIndex({ key: btoa('nobody:nothing') })
    const report = await index.destination.check(signal)
    assert.deepEqual(statuses(report), ['ok', 'failed', 'skipped', 'skipped', 'skipped'])
    const host = new URL(index.engine.url).host
    assert.equal(
      report.reason,
      `trying the key for index ${index.name} at ${host}: the API key is not accepted. Create a new key in the cluster and save it here`,
    )
  })

  test('uses another host if one is down, and so does a job', async () => {
    const down = await startFaultProxy('http://127.0.0.1:1')
    await down.close()
    const { url } = await searchEngine()
    for (const hosts of [
      [down.url, url],
      [url, down.url],
    ]) {
      await using index = await freshIndex({ url: hosts })
      assert.deepEqual(statuses(await index.destination.check(signal)), ['ok', 'ok', 'ok', 'ok', 'ok'])
      await index.destination.prepare({ dims: null }, signal)
      for (let fence = 1; fence < 8; fence++)
        assert.deepEqual(await index.destination.write([writeItem('a')], fence, signal), [])
      assert.equal(await index.count(), 1)
    }
  })

  test('reports the dimension of an index, and warns if the default does not fit', async () => {
    const vectors = (dims: number) => ({
      embeddings: { type: 'dense_vector', dims, index: true, similarity: 'cosine' },
    })
    await using narrow = await freshIndex({ body: { mappings: { properties: vectors(8) } } })
    const report = await narrow.destination.check(signal)
    assert.deepEqual([report.ok, report.reason, report.steps[4]?.status], [true, null, 'warning'])
    assert.match(
      report.steps[4]?.detail ?? '',
      /vectors of 8 dimensions: only an embedder with this dimension fits; the default has 384/,
    )
    await using usual = await freshIndex({ body: { mappings: { properties: vectors(384) } } })
    const step = (await usual.destination.check(signal)).steps[4]
    assert.equal(step?.status, 'ok')
    assert.match(step?.detail ?? '', /vectors of 384 dimensions/)
  })

  test('names the privileges that a key lacks', async () => {
    await using index = await freshIndex({ privileges: ['read', 'view_index_metadata'] })
    const report = await index.destination.check(signal)
    assert.deepEqual(statuses(report), ['ok', 'ok', 'failed', 'skipped', 'skipped'])
    assert.match(report.reason ?? '', /no write on index/)
  })

  test('warns if the schema is missing and the key may not create it', async () => {
    await using index = await freshIndex({ privileges: ['read', 'write', 'view_index_metadata'] })
    const report = await index.destination.check(signal)
    assert.deepEqual([report.ok, ...statuses(report)], [true, 'ok', 'ok', 'ok', 'ok', 'warning'])
  })

  test('fails on permissions that are analysed text', async () => {
    const users = { 'metadata.data_source.permissions_data.read.users': { type: 'text' as const } }
    await using index = await freshIndex({ body: { mappings: { properties: nest(users) } } })
    const report = await index.destination.check(signal)
    assert.deepEqual(statuses(report), ['ok', 'ok', 'ok', 'ok', 'failed'])
    assert.match(report.reason ?? '', /read\.users is mapped as text/)
  })
})
