import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CLUSTERS } from '../../../test/world/search-engine/clusters.ts'
import { freshIndex, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { searchHits } from '../../../test/world/search-hits.ts'
import { elasticsearch } from './engines/elasticsearch.ts'
import { opensearch } from './engines/opensearch.ts'
import { creationBodyFor } from './schema/schema.ts'

const { signal } = new AbortController()
/** The dimension of the built-in embedder. */
const DIMS = 384
const ENGINES = { Elasticsearch: elasticsearch, OpenSearch: opensearch }
/** The privileges of the documented key once the schema exists. */
const LEAST = ['read', 'write', 'view_index_metadata']
const tokens = ['user:u:1']

type Body = { settings: { index: Record<string, unknown> }; mappings: object }

async function bodyFor(name: string): Promise<Body> {
  const path = join(import.meta.dirname, `../../../docs/index-bodies/${name.toLowerCase()}.json`)
  return JSON.parse(await readFile(path, 'utf8')) as Body
}

for (const cluster of CLUSTERS) {
  const engine = ENGINES[cluster.name]

  describe(`the index body for ${cluster.name}`, () => {
    test('it has the schema and settings that a job would create', async () => {
      const { settings, mappings } = await bodyFor(cluster.name)
      const { number_of_shards, number_of_replicas, ...rest } = settings.index
      assert.deepEqual([number_of_shards, number_of_replicas], [1, 1])
      assert.deepEqual({ settings: { index: rest }, mappings }, creationBodyFor(DIMS, engine))
    })

    test('it creates an index that needs no change and finds documents by words and by vector', async () => {
      const body = await bodyFor(cluster.name)
      await using index = await freshIndex({ cluster, body, privileges: LEAST })
      const before = await index.mapping()
      const schema = (await index.destination.check(signal)).steps.at(-1)
      assert.doesNotMatch(schema?.detail ?? '', /without analyzers/)
      await index.destination.prepare({ dims: DIMS }, signal)
      assert.deepEqual(await index.mapping(), before)
      assert.equal(await index.destination.search.dims(signal), DIMS)

      const [near, far] = [unit(0), unit(1)]
      const items = [
        writeItem('near', { text: 'sluice gates', embeddings: near }),
        writeItem('far', { text: 'grinding stones', embeddings: far }),
        writeItem('closed', { text: 'sluice gates', embeddings: near, access: { c0: ['user:u:2'] } }),
      ]
      assert.deepEqual(await index.destination.write(items, 1, signal), [])
      await index.refresh()
      const found = async (more: { query: string; vector?: number[] }) => {
        const request = { tokens, size: 1, from: 0, ...more }
        return (await searchHits(index.destination.search, request, signal)).hits.map(
          ({ element_id }) => element_id,
        )
      }
      assert.deepEqual(await found({ query: 'grinding' }), ['far'])
      assert.deepEqual(await found({ query: '', vector: near }), ['near'])
    })

    test('it refuses index.knn and dense_vector in one body', async () => {
      const { adminFetch } = await cluster.engine()
      const mappings = { properties: { embeddings: { type: 'dense_vector', dims: DIMS } } }
      const body = { settings: { index: { knn: true } }, mappings }
      const response = await adminFetch(`/mixed-${randomUUID()}`, { method: 'PUT', body })
      assert.equal(response.status, 400)
      assert.match(await response.text(), cluster.name === 'OpenSearch' ? /dense_vector/ : /index\.knn/)
    })

    test('it is what the destination creates if the index is missing', async () => {
      await using index = await freshIndex({ cluster, body: null, privileges: [...LEAST, 'manage'] })
      const { create } = index.destination
      const { exists, allowed, request, command } = await create.plan({ dims: DIMS }, signal)
      assert.deepEqual([exists, allowed], [false, engine.reportsPrivileges ? true : null])
      assert.deepEqual(request.body.mappings, (await bodyFor(cluster.name)).mappings)
      assert.ok(command.includes(JSON.stringify(request.body)))
      assert.deepEqual(await create.run({ dims: DIMS }, signal), { created: true })
      const before = await index.mapping()
      await index.destination.prepare({ dims: DIMS }, signal)
      assert.deepEqual(await index.mapping(), before)
      assert.equal((await create.plan({ dims: DIMS }, signal)).exists, true)
      assert.deepEqual(await create.run({ dims: DIMS }, signal), { created: false })
    })
  })
}

describe('a key that may not create the index', () => {
  test('it gets the command that creates it, and creates nothing', async () => {
    await using index = await freshIndex({ body: null, privileges: LEAST })
    const { create } = index.destination
    assert.equal((await create.plan({ dims: DIMS }, signal)).allowed, false)
    await assert.rejects(create.run({ dims: DIMS }, signal), {
      code: 'destination_unauthorized',
      fix: /^Create it with other credentials: curl -X PUT .*"mappings"/,
    })
    assert.equal((await create.plan({ dims: DIMS }, signal)).exists, false)
  })

  test('it is named by the check, as is one that may', async () => {
    for (const [privileges, expected] of [
      [LEAST, /the index does not exist$/],
      [[...LEAST, 'manage'], /the index does not exist; the key may create it$/],
    ] as const) {
      await using index = await freshIndex({ body: null, privileges: [...privileges] })
      const { steps } = await index.destination.check(signal)
      assert.match(steps.find(({ status }) => status === 'failed')?.detail ?? '', expected)
    }
  })
})

function unit(at: number): number[] {
  return Array.from({ length: DIMS }, (_, index) => (index === at ? 1 : 0))
}
