import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import pg from 'pg'
import { FAST_PACE, type FreshTable, freshTable, urlOfTable } from '../../../test/world/fresh-table.ts'
import { writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { COLUMNS, columnDefinition } from './table.ts'

const { signal } = new AbortController()
const CREATED = COLUMNS.map(columnDefinition)

describe('preparing a table', () => {
  let table: FreshTable
  before(async () => {
    table = await freshTable()
  })
  beforeEach(async () => {
    await table.sql('drop table if exists elements')
  })
  after(() => table[Symbol.asyncDispose]())
  const prepare = (dims: number | null = null) => table.destination.prepare({ dims }, signal)
  const create = (columns: string[]) => table.sql(`create table elements (${columns.join()})`)
  const without = (name: string) => CREATED.filter((each) => !each.startsWith(`${name} `))

  test('it creates columns and indexes once, and vectors with the first workflow that embeds', async () => {
    const report = await table.destination.check(signal)
    assert.equal(report.ok, true)
    assert.match(JSON.stringify(report), /does not exist; the first run creates it/)
    assert.deepEqual(await table.sql('select from pg_class where relname = $1', ['elements']), [])
    const { identity } = await prepare()
    const before = await shapeOf(table)
    assert.deepEqual(await prepare(), { identity })
    assert.deepEqual(await shapeOf(table), before)
    assert.equal(before.indexes.length, 5)
    assert.deepEqual(await prepare(4), { identity })
    assert.deepEqual((await shapeOf(table)).columns, [...before.columns, 'embeddings real[]'])
    assert.deepEqual(await prepare(4), { identity })
    assert.deepEqual(await prepare(null), { identity })
  })

  test('it lets concurrent first jobs prepare one table', async () => {
    const others = await Promise.all([1, 2, 3].map(() => freshTable({ url: urlOfTable(table) })))
    const identities = await Promise.all(
      [table, ...others].map(({ destination }) => destination.prepare({ dims: 8 }, signal)),
    )
    assert.equal(new Set(identities.map(({ identity }) => identity)).size, 1)
    assert.equal((await shapeOf(table)).indexes.length, 5)
    for (const other of others) await other[Symbol.asyncDispose]()
  })

  test('it gives an emptied table another identity', async () => {
    const { identity } = await prepare()
    await table.sql('truncate elements')
    const emptied = await prepare()
    await table.sql('drop table elements')
    const created = await prepare()
    assert.equal(new Set([identity, emptied.identity, created.identity]).size, 3)
  })

  test('it gives a table that was restored from a dump another identity', async () => {
    const { identity } = await prepare()
    await table.destination.write([writeItem('a'), writeItem('b')], 1, signal)
    const columns = 'id, record_id, element_id, type, text, metadata, data_source, fence'
    await table.sql(`create table dump as select ${columns} from elements where element_id <> 'b'`)
    await table.sql('drop table elements')
    await create([...CREATED, 'primary key (id)'])
    await table.sql(`insert into elements (${columns}) select ${columns} from dump`)
    await table.sql('drop table dump')
    const restored = await prepare()
    assert.notEqual(restored.identity, identity)
    await table.sql('vacuum full elements')
    assert.deepEqual(await prepare(4), restored)
    assert.deepEqual(await table.destination.write([writeItem('b')], 2, signal), [])
  })

  test('it adds missing columns and indexes to a table that has rows', async () => {
    await create([
      ...CREATED.filter((each) => !/^(metadata|access|words|title_words) /.test(each)),
      'primary key (id)',
    ])
    await table.sql(`insert into elements (id, record_id, element_id, fence) values ('x', 'r', 'e', 1)`)
    assert.equal((await table.destination.check(signal)).ok, true)
    await prepare(2)
    assert.deepEqual(await table.destination.write([writeItem('a', { embeddings: [1, 2] })], 2, signal), [])
    assert.equal(await table.count(), 2)
  })

  test('it gives way to readers if a long transaction keeps it from adding a column', async () => {
    const { identity } = await prepare()
    await using once = await freshTable({ url: urlOfTable(table), pace: { ...FAST_PACE, attempts: 1 } })
    const backup = new pg.Client({ connectionString: urlOfTable(table) })
    await backup.connect()
    try {
      await backup.query('begin; lock table elements in access share mode')
      await assert.rejects(once.destination.prepare({ dims: 4 }, signal), {
        code: 'destination_overloaded',
        message: /SQLSTATE 55P03/,
      })
    } finally {
      await backup.end()
    }
    assert.deepEqual(await once.destination.prepare({ dims: 4 }, signal), { identity })
  })

  test('it uses a table with more columns, in another schema and with another name', async () => {
    await table.sql('create schema if not exists "Odd Name"')
    const odd = await freshTable({ url: urlOfTable(table), settings: { table_name: 'Odd Name.My-Table' } })
    await odd.destination.prepare({ dims: null }, signal)
    await table.sql('alter table "Odd Name"."My-Table" add column note text default $$n$$ not null')
    assert.deepEqual(await odd.destination.write([writeItem('a')], 1, signal), [])
    assert.equal(await odd.count(), 1)
    await odd[Symbol.asyncDispose]()
  })

  test('it refuses a table that does not fit, with every problem at once, and changes nothing', async () => {
    const cases: [string[], RegExp[]][] = [
      [
        [
          ...without('id').filter((each) => !each.startsWith('fence')),
          'id bigint',
          'note text not null',
          'fence text',
        ],
        [
          /column id is bigint instead of text/,
          /column fence is text instead of bigint/,
          /column id is not the primary key/,
          /column note needs a value/,
        ],
      ],
      [without('record_id'), [/column record_id \(text\) is missing/, /column id is not the primary key/]],
      [[...without('access'), 'access jsonb', 'primary key (id)'], [/column access is not generated/]],
      [
        [
          ...without('access'),
          "access jsonb generated always as (metadata->'access') stored",
          'primary key (id)',
        ],
        [/column access is generated as .*metadata.* instead of data_source->'access'/],
      ],
      [[...without('text'), 'text text not null', 'primary key (id)'], [/column text does not allow null/]],
      [[...CREATED, 'embeddings text', 'primary key (id)'], [/embeddings is text instead of vector or real/]],
      [[...CREATED, 'embeddings real[]', 'primary key (id)'], [/embeddings has no constraint/]],
      [
        [...CREATED, 'embeddings real[] check (array_length(embeddings, 1) = 5)', 'primary key (id)'],
        [/embeddings has 5 dimensions, and the workflow's embedder 4/],
      ],
    ]
    for (const [columns, expected] of cases) {
      await create(columns)
      const before = await shapeOf(table)
      for (const message of expected)
        await assert.rejects(prepare(4), { code: 'destination_schema', message }, String(message))
      assert.deepEqual(await shapeOf(table), before)
      assert.equal(await table.count(), 0)
      await table.sql('drop table elements')
    }
    await table.sql('create view elements as select 1 as id')
    await assert.rejects(prepare(), { code: 'destination_schema', message: /it is not a table/ })
    const report = await table.destination.check(signal)
    assert.equal(report.steps.find(({ status }) => status === 'failed')?.name, 'schema')
    await table.sql('drop view elements')
  })

  test('it refuses parts of a table with other permissions', async () => {
    const open = `access jsonb generated always as ('{"c0":["class:anonymous-users"]}') stored`
    const key = 'primary key (id)'
    const expected = { code: 'destination_schema', message: /table part has another column access/ }
    await create([...CREATED, key])
    await table.sql(`create table part (${open}) inherits (elements)`)
    await assert.rejects(prepare(), expected)
    await table.sql('drop table elements cascade')
    await table.sql(`create table elements (${[...CREATED, key].join()}) partition by hash (id)`)
    const attach = 'alter table elements attach partition part for values with (modulus 1, remainder 0)'
    await table.sql(`create table part (${[...without('access'), open, key].join()}); ${attach}`)
    await assert.rejects(prepare(), expected)
    await table.sql(`drop table part; create table part (${[...CREATED, key].join()}); ${attach}`)
    await prepare()
    assert.deepEqual(await table.destination.write([writeItem('a')], 1, signal), [])
  })

  test('it explains a schema that does not exist', async () => {
    const other = await freshTable({ url: urlOfTable(table), settings: { table_name: 'nowhere.elements' } })
    await assert.rejects(other.destination.prepare({ dims: null }, signal), {
      code: 'destination_index_missing',
      message: /schema "nowhere" does not exist/,
    })
    assert.match((await other.destination.check(signal)).reason ?? '', /schema "nowhere" does not exist/)
    await other[Symbol.asyncDispose]()
  })
})

async function shapeOf(table: FreshTable): Promise<{ columns: string[]; indexes: string[] }> {
  const columns = await table.sql<{ text: string }>(
    `select attname || ' ' || format_type(atttypid, atttypmod) as text from pg_attribute
     where attrelid = 'elements'::regclass and attnum > 0 order by attnum`,
  )
  const indexes = await table.sql<{ text: string }>(
    `select pg_get_indexdef(indexrelid) as text from pg_index where indrelid = 'elements'::regclass order by 1`,
  )
  return { columns: columns.map(({ text }) => text), indexes: indexes.map(({ text }) => text) }
}
