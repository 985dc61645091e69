import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startFaultProxy } from '../../../test/world/search-engine/fault-proxy.ts'
import { freshIndex, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import type { CheckReport } from '../connector.ts'
import { nest, PERMISSION_FIELDS } from './schema.ts'

const signal = AbortSignal.timeout(120_000)
const statuses = (report: CheckReport) => report.steps.map(({ status }) => status)

describe('a check of an index', () => {
  test('passes on an empty one and touches nothing', async () => {
    await using index = await freshIndex()
    const report = await index.destination.check(signal)
    assert.deepEqual(statuses(report), ['ok', 'ok', 'ok', 'ok', 'ok'])
    assert.deepEqual([report.ok, report.reason], [true, null])
    assert.deepEqual(await index.mapping(), {})
  })

  test('takes the key as id:key too', async () => {
    await using index = await freshIndex()
    await using other = await freshIndex({ key: Buffer.from(index.key, 'base64').toString() })
    assert.deepEqual(statuses(await other.destination.check(signal)).slice(0, 3), ['ok', 'ok', 'failed'])
  })

  test('says how to create one that is missing, without the key', async () => {
    await using index = await freshIndex({ body: null })
    const report = await index.destination.check(signal)
    assert.deepEqual(statuses(report), ['ok', 'ok', 'ok', 'failed', 'skipped'])
    assert.ok(report.reason?.includes(index.name))
    assert.ok(report.steps[3]?.fix?.includes(`curl -X PUT '${index.engine.url}/${index.name}'`))
    assert.ok(!JSON.stringify(report).includes(index.key))
  })

  test('tells a wrong key from a cluster that is not there', async () => {
    await using stranger = await freshIndex({ key: btoa('nobody:nothing') })
    assert.deepEqual(statuses(await stranger.destination.check(signal)), [
      'ok',
      'failed',
      'skipped',
      'skipped',
      'skipped',
    ])
    const proxy = await startFaultProxy('http://127.0.0.1:1')
    await proxy.close()
    await using away = await freshIndex({ url: proxy.url })
    const report = await away.destination.check(signal)
    assert.deepEqual(statuses(report), ['failed', 'skipped', 'skipped', 'skipped', 'skipped'])
    assert.match(report.reason ?? '', /ECONNREFUSED/)
  })

  test('names the privileges that a key lacks', async () => {
    await using index = await freshIndex({ privileges: ['read', 'view_index_metadata'] })
    const report = await index.destination.check(signal)
    assert.deepEqual(statuses(report), ['ok', 'ok', 'failed', 'skipped', 'skipped'])
    assert.match(report.reason ?? '', /no write on index/)
  })

  test('warns where the schema is still to be made and the key may not', async () => {
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

  test('does not take a redirect or a stranger for a cluster', async () => {
    await using index = await freshIndex()
    const proxy = await startFaultProxy(index.engine.url)
    await using through = await freshIndex({ url: proxy.url })
    proxy.on(() => ({ status: 302, headers: { location: index.engine.url } }))
    assert.match((await through.destination.check(signal)).reason ?? '', /redirect/)
    proxy.on(() => ({ status: 200, body: { hello: 'world' } }))
    assert.match((await through.destination.check(signal)).reason ?? '', /not Elasticsearch/)
    await proxy.close()
  })
})

describe('preparing an index', () => {
  test('gives an empty one the schema, once', async () => {
    await using index = await freshIndex()
    assert.equal(await index.destination.dims(signal), null)
    await index.destination.prepare({ dims: 4 }, signal)
    const first = await index.mapping()
    await index.destination.prepare({ dims: 4 }, signal)
    assert.deepEqual(await index.mapping(), first)
    assert.equal(await index.destination.dims(signal), 4)
    assert.deepEqual(
      await index.destination.write([writeItem('a', { embeddings: [1, 0, 0, 1] })], signal),
      [],
    )
    await index.refresh()
    assert.deepEqual(await index.mapping(), first, 'a document adds no field of its own')
  })

  test('accepts a schema of another and adds the permission fields as keywords', async () => {
    const properties = {
      record_id: { type: 'text' },
      text: { type: 'text' },
      embeddings: { type: 'dense_vector', dims: 4, index: true, similarity: 'cosine' },
      metadata: { properties: { parent_id: { type: 'text' } } },
    }
    await using index = await freshIndex({ body: { mappings: { properties } } })
    await index.destination.prepare({ dims: 4 }, signal)
    const mapping = JSON.stringify(await index.mapping())
    assert.match(mapping, /"c7":\{"type":"keyword"\}/)
    assert.match(mapping, /"access_classes":\{"type":"keyword"\}/)
    assert.match(mapping, /"record_id":\{"type":"text"\}/)
    // Without a mapping of its own the first title would be taken for a date, and the second refused.
    const titles = ['2026-11-15', 'Sluices'].map((title) => writeItem(title, { more: { title } }))
    assert.deepEqual(await index.destination.write(titles, signal), [])
  })

  test('refuses before writing what cannot fit', async () => {
    const vectors = { embeddings: { type: 'dense_vector', dims: 8, index: true, similarity: 'cosine' } }
    await using narrow = await freshIndex({ body: { mappings: { properties: vectors } } })
    const width = { code: 'destination_schema', message: /8 dimensions, the workflow makes 4/ }
    await assert.rejects(narrow.destination.prepare({ dims: 4 }, signal), width)
    const strict = { dynamic: 'strict', properties: { text: { type: 'text' } } }
    await using closed = await freshIndex({ body: { mappings: strict } })
    await assert.rejects(closed.destination.prepare({ dims: null }, signal), {
      code: 'destination_schema',
      message: /strict/,
    })
    await using none = await freshIndex({ body: null })
    const missing = { code: 'destination_index_missing', fix: /curl -X PUT/ }
    await assert.rejects(none.destination.prepare({ dims: null }, signal), missing)
  })

  test('leaves a complete index alone where the key may not manage it', async () => {
    const mappings = { properties: nest(PERMISSION_FIELDS) }
    await using index = await freshIndex({
      body: { mappings },
      privileges: ['read', 'write', 'view_index_metadata'],
    })
    await index.destination.prepare({ dims: null }, signal)
    assert.deepEqual(await index.destination.write([writeItem('a')], signal), [])
    assert.equal(await index.count(), 1)
  })
})
