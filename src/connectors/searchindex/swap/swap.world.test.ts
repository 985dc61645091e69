import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { CLUSTERS, type Cluster } from '../../../../test/world/search-engine/clusters.ts'
import { startFaultProxy } from '../../../../test/world/search-engine/fault-proxy.ts'
import { freshIndex, writeItem } from '../../../../test/world/search-engine/fresh-index.ts'
import type { IndexAt, Swapping } from '../../connector.ts'

const { signal } = new AbortController()

for (const cluster of CLUSTERS) {
  describe(`swapping an index of ${cluster.name}`, () => {
    test('makes one like it, out of sight, and moves the alias in one step, however often it is asked', async () => {
      await using swap = await staged(cluster, { dims: 4 })
      const { index, swapping, old, next } = swap
      const beside = swapping.at(next.name)
      assert.equal((await beside.prepare({ dims: 4 }, signal)).identity, next.uuid)
      assert.deepEqual(await beside.write([writeItem('b', { embeddings: [1, 0, 0, 0] })], 2, signal), [])
      assert.equal(await index.count(), 0, 'nobody sees it')
      for (const _ of [1, 2]) await swapping.promote({ staged: next, old }, signal)
      assert.deepEqual(await swapping.searched(signal), next)
      assert.equal(await index.count(), 1)
      assert.equal(await swapping.withdraw(next, signal), 'searched')
      assert.equal(await index.count(), 1, 'what is searched is not removed')
      await assert.rejects(swapping.drop(next, signal), { code: 'in_use' })
      assert.equal(await swapping.drop({ ...old, uuid: next.uuid }, signal), false, 'another of its name')
      assert.equal(await swapping.drop(old, signal), true)
    })

    test('a request that comes after it was given up moves nothing', async () => {
      await using swap = await staged(cluster)
      const { index, swapping, old, next } = swap
      const ticket = `/${next.name}/_alias/${next.name}-filling`
      assert.ok((await index.engine.adminFetch(ticket, { method: 'DELETE' })).ok)
      await assert.rejects(swapping.promote({ staged: next, old }, signal), { code: 'destination_rejected' })
      assert.deepEqual(await swapping.searched(signal), old)
      assert.equal(await swapping.withdraw(next, signal), 'removed')
      assert.equal(await swapping.withdraw(next, signal), 'removed')
      assert.deepEqual(await swapping.kept([next], signal), [])
    })

    test('does not believe a move that is not acknowledged, and finds one whose answer was lost', async () => {
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

    test('refuses where the old index is another by then, or a template would show the new one at once', async () => {
      await using swap = await staged(cluster)
      const { index, swapping, old, next } = swap
      await assert.rejects(swapping.promote({ staged: next, old: { ...old, uuid: 'x' } }, signal), {
        message: /moved by somebody else/,
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

    test('finds out before anything is filled whether the alias will move, and leaves nothing behind', async () => {
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
      // Neither takes giving it up away.
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

/** An alias of one index, and an empty one that could take its place. */
async function staged(cluster: Cluster, { dims = null }: { dims?: number | null } = {}) {
  const prefix = `swap-${randomUUID().slice(0, 8)}-`
  const proxy = await startFaultProxy((await cluster.engine()).url)
  const index = await freshIndex({ cluster, kind: 'alias', prefix, keyFor: `${prefix}*`, url: proxy.url })
  const swapping: Swapping = index.destination.swapping ?? assert.fail('it can be swapped')
  // Vectors of another width do not fit the old one.
  await index.destination.prepare({ dims: dims && dims + 1 }, signal)
  const old = await swapping.searched(signal)
  const name = swapping.nameFor('next')
  const { uuid } = await swapping.stage(name, { dims }, signal)
  assert.deepEqual(await swapping.stage(name, { dims }, signal), { uuid }, 'done again')
  const next: IndexAt = { name, uuid }
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
