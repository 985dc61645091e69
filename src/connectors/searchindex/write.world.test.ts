import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SearchEngine } from '../../../test/world/search-engine/attach.ts'
import { behindProxy, bulkRequests, preparedIndex } from '../../../test/world/search-engine/behind-proxy.ts'
import { CLUSTERS } from '../../../test/world/search-engine/clusters.ts'
import type { FaultProxy } from '../../../test/world/search-engine/fault-proxy.ts'
import { writeItem } from '../../../test/world/search-engine/fresh-index.ts'

const { signal } = new AbortController()
let fence = 0
const RECORD = 'wiki.test/1'
const many = (count: number, bytes = 20) =>
  Array.from({ length: count }, (_, i) => writeItem(`e${i}`, { text: 'x'.repeat(bytes) }))

for (const cluster of CLUSTERS) {
  // The OpenSearch of the tests has no security.
  const secured = cluster.isSecured ? test : () => {}

  describe(`writing elements in ${cluster.name}`, () => {
    test('writes nested metadata under a stable id, however often it is repeated', async () => {
      await using index = await preparedIndex(4, cluster)
      const item = writeItem('a', { embeddings: [0.1, 0.25, 0.30000001, 1] })
      for (let time = 0; time < 2; time++)
        assert.deepEqual(await index.destination.write([item], ++fence, signal), [])
      assert.equal(await index.count(), 1)
      assert.deepEqual(await index.source(RECORD, 'a'), {
        record_id: RECORD,
        element_id: 'a',
        type: 'CompositeElement',
        text: 'the text of a',
        embeddings: [0.1, 0.25, 0.30000001, 1],
        metadata: { ...item.element.metadata, data_source: item.dataSource },
      })
    })

    test('returns only rejected elements, and never quotes them', async () => {
      await using index = await preparedIndex(4, cluster)
      const bad = writeItem('bad', { more: { date_created: 'a secret sentence' } })
      const wide = writeItem('wide', { embeddings: [1, 2, 3, 4, 5] })
      const rejections = await index.destination.write(
        [writeItem('a'), bad, wide, writeItem('b')],
        ++fence,
        signal,
      )
      assert.deepEqual(
        rejections.map(({ elementId }) => elementId),
        ['bad', 'wide'],
      )
      assert.match(
        rejections[0]?.error.message ?? '',
        new RegExp(`${cluster.misfit} in field metadata\\.data_source\\.date_created`),
      )
      assert.ok(
        rejections.every(
          ({ error }) => error.code === 'destination_rejected' && !error.message.includes('secret'),
        ),
      )
      assert.equal(await index.count(), 2)
    })

    test('limits batches by bytes and compresses them', async () => {
      await using world = await behindProxy({ cluster })
      assert.deepEqual(await world.index.destination.write(many(15, 1_000_000), ++fence, signal), [])
      assert.equal(await world.index.count(), 15)
      const sizes = bulkRequests(world.proxy).map(({ body }) => body.length)
      assert.ok(sizes.length >= 3 && sizes.length <= 8, `${sizes}`)
      assert.ok(
        sizes.every((size) => size < 5_000_000),
        `${sizes}`,
      )
    })
  })

  describe(`writing despite failures in ${cluster.name}`, () => {
    test('retries only the items that the overloaded cluster refused', async () => {
      await using world = await behindProxy({ cluster })
      let calls = 0
      world.proxy.on(({ path }) => {
        if (!path.includes('_bulk') || ++calls > 1) return undefined
        return {
          answer: (items) =>
            void items.splice(1, 1, {
              index: { status: 429, error: { type: 'es_rejected_execution_exception' } },
            }),
        }
      })
      assert.deepEqual(await world.index.destination.write(many(3), ++fence, signal), [])
      assert.deepEqual(
        bulkRequests(world.proxy).map(({ body }) => body.trim().split('\n').length / 2),
        [3, 1],
      )
      assert.match(bulkRequests(world.proxy)[1]?.body ?? '', /"element_id":"e1"/)
    })

    test('retries whole requests after a 503 and a reset connection', async () => {
      await using world = await behindProxy({ cluster })
      const faults = [{ status: 503 }, { reset: true as const }]
      world.proxy.on(({ path }) => (path.includes('_bulk') ? faults.shift() : undefined))
      assert.deepEqual(await world.index.destination.write(many(3), ++fence, signal), [])
      assert.equal(await world.index.count(), 3)
    })

    test('gives up on lasting overload with a retryable error', async () => {
      await using world = await behindProxy({ cluster })
      world.proxy.on(({ path }) => (path.includes('_bulk') ? { status: 429 } : undefined))
      await assert.rejects(world.index.destination.write(many(1), ++fence, signal), {
        code: 'destination_overloaded',
      })
      assert.equal(bulkRequests(world.proxy).length, 3)
      const busy = { index: { status: 429, error: { type: 'circuit_breaking_exception' } } }
      world.proxy.on(({ path }) =>
        path.includes('_bulk') ? { answer: (items) => void items.fill(busy) } : undefined,
      )
      await assert.rejects(world.index.destination.write(many(1), ++fence, signal), {
        code: 'destination_overloaded',
      })
    })

    test('halves a batch that is too large, and rejects an element that is too large alone', async () => {
      await using world = await behindProxy({ cluster })
      world.proxy.on(({ path, body }) =>
        path.includes('_bulk') && body.length > 50_000 ? { status: 413 } : undefined,
      )
      const items = [...many(8, 20_000), writeItem('huge', { text: 'x'.repeat(60_000) })]
      const rejections = await world.index.destination.write(items, ++fence, signal)
      assert.deepEqual(
        rejections.map(({ elementId }) => elementId),
        ['huge'],
      )
      assert.match(rejections[0]?.error.message ?? '', /larger \(0\.1 MB\)/)
      assert.equal(await world.index.count(), 8)
    })

    test('stops at once when aborted', async () => {
      await using world = await behindProxy({ cluster })
      const stop = new AbortController()
      world.proxy.on(({ path }) => {
        if (path.includes('_bulk')) stop.abort(new Error('enough'))
        return path.includes('_bulk') ? { status: 503 } : undefined
      })
      await assert.rejects(world.index.destination.write(many(1), ++fence, stop.signal), {
        message: 'enough',
      })
      assert.equal(bulkRequests(world.proxy).length, 1)
    })

    for (const [block, said, todo] of [
      ['read_only_allow_delete', /disk is full, so it accepts no writes/, /Free space in the cluster/],
      ['write', /the index accepts no writes/, /Lift the block in the index settings/],
      ['read_only', /the index accepts no writes/, /Lift the block/],
    ] as const) {
      test(`reports a read-only index under ${block} instead of retrying`, async () => {
        await using world = await behindProxy({ cluster })
        const { index, proxy } = world
        const blocked = (on: boolean) =>
          index.engine.adminFetch(`/${index.name}/_settings`, {
            method: 'PUT',
            body: { [`index.blocks.${block}`]: on },
          })
        await blocked(true)
        try {
          await assert.rejects(index.destination.write(many(3), ++fence, signal), {
            code: 'destination_read_only',
            message: said,
            fix: todo,
          })
          assert.equal(bulkRequests(proxy).length, 1)
        } finally {
          await blocked(false)
        }
        assert.deepEqual(
          await index.destination.write(many(3), ++fence, signal),
          [],
          'and goes on afterwards',
        )
        assert.equal(await index.count(), 3)
      })
    }

    test('loses nothing if parts of many bulks are refused repeatedly', async () => {
      await using world = await behindProxy({ cluster })
      const full = { index: { status: 429, error: { type: 'rejected_execution_exception' } } }
      let calls = 0
      world.proxy.on(({ path, body }) => {
        if (!path.includes('_bulk')) return undefined
        // The proxy drops every third item, so that it is really lost.
        const lines = body.trim().split('\n')
        const lost = calls++ % 3
        const kept = lines.filter((_, line) => Math.floor(line / 2) % 3 !== lost)
        if (calls > 12 || lines.length < 8) return undefined
        return {
          body: `${kept.join('\n')}\n`,
          answer: (items) => {
            for (let at = 0; at < lines.length / 2; at++) if (at % 3 === lost) items.splice(at, 0, full)
          },
        }
      })
      const items = many(2500, 200)
      assert.deepEqual(await world.index.destination.write(items, ++fence, signal), [])
      assert.equal(await world.index.count(), 2500)
      assert.ok(calls > 4, `${calls}`)
    })

    test('loses nothing if a connection is cut after the bulk was accepted', async () => {
      await using world = await behindProxy({ cluster })
      let cut = 0
      world.proxy.on(({ path }) => (path.includes('_bulk') && cut++ < 2 ? { cut: true } : undefined))
      assert.deepEqual(await world.index.destination.write(many(40), ++fence, signal), [])
      assert.equal(await world.index.count(), 40)
      assert.equal(bulkRequests(world.proxy).length, 3)
    })

    test('lowers concurrency while the cluster refuses, and raises it afterwards', async () => {
      await using world = await behindProxy({ cluster })
      const places: number[] = []
      let room = 100
      let open = 0
      world.proxy.on(async ({ path, body }) => {
        if (!path.includes('_bulk')) return undefined
        places.push(++open)
        const isRefused = open > room
        await sleep(100)
        open--
        const items = body
          .trim()
          .split('\n')
          .map(() => ({ delete: { status: 200 } }))
        return isRefused ? { status: 429 } : { status: 200, body: { took: 5, items } }
      })
      // A thousand removals are a request: thirty of them.
      const elementIds = Array.from({ length: 30_000 }, (_, i) => `e${i}`)
      const most = async (roomNow: number) => {
        room = roomNow
        places.length = 0
        await world.index.destination.remove([{ recordId: RECORD, elementIds }], ++fence, signal)
        return Math.max(...places.slice(-12))
      }
      const calm = await most(100)
      const busy = await most(1)
      const after = await most(100)
      assert.ok(calm > 2, `grows beyond two: ${calm}`)
      assert.ok(busy < calm, `shrinks: ${busy}`)
      assert.ok(after > busy, `and grows again: ${after}`)
    })

    test('leaves refresh and replicas to the owner, and compresses requests', async () => {
      await using world = await behindProxy({ cluster })
      const settings = async () =>
        (await world.index.engine.adminFetch(`/${world.index.name}/_settings`)).text()
      const before = await settings()
      assert.deepEqual(await world.index.destination.write(many(40, 200), ++fence, signal), [])
      assert.equal(await settings(), before)
      assert.ok(bulkRequests(world.proxy).every(({ headers }) => headers['content-encoding'] === 'gzip'))
      assert.ok(world.proxy.seen.every(({ path }) => !path.includes('refresh')))
    })

    secured('names host and index, and never the key, when the key loses its privileges', async () => {
      await using index = await preparedIndex(null, cluster)
      const body = { ids: [Buffer.from(index.key, 'base64').toString().split(':')[0]] }
      await index.engine.adminFetch('/_security/api_key', { method: 'DELETE', body })
      await assert.rejects(
        index.destination.write(many(1), ++fence, signal),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, 'destination_unauthorized')
          assert.ok(
            error.message.includes(index.name) && error.message.includes(new URL(index.engine.url).host),
          )
          assert.ok(!error.message.includes(index.key) && error.cause === undefined)
          return true
        },
      )
    })
  })

  describe(`an index deleted during a job in ${cluster.name}`, () => {
    test('is not created again with a guessed schema', async () => {
      await using world = await behindProxy({ cluster })
      const { name, engine, destination } = world.index
      world.proxy.on(deleteBeforeBulk(engine, name))
      await assert.rejects(destination.write(many(3), ++fence, signal), { code: 'destination_index_missing' })
      assert.equal(await world.index.count(), 0, 'the index that the cluster created holds no documents')
      if (cluster.name === 'Elasticsearch')
        assert.deepEqual(await world.index.mapping(), {}, 'nor any fields')
      await assert.rejects(destination.write(many(1), ++fence, signal), { message: /another/ })
      assert.equal(await world.index.count(), 0)
    })

    secured('is not created where the key may not', async () => {
      await using world = await behindProxy({ cluster, privileges: ['read', 'write', 'view_index_metadata'] })
      const { name, engine, destination } = world.index
      world.proxy.on(deleteBeforeBulk(engine, name))
      await assert.rejects(destination.write(many(1), ++fence, signal), { code: 'destination_index_missing' })
      assert.equal((await engine.adminFetch(`/${name}`)).status, 404)
    })

    test('is not created if it was named by an alias', async () => {
      await using world = await behindProxy({ cluster, kind: 'alias' })
      const { name, engine, destination } = world.index
      assert.deepEqual(await destination.write(many(2), ++fence, signal), [])
      assert.equal(await world.index.count(), 2)
      world.proxy.on(deleteBeforeBulk(engine, `${name}-1`))
      await assert.rejects(destination.write(many(2), ++fence, signal), { code: 'destination_index_missing' })
      assert.equal((await engine.adminFetch(`/${name}`)).status, 404)
    })

    test('is noticed by an update of access too', async () => {
      await using world = await behindProxy({ cluster })
      const { name, engine, destination } = world.index
      await destination.write(many(1), ++fence, signal)
      world.proxy.on(deleteBeforeBulk(engine, name))
      const items = [{ recordId: RECORD, elementIds: ['e0'], dataSource: { access: { c0: ['user:y'] } } }]
      await assert.rejects(destination.updateAccess(items, ++fence, signal), {
        code: 'destination_index_missing',
      })
      assert.equal(await world.index.count(), 0)
    })

    test('is noticed by a removal too, for which the cluster creates an index', async () => {
      await using world = await behindProxy({ cluster })
      const { name, engine, destination } = world.index
      await destination.write(many(2), ++fence, signal)
      world.proxy.on(deleteBeforeBulk(engine, name))
      const elements = [{ recordId: RECORD, elementIds: ['e0'] }]
      await assert.rejects(destination.remove(elements, ++fence, signal), {
        code: 'destination_index_missing',
      })
      assert.equal(await world.index.count(), 0)
      assert.deepEqual(await world.index.mapping(), {}, 'the index that it created has no schema')
    })

    secured('is not created by a removal where the key may not', async () => {
      await using world = await behindProxy({ cluster, privileges: ['read', 'write', 'view_index_metadata'] })
      const { name, engine, destination } = world.index
      world.proxy.on(deleteBeforeBulk(engine, name))
      const elements = [{ recordId: RECORD, elementIds: ['e0'] }]
      await assert.rejects(destination.remove(elements, ++fence, signal), {
        code: 'destination_index_missing',
      })
      assert.equal((await engine.adminFetch(`/${name}`)).status, 404)
    })

    test('is noticed when another index has its name', async () => {
      await using index = await preparedIndex(null, cluster)
      await index.destination.write(many(1), ++fence, signal)
      await index.engine.adminFetch(`/${index.name}`, { method: 'DELETE' })
      await index.engine.adminFetch(`/${index.name}`, { method: 'PUT', body: {} })
      await assert.rejects(index.destination.write(many(1), ++fence, signal), {
        code: 'destination_index_missing',
        message: /another/,
      })
      assert.equal(await index.count(), 0)
    })
  })

  describe(`removing elements in ${cluster.name}`, () => {
    test('removes existing elements and ignores missing ones', async () => {
      await using index = await preparedIndex(null, cluster)
      await index.destination.write(many(3), ++fence, signal)
      await index.destination.remove(
        [{ recordId: RECORD, elementIds: ['e0', 'e2', 'never'] }],
        ++fence,
        signal,
      )
      assert.equal(await index.count(), 1)
      assert.ok(await index.source(RECORD, 'e1'))
    })
  })
}

/** Deletes it once: an index that the cluster creates afterwards stays. */
function deleteBeforeBulk(engine: SearchEngine, index: string): Parameters<FaultProxy['on']>[0] {
  let deleted = false
  return async ({ path }) => {
    if (path.includes('_bulk') && !deleted) {
      deleted = true
      await engine.adminFetch(`/${index}`, { method: 'DELETE' })
    }
    return undefined
  }
}
