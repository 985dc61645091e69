import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { matches, pagesOf, SITE } from '../../../../test/oracle/comparison.ts'
import { may } from '../../../../test/oracle/oracle.ts'
import { ALL_READABLE, randomWiki } from '../../../../test/oracle/random-wiki.ts'
import { readerOf } from '../../../../test/oracle/readers.ts'
import { resolverOf } from '../../../../test/oracle/resolvers.ts'
import { configOf, type FreshTable, freshTable } from '../../../../test/world/fresh-table.ts'
import { type VectorDatabase, vectorDatabase } from '../../../../test/world/pgvector.ts'
import { writeItem } from '../../../../test/world/search-engine/fresh-index.ts'
import { NO_ONE_TOKEN, personTokens, siteNaming } from '../../../permissions/principals.ts'
import { readableCondition } from './readable.ts'

const page = await readFile(join(import.meta.dirname, '../../../../docs/connectors/postgres.md'), 'utf8')
/** The sections about reading; others have tests of their own. */
const SECTIONS = ['Search', 'A view for other readers', 'Row-level security']
const sections = page
  .split(/^## /m)
  .filter((section) => SECTIONS.some((name) => section.startsWith(`${name}\n`)))
const blocks = [...sections.join('').matchAll(/^```sql (.*)\n([\s\S]*?)^```$/gm)].map(
  ([, info = '', text = '']) => ({
    info,
    text,
  }),
)
const the = (info: string): string => {
  const found = blocks.filter((block) => block.info === info)
  assert.equal(found.length, 1, `one block ${info}`)
  return found[0]?.text ?? ''
}
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll('( ', '(').trim()
const { signal } = new AbortController()
const ADA = ['user:557058:ada', 'group:millers', 'class:anonymous-users']
const VISITOR = ['class:anonymous-users']

describe('the SQL on the page about PostgreSQL', () => {
  let database: VectorDatabase
  let table: FreshTable
  let reader: pg.Client
  const assistant = `assistant_${crypto.randomUUID().replaceAll('-', '')}`
  const asOwner = (info: string) => table.sql(the(info).replaceAll('assistant', assistant))
  /** The rows that a statement returns for a reader with these tokens. */
  const read = async <Row extends object>(text: string, tokens: string[] | null): Promise<Row[]> => {
    await reader.query('begin')
    try {
      if (tokens)
        await reader.query("select set_config('millrace.tokens', $1, true)", [JSON.stringify(tokens)])
      return (await reader.query(text)).rows as Row[]
    } finally {
      await reader.query('rollback')
    }
  }
  const idsIn = async (name: string, tokens: string[] | null) =>
    (
      await read<{ element_id: string }>(
        `select element_id from ${name} order by element_id collate "C"`,
        tokens,
      )
    ).map((row) => row.element_id)

  before(async () => {
    database = await vectorDatabase()
    table = await freshTable({ url: database.url })
    const { destination } = table
    await destination.prepare({ dims: 3 }, signal)
    const item = (id: string, access: unknown) =>
      writeItem(id, { text: `water of ${id}`, embeddings: [1, 0, 0], more: { access } })
    await destination.write(
      [
        item('ada', { c0: ['group:millers'], c1: ['user:557058:ada'] }),
        item('bob', { c0: ['group:millers'], c1: ['user:557058:bob'] }),
        item('space', { c0: ['group:millers'] }),
        item('open', { c0: ['class:anonymous-users'] }),
        item('closed', { c0: [NO_ONE_TOKEN] }),
        item('late', { c0: ['class:anonymous-users'], c7: [NO_ONE_TOKEN] }),
        item('bare', undefined),
        item('empty', {}),
      ],
      1,
      signal,
    )
    await destination.control.write('w', { epoch: 'e', fence: 1 }, signal)
    const admin = new pg.Client(database.adminUrl)
    await admin.connect()
    await admin.query(`create role ${assistant} login password 'secret'`)
    await admin.end()
    const { host, port, database: name } = configOf(database.url)
    reader = new pg.Client({ host, port, database: name, user: assistant, password: 'secret' })
    await reader.connect()
    await table.sql('analyze elements')
    await asOwner('view')
  })
  after(async () => {
    await reader.end()
    await table[Symbol.asyncDispose]()
    const admin = new pg.Client(database.adminUrl)
    await admin.connect()
    await admin.query(`drop owned by ${assistant}; drop role ${assistant}`)
    await admin.end()
    await database.drop()
  })

  test('it has the condition that searches use', () => {
    assert.equal(oneLine(the('condition')), oneLine(readableCondition('$1::text[]')))
    const tokens = '(select millrace_tokens())'
    for (const info of ['view', 'policy'])
      assert.ok(oneLine(the(info)).includes(oneLine(readableCondition(tokens))), info)
    assert.deepEqual(
      blocks.map(({ info }) => info).filter((info) => !KINDS.has(info)),
      [],
    )
  })

  test('it shows readers of the view what they may read, and nothing without tokens', async () => {
    assert.deepEqual(await idsIn('readable_elements', ADA), ['ada', 'open', 'space'])
    assert.deepEqual(await idsIn('readable_elements', VISITOR), ['open'])
    for (const tokens of [null, [], [''], ['millrace_control']])
      assert.deepEqual(await idsIn('readable_elements', tokens), [])
    await reader.query(the('reading'))
    assert.deepEqual(await idsIn('readable_elements', null), [], 'the setting ends with its transaction')
    await assert.rejects(read('select from elements', ADA), { code: '42501' })
  })

  test('it shows them the same in the table under row-level security', async () => {
    await asOwner('policy')
    assert.deepEqual(await idsIn('elements', ADA), ['ada', 'open', 'space'])
    assert.deepEqual(await idsIn('elements', VISITOR), ['open'])
    for (const tokens of [null, [], ['millrace_control']])
      assert.deepEqual(await idsIn('elements', tokens), [])
    for (const text of ["update elements set text = ''", 'delete from elements'])
      await assert.rejects(read(text, ADA), { code: '42501' })
  })

  test('it shows no other row through functions, errors, plans or statistics', async () => {
    const seen: string[] = []
    reader.on('notice', ({ message = '' }) => seen.push(message))
    const { sql } = table
    await sql(`create schema leaks; grant create, usage on schema leaks to ${assistant}`)
    await reader.query(`create function leaks.show(text) returns boolean language plpgsql cost 0.0000001 as
      'begin raise notice ''%'', $1; return true; end'`)
    for (const name of ['readable_elements', 'elements']) {
      await read(`select from ${name} where leaks.show(text) and leaks.show(data_source::text)`, VISITOR)
      await read(`select from ${name} where 1 / (case when text like '%bob%' then 0 else 1 end) = 1`, VISITOR)
      await read(`select from ${name} where text::int = 1`, VISITOR).catch((error: Error) =>
        seen.push(error.message),
      )
      const plan = await read<Record<string, string>>(
        `explain (analyze, verbose) select * from ${name} where leaks.show(text)`,
        VISITOR,
      )
      seen.push(...plan.map((row) => row['QUERY PLAN'] ?? ''))
      const stats = await read('select most_common_elems, histogram_bounds from pg_stats', VISITOR)
      seen.push(...stats.map((row) => JSON.stringify(row)))
      const words = await read(`select * from ts_stat('select words from ${name}')`, VISITOR)
      seen.push(...words.map((row) => JSON.stringify(row)))
    }
    assert.ok(seen.some((text) => text.includes('water of open')))
    assert.deepEqual(
      seen.filter((text) => /\b(ada|bob|space|closed|late|bare|empty)\b/.test(text)),
      [],
    )
  })

  test('it takes no tokens from a function that another role left in a schema', async () => {
    const { sql } = table
    await sql(`create function planted(text[], text) returns text[] language sql as
      'select array[''group:millers'', ''user:557058:bob'']'`)
    await sql('create aggregate array_agg(text) (sfunc = planted, stype = text[])')
    for (const name of ['readable_elements', 'elements'])
      assert.deepEqual(await idsIn(name, VISITOR), ['open'], name)
    await sql('drop aggregate array_agg(text); drop function planted')
  })

  test('it gives Millrace as another role all rows', async () => {
    await table.sql(`grant select on elements to ${assistant}`)
    const policy = the('writer')
      .replace('policy millrace', 'policy writer')
      .replace('to millrace', `to ${assistant}`)
    await table.sql(policy)
    assert.equal((await idsIn('elements', null)).filter((id) => id !== 'millrace_control').length, 8)
    await table.sql('drop policy writer on elements')
  })

  test('it agrees with the oracle on random wikis', async () => {
    const { destination, sql } = table
    let cases = 0
    for (const [at, wiki] of fc
      .sample(randomWiki({ unprovable: false }), { seed: 15, numRuns: 60 })
      .entries()) {
      await sql("delete from elements where element_id <> 'millrace_control'")
      const written = resolverOf()(wiki, ALL_READABLE)
      const items = pagesOf(wiki).map((node) => writeItem(node.id, { access: written(node).clauses }))
      assert.deepEqual(await destination.write(items, at + 2, signal), [])
      for (const person of wiki.accounts) {
        const reader = readerOf(wiki, person)
        const tokens = personTokens(reader, siteNaming(SITE, 'per site'))
        const expected = pagesOf(wiki)
          .filter((node) => may(wiki, person, node, 'read'))
          .map(({ id }) => id)
          .sort()
        const byClauses = pagesOf(wiki).filter((node) => matches(reader, written(node).clauses))
        assert.equal(byClauses.length, expected.length)
        for (const name of ['readable_elements', 'elements'])
          assert.deepEqual(await idsIn(name, tokens), expected, `${person.id} in ${name}`)
        const { ranked } = await destination.search.rank({ query: '', tokens, depth: 1000 }, signal)
        assert.equal(ranked.length, expected.length)
        cases += items.length
      }
    }
    assert.ok(cases > 1000, `${cases} cases`)
  })
})

const KINDS = new Set(['condition', 'view', 'reading', 'policy', 'writer', 'not run'])
