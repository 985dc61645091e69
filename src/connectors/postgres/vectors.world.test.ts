import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import pg from 'pg'
import { type FreshTable, freshTable } from '../../../test/world/fresh-table.ts'
import { type VectorDatabase, vectorDatabase } from '../../../test/world/pgvector.ts'
import { writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { elementKey } from '../kit/stored-element.ts'

const { signal } = new AbortController()
const embeddings = Array.from(Float32Array.from([1e-7, 0.30000001, -Math.PI, 65504.5]))
let fence = 0

describe('vectors in a database with pgvector', () => {
  let database: VectorDatabase
  let table: FreshTable
  let admin: pg.Client
  before(async () => {
    database = await vectorDatabase()
    table = await freshTable({ url: database.url })
    admin = new pg.Client({ connectionString: database.adminUrl })
    await admin.connect()
  })
  beforeEach(() => table.sql('drop table if exists elements'))
  after(async () => {
    await table[Symbol.asyncDispose]()
    await admin.end()
    await database.drop()
  })
  const prepare = (dims: number | null) => table.destination.prepare({ dims }, signal)
  const write = (vector?: number[]) =>
    table.destination.write([writeItem('a', vector ? { embeddings: vector } : {})], ++fence, signal)

  /** The type of the column, and the vector of the element. */
  async function stored(): Promise<{ type: string; vector: number[] | null }> {
    const [row] = await table.sql<{ type: string; vector: number[] | null }>(
      `select format_type(atttypid, atttypmod) as type, (select embeddings::real[] from elements where element_id = 'a') as vector
       from pg_attribute where attrelid = 'elements'::regclass and attname = 'embeddings'`,
    )
    assert.ok(row)
    return { ...row, vector: row.vector?.map(Math.fround) ?? null }
  }

  test('it stores them equal to the bit, and removes them with the embed node', async () => {
    await prepare(4)
    assert.deepEqual(await write(embeddings), [])
    assert.deepEqual(await stored(), { type: 'vector(4)', vector: embeddings })
    assert.equal(await table.destination.search.dims(signal), 4)
    assert.deepEqual(await write(), [])
    assert.deepEqual((await stored()).vector, null)
    const [rejection] = await write([1, 2])
    assert.match(rejection?.error.message ?? '', /its vector has 2 dimensions, and the table 4/)
  })

  test('it refuses columns of other or no dimensions', async () => {
    await prepare(4)
    await assert.rejects(prepare(5), { code: 'destination_schema', message: /has 4 dimensions.* embedder 5/ })
    await table.sql('alter table elements drop column embeddings, add column embeddings vector')
    await assert.rejects(prepare(4), { code: 'destination_schema', message: /embeddings has no dimension/ })
  })

  test('it ranks an element whose vector is zero last', async () => {
    await prepare(2)
    const vectors = { zero: [0, 0], large: [3e38, -3e38], near: [1, 0.1], far: [0, 1] }
    const items = Object.entries(vectors).map(([id, vector]) => writeItem(id, { embeddings: vector }))
    assert.deepEqual(await table.destination.write(items, ++fence, signal), [])
    for (const vector of [
      [1, 0],
      [0, 0],
    ]) {
      const request = { query: 'unmatched', tokens: ['user:u:1'], depth: 5, vector }
      const { ranked } = await table.destination.search.rank(request, signal)
      assert.equal(ranked.length, 4)
      if (vector[0]) assert.equal(ranked[0]?.key, elementKey('wiki.test/1', 'near'))
      assert.equal(
        ranked.every(({ score }) => score >= 0),
        true,
      )
    }
  })

  test('it finds the extension in a schema of its own', async () => {
    await admin.query('create schema extensions; grant usage on schema extensions to public')
    await admin.query('alter extension vector set schema extensions')
    try {
      await prepare(4)
      assert.deepEqual(await write(embeddings), [])
      const [row] = await table.sql<{ vector: string }>(
        "select embeddings::text as vector from elements where element_id = 'a'",
      )
      assert.deepEqual(JSON.parse(row?.vector ?? '').map(Math.fround), embeddings)
      const request = { query: 'text', tokens: ['user:u:1'], depth: 5, vector: embeddings }
      assert.equal((await table.destination.search.rank(request, signal)).ranked.length, 1)
    } finally {
      await admin.query('drop table elements; alter extension vector set schema public')
    }
  })

  test('it installs the extension if the account may, and uses arrays otherwise', async () => {
    await using plain = await withoutExtension()
    await plain.table.destination.prepare({ dims: 4 }, signal)
    assert.equal(await plain.typeOf(), 'real[]')
    await plain.table.sql('drop table elements')
    await using powerful = await freshTable({ url: plain.adminUrl })
    await powerful.destination.prepare({ dims: 4 }, signal)
    assert.equal(await plain.typeOf(), 'vector(4)')
  })
})

async function withoutExtension() {
  const database = await vectorDatabase({ isInstalled: false })
  const table = await freshTable({ url: database.url })
  return {
    table,
    adminUrl: database.adminUrl,
    async typeOf() {
      const [row] = await table.sql<{ type: string }>(
        `select format_type(atttypid, atttypmod) as type from pg_attribute
         where attrelid = 'elements'::regclass and attname = 'embeddings'`,
      )
      return row?.type
    },
    [Symbol.asyncDispose]: async () => {
      await table[Symbol.asyncDispose]()
      await database.drop()
    },
  }
}
