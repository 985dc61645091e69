import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ProxiedRequest, startFaultProxy } from '../../../test/world/search-engine/fault-proxy.ts'
import { openEgress, silent } from '../../../test/world/search-engine/fresh-index.ts'
import { openSearchIndex, type SearchIndex } from './destination.ts'

const { signal } = new AbortController()
const RECORD = 'wiki.test/1'
const PARAMETER = '_source_exclude_vectors'
const headers = { 'x-elastic-product': 'Elasticsearch' }
const settings = { index: { uuid: 'u' } }
const refused = (reason: string) => ({
  status: 400,
  headers,
  body: { error: { type: 'illegal_argument_exception', reason } },
})

/** A cluster that holds every requested element, unless `read` responds instead. */
async function withCluster(
  read: (
    passing: ProxiedRequest,
    ids: string[],
  ) => { status: number; headers: object; body: object } | undefined,
  work: (destination: SearchIndex, asked: () => ProxiedRequest[]) => Promise<void>,
): Promise<void> {
  const proxy = await startFaultProxy('http://127.0.0.1:1')
  proxy.on((passing) => {
    const answer = (body: object) => ({ status: 200, headers, body })
    if (passing.path.includes('_bulk')) return answer({ took: 1, items: [{ index: { status: 200 } }] })
    if (!passing.path.includes('_mget')) return answer({ wiki: { mappings: {}, settings } })
    const { ids } = JSON.parse(passing.body) as { ids: string[] }
    const given = read(passing, ids)
    if (given) return { ...given, headers }
    return answer({ docs: ids.map((_id) => ({ _id, _version: 3, _source: { metadata: {} } })) })
  })
  const egress = openEgress()
  const config = { hosts: [proxy.url], search_api_key: 'a:b', index_name: 'wiki' }
  const retries = { attempts: 2, firstMs: 1, maxMs: 1 }
  const destination = openSearchIndex(config, { egress, log: silent }, retries)
  try {
    await work(destination, () => proxy.seen.filter(({ path }) => path.includes('_mget')))
  } finally {
    await destination.close()
    await egress.close()
    await proxy.close()
  }
}

const update = (destination: SearchIndex) =>
  destination.updateAccess([{ recordId: RECORD, elementIds: ['a'], dataSource: {} }], 1, signal)

describe('elements that are read for a rewrite', () => {
  test('are read without the parameter once the cluster refused it as unknown', () =>
    withCluster(
      ({ path }) =>
        path.includes(PARAMETER)
          ? refused(`request [/wiki/_mget] contains unrecognized parameter: [${PARAMETER}]`)
          : undefined,
      async (destination, asked) => {
        for (let time = 0; time < 2; time++) assert.deepEqual(await update(destination), [])
        assert.deepEqual(
          asked().map(({ path }) => path.includes(PARAMETER)),
          [true, false, false],
        )
      },
    ))

  test('are not read without it after any other refusal, which would lose their vectors', () => {
    let times = 0
    return withCluster(
      () => (times++ === 0 ? refused('the total number of ids is over a limit') : undefined),
      async (destination, asked) => {
        await assert.rejects(update(destination), { code: 'destination_rejected' })
        assert.deepEqual(await update(destination), [])
        assert.deepEqual(
          asked().map(({ path }) => path.includes(PARAMETER)),
          [true, true],
        )
      },
    )
  })
})

describe('elements that are compared', () => {
  const tooMuch = { status: 200, headers, body: { docs: [], more: 'x'.repeat(64_000_001) } }

  test('are read in halves if one response cannot hold them', () =>
    withCluster(
      (_, ids) => (ids.length > 2 ? tooMuch : undefined),
      async (destination, asked) => {
        const elementIds = ['a', 'b', 'c', 'd', 'e']
        const held = await destination.inspect.stored([{ recordId: RECORD, elementIds }], signal)
        assert.deepEqual(
          held.map(({ elementId }) => elementId),
          elementIds,
        )
        assert.deepEqual(
          asked().map(({ body }) => JSON.parse(body).ids.length),
          [5, 3, 2, 1, 2],
        )
      },
    ))
})
