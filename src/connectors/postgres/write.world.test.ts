import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type FreshTable, freshTable, urlOfTable } from '../../../test/world/fresh-table.ts'
import { writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import type { WriteItem } from '../destination.ts'

const { signal } = new AbortController()
const RECORD = 'wiki.test/1'
let fence = 0

describe('writing to a table', () => {
  let table: FreshTable
  before(async () => {
    table = await freshTable({ settings: { batch_size: 10 } })
  })
  beforeEach(async () => {
    await table.sql('drop table if exists elements')
    await table.destination.prepare({ dims: 3 }, signal)
  })
  after(() => table[Symbol.asyncDispose]())
  const write = (...items: WriteItem[]) => table.destination.write(items, ++fence, signal)
  const rowOf = async (id: string) => (await table.source(RECORD, id)) ?? assert.fail(`${id} is missing`)

  test('it stores vectors equal to the bit and everything else as written', async () => {
    const embeddings = Array.from(Float32Array.from([1e-7, 0.30000001, -Math.PI]))
    const item = writeItem('a', { embeddings, text: 'ein „Text“ – 水車 🌊' })
    assert.deepEqual(await write(item, writeItem('b')), [])
    const { element, dataSource } = item
    const { embeddings: stored, ...row } = await rowOf('a')
    assert.deepEqual((stored as number[]).map(Math.fround), embeddings)
    assert.deepEqual(row, {
      record_id: RECORD,
      element_id: 'a',
      type: element.type,
      text: element.text,
      metadata: { ...element.metadata, data_source: dataSource },
    })
    assert.equal((await rowOf('b')).embeddings, null)
  })

  test('it removes the vector of an element that is written without one', async () => {
    await write(writeItem('a', { embeddings: [1, 2, 3] }))
    assert.deepEqual((await rowOf('a')).embeddings, [1, 2, 3])
    await write(writeItem('a'))
    assert.equal((await rowOf('a')).embeddings, null)
  })

  test('it drops NUL characters and lone surrogates, and keeps their spelling', async () => {
    const item = writeItem('a', {
      text: 'a\0b \ud800 c \\u0000 😀',
      more: { title: 'x\0y', 'k\0': ['\udc00'] },
    })
    assert.deepEqual(await write(item), [])
    const { text, metadata } = await rowOf('a')
    assert.equal(text, 'ab \ufffd c \\u0000 😀')
    const { title, k } = (metadata as { data_source: { title: string; k: string[] } }).data_source
    assert.deepEqual([title, k], ['xy', ['\ufffd']])
  })

  test('it stores texts and words that are too long for text search', async () => {
    const words = Array.from({ length: 400_000 }, (_, at) => `wort${at}`).join(' ')
    const sign = (at: number) => String.fromCodePoint(0x2_0000 + ((at * 7) % 60_000))
    const texts = {
      words,
      pairs: Array.from({ length: 60_000 }, (_, at) => sign(at)).join(''),
      word: 'x'.repeat(3_000_000),
      wide: '水'.repeat(1_000_000),
      marks: '-/.@'.repeat(200_000),
    }
    const items = Object.entries(texts).map(([id, text]) => writeItem(id, { text, more: { title: text } }))
    assert.deepEqual(await write(...items), [])
    for (const [id, text] of Object.entries(texts)) assert.equal((await rowOf(id)).text === text, true, id)
  })

  test('it rejects only the elements whose vectors do not fit', async () => {
    const bad = { short: [1, 2], nan: [1, 2, Number.NaN], endless: [1, 2, 1e300] }
    const items = Object.entries(bad).map(([id, embeddings]) => writeItem(id, { embeddings }))
    const rejections = await write(...items, writeItem('good', { embeddings: [1, 2, 3] }))
    assert.deepEqual(
      rejections.map(({ elementId, error }) => [elementId, error.code]),
      Object.keys(bad).map((id) => [id, 'destination_rejected']),
    )
    assert.match(rejections[0]?.error.message ?? '', /short: its vector has 2 dimensions, and the table 3/)
    assert.equal(await table.count(), 1)
  })

  test('it rejects only the element that PostgreSQL refuses, without quoting it', async () => {
    await table.sql("alter table elements add constraint no_secrets check (text not like '%hunter2%')")
    await table.sql("alter table elements add constraint known check (data_source->>'title' <> 'hunter2')")
    const items = Array.from({ length: 25 }, (_, at) => writeItem(`e${at}`))
    const bad = items[13] ?? assert.fail()
    bad.element.text = 'the password is hunter2'
    const rejections = await write(...items)
    assert.deepEqual(
      rejections.map(({ elementId }) => elementId),
      ['e13'],
    )
    const { message, code } = rejections[0]?.error ?? assert.fail()
    assert.equal(code, 'destination_rejected')
    assert.match(
      message,
      /e13: a constraint of the table refuses it \(SQLSTATE 23514, constraint no_secrets\)/,
    )
    assert.doesNotMatch(JSON.stringify(rejections), /hunter2/)
    assert.equal(await table.count(), 24)
    const access = items.slice(0, 3).map(({ element, dataSource }, at) => ({
      recordId: RECORD,
      elementIds: [element.element_id],
      dataSource: { ...dataSource, title: at === 1 ? 'hunter2' : 'new' },
    }))
    const refused = await table.destination.updateAccess(access, ++fence, signal)
    assert.deepEqual(
      refused.map(({ elementId }) => elementId),
      ['e1'],
    )
  })

  test('it rejects ids that are too long for an index', async () => {
    const recordId = Array.from({ length: 20_000 }, () => Math.random().toString(36).at(-1)).join('')
    const rejections = await write({ ...writeItem('long'), recordId }, writeItem('a'))
    assert.equal(rejections.length, 1)
    assert.match(rejections[0]?.error.message ?? '', /a value is too long \(SQLSTATE 54000\)/)
    assert.equal(await table.count(), 1)
  })

  test('it does not depend on settings of the role', async () => {
    const name = table.config.database
    const settings = {
      client_encoding: 'latin1',
      standard_conforming_strings: 'off',
      default_transaction_isolation: 'serializable',
      search_path: 'pg_catalog',
    }
    const set = (values: [string, string | null][]) =>
      table.sql(
        values
          .map(([key, value]) => `alter database ${name} ${value ? `set ${key} = ${value}` : `reset ${key}`}`)
          .join(';'),
      )
    await set(Object.entries(settings))
    const other = await freshTable({ url: urlOfTable(table), settings: { table_name: 'others' } })
    try {
      await other.destination.prepare({ dims: 3 }, signal)
      const item = writeItem('a', { text: "„水車“ it's \\n", embeddings: [1, 2, 3] })
      assert.deepEqual(await other.destination.write([item], ++fence, signal), [])
      const [row] = await table.sql<{ text: string }>("select text from others where element_id = 'a'")
      assert.equal(row?.text, item.element.text)
      const { ranked } = await other.destination.search.rank(
        { query: '水車', tokens: ['user:u:1'], depth: 5, vector: [1, 2, 3] },
        signal,
      )
      assert.equal(ranked.length, 1)
    } finally {
      await other[Symbol.asyncDispose]()
      await set(Object.keys(settings).map((key) => [key, null]))
    }
  })

  test('it runs no function or operator that another role left in a schema', async () => {
    const planted = [
      ...['hashtextextended(text, int) returns bigint', 'jsonb_build_object(text, text) returns jsonb'],
      ...['ts_rank(text, tsvector, tsquery) returns real', 'unnest(text[]) returns setof text'],
      ...['setweight(tsvector, text) returns tsvector', 'to_tsvector(text, text) returns tsvector'],
      ...['ts_lexize(text, text) returns text[]', 'joined(real[], real[]) returns real[]'],
    ]
    const own = await freshTable()
    try {
      for (const signature of planted)
        await own.sql(
          `create function ${signature} immutable language plpgsql as 'begin raise exception ''planted''; end'`,
        )
      await own.sql('create operator || (leftarg = real[], rightarg = real[], function = joined)')
      const { destination } = own
      await destination.prepare({ dims: 3 }, signal)
      const item = writeItem('a', { text: 'the water', embeddings: [1, 2, 3] })
      assert.deepEqual(await destination.write([item], ++fence, signal), [])
      assert.equal(await destination.control.write('w', { epoch: 'e', fence }, signal), true)
      const reader = { query: 'the water', tokens: ['user:u:1'] }
      const { ranked } = await destination.search.rank({ ...reader, depth: 5, vector: [1, 2, 3] }, signal)
      const keys = ranked.map(({ key }) => key)
      assert.equal((await destination.search.elements({ ...reader, keys }, signal)).size, 1)
    } finally {
      await own[Symbol.asyncDispose]()
    }
  })

  test('it keeps the last of equal elements in one call', async () => {
    assert.deepEqual(await write(writeItem('a', { text: 'first' }), writeItem('a', { text: 'last' })), [])
    assert.equal((await rowOf('a')).text, 'last')
    const access = ['first', 'last'].map((title) => ({
      recordId: RECORD,
      elementIds: ['a'],
      dataSource: { title },
    }))
    assert.deepEqual(await table.destination.updateAccess(access, ++fence, signal), [])
    assert.deepEqual((await rowOf('a')).metadata, {
      ...writeItem('a').element.metadata,
      data_source: { title: 'last' },
    })
  })

  test('it lets concurrent writers of the same elements finish, and the highest fence wins', async () => {
    const items = Array.from({ length: 60 }, (_, at) => writeItem(`e${at}`))
    const other = await freshTable({ url: urlOfTable(table), settings: { batch_size: 7 } })
    fence += 20
    const base = fence
    await Promise.all(
      Array.from({ length: 8 }, async (_, at) => {
        const { destination } = at % 2 ? table : other
        const mine = items.map((item) => ({ ...item, element: { ...item.element, text: `by ${at}` } }))
        await destination.write(at % 3 ? mine : mine.reverse(), base - at, signal)
        const elementIds = items.map(({ element }) => element.element_id)
        await destination.updateAccess(
          [{ recordId: RECORD, elementIds, dataSource: { at } }],
          base - at,
          signal,
        )
        await destination.remove([{ recordId: RECORD, elementIds }], base - 8 - at, signal)
      }),
    )
    await other[Symbol.asyncDispose]()
    const rows = await table.sql<{ text: string; at: number; count: number }>(
      `select text, (data_source->'at')::int as at, count(*)::int from elements
       where element_id <> 'millrace_control' group by 1, 2`,
    )
    assert.deepEqual(rows, [{ text: 'by 0', at: 0, count: 60 }])
  })

  test('it writes nothing into a table that was emptied or created again', async () => {
    const { destination } = table
    const elements = [{ recordId: RECORD, elementIds: ['a'], dataSource: {} }]
    const calls = {
      write: () => write(writeItem('a')),
      updateAccess: () => destination.updateAccess(elements, ++fence, signal),
      remove: () => destination.remove(elements, ++fence, signal),
      held: () => destination.inspect.stored(elements, signal),
      control: () => destination.control.write('flow', { epoch: 'e', fence: ++fence }, signal),
      'read control': () => destination.control.read('flow', signal),
    }
    const another = await freshTable({ url: urlOfTable(table) })
    const losses = {
      'truncate elements': false,
      'delete from elements': false,
      'drop table elements': false,
      'alter table elements rename to elsewhere': true,
    }
    for (const [loss, isPrepared] of Object.entries(losses)) {
      await destination.prepare({ dims: 3 }, signal)
      assert.deepEqual(await write(writeItem('a')), [])
      await table.sql(loss)
      if (isPrepared) await another.destination.prepare({ dims: 3 }, signal)
      for (const [name, call] of Object.entries(calls))
        await assert.rejects(call, { code: 'destination_index_missing' }, `${name} after ${loss}`)
      if (!loss.startsWith('drop')) assert.equal(await table.count(), 0, loss)
      await table.sql('drop table if exists elements')
    }
    await table.sql('drop table elsewhere')
    await another[Symbol.asyncDispose]()
  })

  test('it reports rows that a trigger keeps in the table although they were removed', async () => {
    await write(writeItem('a'), writeItem('b'))
    await table.sql(`create function kept() returns trigger language plpgsql as
      $$ begin return case when old.element_id = 'b' then null else old end; end $$`)
    await table.sql('create trigger kept before delete on elements for each row execute function kept()')
    const remove = (elementIds: string[], at: number) =>
      table.destination.remove([{ recordId: RECORD, elementIds }], at, signal)
    await assert.rejects(remove(['a', 'b'], ++fence), {
      code: 'destination_schema',
      message: /a trigger keeps rows/,
    })
    await remove(['b'], 0)
    await table.sql('drop trigger kept on elements')
    await remove(['a', 'b', 'c'], ++fence)
    assert.equal(await table.count(), 0)
  })

  test('it lists rows of every writer in pages, without control rows', async () => {
    await write(writeItem('a'))
    await table.destination.control.write('flow', { epoch: 'e', fence: ++fence }, signal)
    await table.sql(`insert into elements (id, record_id, element_id, data_source, fence)
      select 'other' || n, 'elsewhere', 'x' || n, '{"record_locator": {"space_key": "S"}}', 1
      from generate_series(1, 1500) as n`)
    const { inventory, inventoryPage } = table.destination.inspect
    const pages = await Array.fromAsync(inventory(signal))
    assert.deepEqual(
      pages.flat().filter(({ recordId }) => recordId !== ''),
      [{ recordId: RECORD, elementId: 'a', scopeKey: 'MILL' }],
    )
    assert.equal(pages.flat().filter(({ scopeKey }) => scopeKey === 'S').length, 1500)
    const first = await inventoryPage?.(null, signal)
    const second = await inventoryPage?.(first?.next ?? assert.fail(), signal)
    assert.deepEqual([...(first?.listed ?? []), ...(second?.listed ?? [])], pages.flat())
    assert.equal(second?.next, null)
  })
})
