import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { LANGUAGE_CASES, languageCases } from '../../../../test/contract/language-cases.ts'
import { searchCases } from '../../../../test/contract/search-cases.ts'
import { type FreshTable, freshTable } from '../../../../test/world/fresh-table.ts'
import { SAMPLES } from '../../../../test/world/language-samples.ts'
import { vectorDatabase } from '../../../../test/world/pgvector.ts'
import { writeItem } from '../../../../test/world/search-engine/fresh-index.ts'
import { searchHits } from '../../../../test/world/search-hits.ts'
import type { WriteItem } from '../../destination.ts'

const { signal } = new AbortController()
const EVERYBODY = 'class:anonymous-users'
const visitor = [EVERYBODY]
let fence = 0

const SERVERS: Record<string, () => Promise<FreshTable>> = {
  'PostgreSQL without pgvector': () => freshTable(),
  'PostgreSQL with pgvector': async () => {
    const database = await vectorDatabase()
    const table = await freshTable({ url: database.url })
    const dispose = async () => {
      await table[Symbol.asyncDispose]()
      await database.drop()
    }
    return { ...table, [Symbol.asyncDispose]: dispose }
  },
}

function item(id: string, text: string, more: { title?: string; recordId?: string } = {}): WriteItem {
  const { title = 'Page', recordId = 'wiki.test/1' } = more
  return { ...writeItem(id, { text, access: { c0: [EVERYBODY] }, more: { title } }), recordId }
}

for (const [name, fresh] of Object.entries(SERVERS))
  describe(`searching as a person in ${name}`, () => {
    searchCases(async () => {
      const table = await fresh()
      return {
        ...table,
        refresh: async () => {},
        async runNative({ dialect, request, sql }) {
          assert.deepEqual([dialect, request], ['postgresql', null])
          const rows = await table.sql<{ element_id: string }>(sql ?? '')
          return rows.map((row) => row.element_id)
        },
      }
    })
  })

describe('searching by words of other languages in PostgreSQL', () => {
  languageCases(async () => {
    const table = await freshTable()
    await table.destination.prepare({ dims: null }, signal)
    return { ...table, refresh: async () => {}, runNative: async () => [] }
  }, LANGUAGE_CASES)
})

