import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type FaultProxy, startFaultProxy } from '../../../test/world/search-engine/fault-proxy.ts'
import { type FreshIndex, freshIndex, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { searchEngine } from '../../../test/world/search-engine/shared.ts'
import { searchHits } from '../../../test/world/search-hits.ts'
import { elasticsearch } from './engines/elasticsearch.ts'
import { schemaFor } from './schema/schema.ts'

const { signal } = new AbortController()
const LEAST = ['read', 'write', 'view_index_metadata']
const tokens = ['user:u:1']
const vector = [1, 0, 0, 0]
let fence = 0

describe('a key for one index alone', () => {
  test('is enough for a job if the index has its schema, with no request about the cluster', async () => {
    await using world = await watched({ body: { mappings: schemaFor(4, elasticsearch) }, privileges: LEAST })
    await wholeJob(world.index)
    assert.deepEqual(otherRequests(world), [])
  })

  test('is enough through an alias with one write index', async () => {
    await using world = await watched({ kind: 'alias', extraIndex: true })
    await world.index.destination.prepare({ dims: 4 }, signal)
    await wholeJob(world.index)
    assert.deepEqual(otherRequests(world), [])
  })

  test('adds to the mapping of an index template', async () => {
    const { adminFetch } = await searchEngine()
    const template = {
      index_patterns: ['templated-*'],
      template: { mappings: { properties: { text: { type: 'text', analyzer: 'english' } } } },
    }
    await adminFetch('/_index_template/millrace-test', { method: 'PUT', body: template })
    try {
      await using index = await freshIndex({ prefix: 'templated-' })
      await index.destination.prepare({ dims: 4 }, signal)
      const mapping = JSON.stringify(await index.mapping())
      assert.match(mapping, /"text":\{"type":"text","analyzer":"english"\}/)
      assert.match(mapping, /"c7":\{"type":"keyword"\}/)
    } finally {
      await adminFetch('/_index_template/millrace-test', { method: 'DELETE' })
    }
  })

  for (const lacking of LEAST) {
    test(`fails a check that names ${lacking} alone`, async () => {
      const privileges = LEAST.filter((privilege) => privilege !== lacking)
      const body = { mappings: schemaFor(4, elasticsearch) }
      await using world = await watched({ body, privileges })
      const report = await world.index.destination.check(signal)
      assert.match(report.reason ?? '', new RegExp(`the key has no ${lacking} on index`))
      assert.deepEqual(otherRequests(world), [])
    })
  }

  test('needs manage only if the schema is missing, as the check reports', async () => {
    await using empty = await freshIndex({ privileges: LEAST })
    const [, , , , schema] = (await empty.destination.check(signal)).steps
    assert.equal(schema?.status, 'warning')
    assert.match(schema?.fix ?? '', /^Give the key manage on index/)
    await using whole = await freshIndex({
      body: { mappings: schemaFor(4, elasticsearch) },
      privileges: LEAST,
    })
    const complete = (await whole.destination.check(signal)).steps[4]
    assert.deepEqual(
      [complete?.status, complete?.fix],
      ['warning', undefined],
      'because of the dimension alone',
    )
  })
})

describe('an index that is not suitable', () => {
  const answered = async (answer: object) => {
    const proxy = await startFaultProxy('http://127.0.0.1:1')
    proxy.on(() => ({ status: 200, body: answer, headers: { 'x-elastic-product': 'Elasticsearch' } }))
    return proxy
  }

  test('is refused with the reason: a data stream, or an alias of several without a write index', async () => {
    const settings = { index: { uuid: 'u' } }
    const stream = await answered({ '.ds-logs-000001': { settings, data_stream: 'logs' } })
    await using index = await freshIndex({ url: stream.url, body: null })
    await assert.rejects(index.destination.prepare({ dims: null }, signal), {
      code: 'destination_schema',
      message: /is a data stream, whose documents cannot be changed/,
    })
    await stream.close()
    const several = await answered({ a: { settings, aliases: {} }, b: { settings, aliases: {} } })
    await using alias = await freshIndex({ url: several.url, body: null })
    await assert.rejects(alias.destination.prepare({ dims: null }, signal), {
      code: 'destination_schema',
      message: /points to 2 indexes/,
      fix: /give the alias a write index/,
    })
    await several.close()
  })
})

type Watched = { index: FreshIndex; proxy: FaultProxy } & AsyncDisposable

async function watched(options: Parameters<typeof freshIndex>[0]): Promise<Watched> {
  const proxy = await startFaultProxy((await searchEngine()).url)
  const index = await freshIndex({ ...options, url: proxy.url })
  return {
    index,
    proxy,
    [Symbol.asyncDispose]: async () => {
      await index[Symbol.asyncDispose]()
      await proxy.close()
    },
  }
}

/** Everything that a job, a check and a search do. */
async function wholeJob({ destination, refresh, count }: FreshIndex): Promise<void> {
  const check = await destination.check(signal)
  assert.equal(check.ok, true, check.reason ?? '')
  await destination.prepare({ dims: 4 }, signal)
  const items = ['a', 'b', 'c'].map((id) => writeItem(id, { embeddings: vector }))
  assert.deepEqual(await destination.write(items, ++fence, signal), [])
  const changed = { recordId: 'wiki.test/1', elementIds: ['a'], dataSource: { access: { c0: ['user:x'] } } }
  assert.deepEqual(await destination.updateAccess([changed], ++fence, signal), [])
  await destination.remove([{ recordId: 'wiki.test/1', elementIds: ['b'] }], ++fence, signal)
  await refresh()
  assert.equal(await count(), 2)
  assert.equal(await destination.search.dims(signal), 4)
  for (const more of [{}, { vector }]) {
    const found = await searchHits(
      destination.search,
      { query: 'text', tokens, size: 5, from: 0, ...more },
      signal,
    )
    assert.deepEqual([found.total, found.hits[0]?.element_id], [1, 'c'])
  }
}

/** Requests that are neither for the index nor about the key itself. */
function otherRequests({ index, proxy }: Watched): string[] {
  const own = new RegExp(`^/(${index.name}(-\\d)?([/?]|$)|_security/(_authenticate|user/_has_privileges)$)`)
  return proxy.seen.map(({ path }) => path).filter((path) => !own.test(path))
}
