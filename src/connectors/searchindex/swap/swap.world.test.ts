import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { CLUSTERS, type Cluster } from '../../../../test/world/search-engine/clusters.ts'
import { startFaultProxy } from '../../../../test/world/search-engine/fault-proxy.ts'
import { freshIndex, writeItem } from '../../../../test/world/search-engine/fresh-index.ts'
import type { IndexId, Swap } from '../../destination.ts'
import { nest, PERMISSIONS } from '../schema/schema.ts'

const { signal } = new AbortController()

for (const cluster of CLUSTERS) {
  describe(`swapping an index of ${cluster.name}`, () => {
    test('creates a hidden copy and moves the alias in one step, however often it is called', async () => {
      await using swap = await staged(cluster, { dims: 4 })
      const { index, swapping, old, next } = swap
      const stagedIndex = swapping.destinationFor(next.name)
      assert.equal((await stagedIndex.prepare({ dims: 4 }, signal)).identity, next.uuid)
      assert.deepEqual(await stagedIndex.write([writeItem('b', { embeddings: [1, 0, 0, 0] })], 2, signal), [])
      assert.equal(await index.count(), 0, 'no search sees it')
      for (const _ of [1, 2]) await swapping.promote({ staged: next, old }, signal)
      assert.deepEqual(await swapping.searched(signal), next)
      assert.equal(await index.count(), 1)
      assert.equal(await swapping.withdraw(next, signal), 'searched')
      assert.equal(await index.count(), 1, 'a searched index is not removed')
      await assert.rejects(swapping.drop(next, signal), { code: 'in_use' })
      assert.equal(
        await swapping.drop({ ...old, uuid: next.uuid }, signal),
        false,
        'another index of this name',
      )
      assert.equal(await swapping.drop(old, signal), true)
    })

    test('keeps mappings that someone chose in the copy', async () => {
      const prefix = `swap-${randomUUID().slice(0, 8)}-`
      await using index = await freshIndex({ cluster, kind: 'alias', prefix, keyFor: `${prefix}*` })
      const chosen = { [`${PERMISSIONS}.delete.users`]: { type: 'keyword' }, own: { type: 'long' } }
      const body = { properties: nest(chosen) }
      const path = `/${index.name}/_mapping`
      assert.ok((await index.engine.adminFetch(path, { method: 'PUT', body })).ok)
      await index.destination.prepare({ dims: null }, signal)
      const before = await index.mapping()
      const name = index.destination.swap.nameFor('next')
      await index.destination.swap.stage(name, { dims: null }, signal)
      try {
        const created = await (await index.engine.adminFetch(`/${name}`)).json()
        const { mappings } = (created as Record<string, { mappings: object }>)[name]!
        assert.deepEqual(mappings, before)
        assert.deepEqual(await index.mapping(), before, 'the searched index stays as it is')
      } finally {
        await index.engine.adminFetch(`/${name}`, { method: 'DELETE' })
      }
    })

    test('moves nothing after a withdrawal', async () => {
      await using swap = await staged(cluster)
      const { index, swapping, old, next } = swap
      const stagingAlias = `/${next.name}/_alias/${next.name}-filling`
      assert.ok((await index.engine.adminFetch(stagingAlias, { method: 'DELETE' })).ok)
      await assert.rejects(swapping.promote({ staged: next, old }, signal), { code: 'destination_rejected' })
      assert.deepEqual(await swapping.searched(signal), old)
      assert.equal(await swapping.withdraw(next, signal), 'removed')
      assert.equal(await swapping.withdraw(next, signal), 'removed')
      assert.deepEqual(await swapping.existing([next], signal), [])
    })

    test('fails an unacknowledged move, and finds one whose response was lost', async () => {
      await using swap = await staged(cluster)
      const { swapping, old, next, proxy } = swap
      const isMove = ({ path, method }: { path: string; method: string }) =>
        path === '/_aliases' && method === 'POST'
      proxy.on((passing) => (isMove(passing) ? { status: 200, body: { acknowledged: false } } : undefined))
      await assert.rejects(swapping.promote({ staged: next, old }, signal), {
        code: 'destination_unreachable',
      })
      proxy.on((passing) => (isMove(passing) ? { cut: true } : undefined))
      await swapping.promote({ staged: next, old }, signal)
      assert.deepEqual(await swapping.searched(signal), next)
    })

    test('refuses if the old index was replaced, or a template would expose the new one', async () => {
      await using swap = await staged(cluster)
      const { index, swapping, old, next } = swap
      await assert.rejects(swapping.promote({ staged: next, old: { ...old, uuid: 'x' } }, signal), {
        message: /it was moved meanwhile/,
      })
      const template = `/_index_template/${index.name}`
      const body = {
        index_patterns: [`${index.name}-*`],
        priority: 500,
        template: { aliases: { [index.name]: {} } },
      }
      assert.ok((await index.engine.adminFetch(template, { method: 'PUT', body })).ok)
      try {
        const name = swapping.nameFor('third')
        await assert.rejects(swapping.stage(name, { dims: null }, signal), { message: /index template/ })
        assert.equal((await index.engine.adminFetch(`/${name}`)).status, 404)
        assert.deepEqual(await swapping.searched(signal), old)
      } finally {
        await index.engine.adminFetch(template, { method: 'DELETE' })
      }
    })

    test('finds out before filling whether the alias can move, and leaves nothing behind', async () => {
      await using swap = await staged(cluster)
      const { swapping, old, next, proxy, index } = swap
      const name = swapping.nameFor('third')
      const answers = (status: number, type: string) =>
        proxy.on(({ path }) =>
          path === '/_aliases' ? { status, body: { error: { type, reason: '' }, status } } : undefined,
        )
      answers(400, 'x_content_parse_exception')
      await assert.rejects(swapping.stage(name, { dims: null }, signal), { message: /must_exist/ })
      answers(403, 'security_exception')
      await assert.rejects(swapping.stage(name, { dims: null }, signal), { code: 'destination_unauthorized' })
      // A withdrawal still works.
      assert.equal(await swapping.withdraw({ name, uuid: null }, signal), 'removed')
      assert.equal((await index.engine.adminFetch(`/${name}`)).status, 404)
      proxy.on(({ method, path }) =>
        method === 'DELETE' && path === `/${next.name}`
          ? { status: 403, body: { error: { type: 'security_exception', reason: '' }, status: 403 } }
          : undefined,
      )
      assert.equal(await swapping.withdraw(next, signal), 'left')
      await assert.rejects(swapping.promote({ staged: next, old }, signal), { code: 'destination_rejected' })
    })
  })
}

/** An alias of one index, and an empty staged index. */
async function staged(cluster: Cluster, { dims = null }: { dims?: number | null } = {}) {
  const prefix = `swap-${randomUUID().slice(0, 8)}-`
  const proxy = await startFaultProxy((await cluster.engine()).url)
  const index = await freshIndex({ cluster, kind: 'alias', prefix, keyFor: `${prefix}*`, url: proxy.url })
  const swapping: Swap = index.destination.swap ?? assert.fail('it can be swapped')
  // Vectors of another dimension do not fit the old index.
  await index.destination.prepare({ dims: dims && dims + 1 }, signal)
  const old = await swapping.searched(signal)
  const name = swapping.nameFor('next')
  const { uuid } = await swapping.stage(name, { dims }, signal)
  assert.deepEqual(await swapping.stage(name, { dims }, signal), { uuid }, 'done again')
  const next: IndexId = { name, uuid }
  return {
    index,
    swapping,
    old,
    next,
    proxy,
    [Symbol.asyncDispose]: async () => {
      await index.engine.adminFetch(`/${name}`, { method: 'DELETE' })
      await index[Symbol.asyncDispose]()
      await proxy.close()
    },
  }
}