describe('the words of a table', () => {
  let table: FreshTable
  before(async () => {
    table = await freshTable()
    await table.destination.prepare({ dims: null }, signal)
    const languages = Object.entries(SAMPLES).flatMap(([language, sentences]) =>
      sentences.map((sentence, at) => item(`${language}${at}`, sentence)),
    )
    const items = [
      ...languages,
      item('stem', 'Zeppelins were inflated'),
      item('stop', 'whether or not it'),
      item('marks', '“Quoxel”—<b>vornex</b>/tralmit fribble_dand x@zwart.example'),
      item('chinese', '東京都の天気予報'),
      item('capital', 'ÄQUATORTAUFE НАВОДНЕНИЕ'),
      item('often', 'kelp kelp kelp kelp'),
      item('once', 'kelp and more and more and more'),
      item('titled', 'nothing here', { title: 'Marzipan', recordId: 'wiki.test/2' }),
      item('text', 'marzipan is here among a few other words of this text'),
      ...Array.from({ length: 30 }, (_, at) => item(`common${at}`, `granite quarry number ${at}`)),
      item('rare', 'granite and feldspar'),
      item('huge', `${'lorem ipsum dolor '.repeat(40_000)} unreached`),
      item('long', 'y'.repeat(5000)),
    ]
    assert.deepEqual(await table.destination.write(items, ++fence, signal), [])
  })
  after(() => table[Symbol.asyncDispose]())

  const hitsOf = async (query: string, size = 10) =>
    (await searchHits(table.destination.search, { query, tokens: visitor, size, from: 0 }, signal)).hits
  const found = async (query: string) => (await hitsOf(query)).map(({ element_id: id }) => id)

  test('it finds a sentence of every language by its words', async () => {
    for (const [language, [sentence = '']] of Object.entries(SAMPLES))
      assert.equal((await found(sentence))[0], `${language}0`, sentence)
  })

  test('it finds other forms of English words, and stop words if there is nothing else', async () => {
    assert.deepEqual(await found('inflating a zeppelin').then(([first]) => first), 'stem')
    assert.ok((await found('whether IT')).includes('stop'))
    assert.deepEqual((await hitsOf('inflate zeppelins'))[0]?.highlights, [
      '<mark>Zeppelins</mark> were <mark>inflated</mark>',
    ])
  })

  test('it separates words at every mark, and the signs of Chinese', async () => {
    for (const word of ['quoxel', 'VORNEX', 'tralmit', 'dand', 'zwart', '“fribble”'])
      assert.deepEqual(await found(word), ['marks'], word)
    assert.equal((await found('天気'))[0], 'chinese')
    assert.deepEqual((await hitsOf('天'))[0]?.highlights, ['東京都の<mark>天</mark>気予報'])
    assert.deepEqual(await found('äquatortaufe'), ['capital'])
    assert.deepEqual(await found('наводнение'), ['capital'])
  })

  test('it ranks frequent words, rare words and titles higher', async () => {
    assert.deepEqual(await found('kelp'), ['often', 'once'])
    assert.deepEqual((await found('granite feldspar'))[0], 'rare')
    assert.deepEqual(await found('marzipan'), ['titled', 'text'])
  })

  test('it takes any text as a query', async () => {
    const queries = [
      `'`,
      `''`,
      `kelp' | 'x`,
      'kelp & !once:*',
      '\\',
      `\\' "`,
      '<->',
      ':*',
      '()',
      '😀🎉',
      '\0kelp\0',
      '\ud800 kelp',
      '%_$',
      'kelp '.repeat(2000),
      Array.from({ length: 1500 }, (_, at) => `w${at}`).join(' '),
      'y'.repeat(10_000),
      '天'.repeat(10_000),
      `q'; drop table elements; --`,
    ]
    for (const query of queries) {
      const hits = await hitsOf(query)
      assert.equal(hits.length > 0, /kelp|天/.test(query), query.slice(0, 40))
    }
    assert.deepEqual(await found("kelp' | 'x").then((ids) => ids.slice(0, 2)), ['often', 'once'])
  })

  test('it searches the beginning of a text that is too long', async () => {
    assert.deepEqual(await found('lorem'), ['huge'])
    assert.deepEqual(await found('unreached'), [])
  })

  test('it marks escaped passages of long texts, best first', async () => {
    const filler = 'Nothing to see. '.repeat(40)
    await table.destination.write(
      [
        item(
          'passages',
          `${filler}A <b>walrus</b> & a "seal". ${filler}The walrus likes the narwhal. ${filler}`,
        ),
      ],
      ++fence,
      signal,
    )
    const [first = '', second = ''] = (await hitsOf('walrus narwhal'))[0]?.highlights ?? []
    assert.match(first, /The <mark>walrus<\/mark> likes the <mark>narwhal<\/mark>\./)
    assert.match(second, /&lt;b&gt;<mark>walrus<\/mark>&lt;\/b&gt; &amp; a &quot;seal&quot;/)
    assert.ok(first.length < 320 && second.length < 320)
  })

  test('it ignores texts with NUL in tokens, filters and keys', async () => {
    const { search } = table.destination
    const request = { query: 'kelp', depth: 5, tokens: ['user:\0', EVERYBODY] }
    assert.equal((await search.rank(request, signal)).total, 2)
    for (const filters of [{ labels: ['\0'] }, { space_key: ['\0'] }, { ancestors: ['\0/1'] }])
      assert.equal((await search.rank({ ...request, filters }, signal)).total, 0)
    assert.equal((await search.elements({ keys: ['\0'], tokens: visitor }, signal)).size, 0)
  })
})

describe('a large table', () => {
  test('it finds by common words only if the others find nothing readable', async () => {
    await using table = await freshTable()
    const { destination, sql } = table
    await destination.prepare({ dims: null }, signal)
    await sql(
      `insert into elements (id, record_id, element_id, text, data_source, fence)
      select md5(n::text), 'wiki.test/' || n, n, case when n <= 5 then 'gravel basalt' else 'gravel' end,
        jsonb_build_object('access', jsonb_build_object('c0', case when n <= 5 then $1::jsonb else $2::jsonb end)), 1
      from generate_series(1, 11000) as n`,
      [JSON.stringify(['user:miner']), JSON.stringify([EVERYBODY])],
    )
    const total = async (query: string, tokens: string[]) =>
      (await destination.search.rank({ query, tokens, depth: 10 }, signal)).total
    const miner = ['user:miner', EVERYBODY]
    assert.equal(await total('gravel basalt', miner), 5)
    assert.equal(await total('gravel', miner), 11_000)
    assert.equal(await total('gravel obsidian', miner), 11_000)
    assert.equal(await total('gravel basalt', visitor), 10_995)
    assert.equal(await total('', visitor), 10_995)
  })
})

describe('the permission filter', () => {
  const SECRET = 'user:intruder'
  /** Rows that only other programs write. */
  const PLANTED: Record<string, unknown> = {
    none: undefined,
    null: null,
    empty: {},
    'no c0': { c1: [SECRET] },
    'empty c0': { c0: [] },
    'empty c1': { c0: [SECRET], c1: [] },
    'null c1': { c0: [SECRET], c1: null },
    'other c9': { c0: [SECRET], c9: ['user:other'] },
    array: [SECRET],
    text: SECRET,
    number: 7,
    part: { c0: [`${SECRET}2`, 'user'] },
    'object c0': { c0: { [SECRET]: true } },
    'object c1': { c0: [SECRET], c1: { [SECRET]: [] } },
    nested: { c0: [[SECRET]] },
  }
  for (const [name, fresh] of Object.entries(SERVERS))
    test(`it hides rows with any other access in ${name}`, async () => {
      await using table = await fresh()
      const { destination, sql } = table
      await destination.prepare({ dims: 3 }, signal)
      const embeddings = [1, 0, 0]
      const items = Object.keys(PLANTED).map((id) => writeItem(id, { text: 'planted', embeddings }))
      await destination.write(
        [...items, writeItem('own', { text: 'planted', embeddings, access: { c0: [SECRET] } })],
        ++fence,
        signal,
      )
      for (const [id, access] of Object.entries(PLANTED))
        await sql('update elements set data_source = $2 where element_id = $1', [
          id,
          JSON.stringify({ access }),
        ])
      const { search } = destination
      const keys = ['own', ...Object.keys(PLANTED)].map((id) => search.keyOf('wiki.test/1', id))
      const filters = { record_id: ['wiki.test/1'] }
      for (const more of [
        {},
        { vector: [1, 0, 0] },
        { query: '' },
        { filters },
        { facets: ['labels' as const] },
      ]) {
        const { total, ranked } = await search.rank(
          { query: 'planted', tokens: [SECRET], depth: 50, ...more },
          signal,
        )
        assert.deepEqual([total, ranked.map(({ key }) => key)], [1, [keys[0]]], JSON.stringify(more))
        for (const tokens of [[], [''], ['nobody'], ['intruder'], ['millrace_control']])
          assert.deepEqual(await search.rank({ query: 'planted', depth: 50, ...more, tokens }, signal), {
            total: 0,
            ranked: [],
          })
      }
      assert.deepEqual([...(await search.elements({ keys, tokens: [SECRET] }, signal)).keys()], [keys[0]])
    })
})

describe('a table with an HNSW index', () => {
  test('it finds every readable neighbour among many hidden ones', async () => {
    await using table = await SERVERS['PostgreSQL with pgvector']!()
    const { destination, sql, config } = table
    // In a large table, the default of 20,000 ends a scan as early.
    await sql(`select '[1]'::vector; alter database ${config.database} set hnsw.max_scan_tuples = 500`)
    await destination.prepare({ dims: 3 }, signal)
    const items = Array.from({ length: 3000 }, (_, at) =>
      writeItem(`e${at}`, {
        text: `text ${at}`,
        // The index on c0 does not help, so the planner uses that of vectors.
        access: { c0: [EVERYBODY], ...(at % 100 === 99 ? {} : { c1: ['user:other'] }) },
        embeddings: [1, at / 3000, 0],
      }),
    )
    await destination.write(items, ++fence, signal)
    await sql('create index on elements using hnsw (embeddings vector_cosine_ops)')
    await sql('analyze elements')
    const request = { query: 'unrelated', tokens: visitor, depth: 100, vector: [1, 0, 0] }
    const { total, ranked } = await destination.search.rank(request, signal)
    assert.equal(total, 30)
    assert.equal(ranked[0]?.key, destination.search.keyOf('wiki.test/1', 'e99'))
  })
})

describe('a table that is missing', () => {
  test('it is reported by words and by vector', async () => {
    await using table = await freshTable()
    const request = { query: 'x', tokens: visitor, size: 1, from: 0 }
    for (const more of [{}, { vector: [1] }])
      await assert.rejects(searchHits(table.destination.search, { ...request, ...more }, signal), {
        code: 'destination_index_missing',
      })
  })
})
