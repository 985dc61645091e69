import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { Migration } from 'kysely/migration'
import { migrations } from './all.ts'

/**
 * A release runs next to the one before it, so a migration may remove only what that release no longer uses. The name
 * of the migration, and for each statement its beginning and the release that stopped using the thing.
 */
const REMOVED_AFTER: Record<string, [statement: string, unusedSince: string][]> = {}

const [first = '', ...later] = Object.keys(migrations)

describe('migrations after the first', () => {
  for (const name of later)
    test(`it only adds: ${name}`, async () => {
      const allowed = REMOVED_AFTER[name] ?? []
      const found = problemsOf(await statementsOf(migrations[name]!))
      const unexpected = found.filter((each) => !allowed.some(([statement]) => each.includes(statement)))
      assert.deepEqual(unexpected, [])
    })

  test('it excuses only migrations that exist, remove something, and name a release', () => {
    for (const name of Object.keys(REMOVED_AFTER)) assert.ok(later.includes(name), name)
    for (const [, release] of Object.values(REMOVED_AFTER).flat()) assert.match(release, /^\d+\.\d+\.\d+$/)
  })

  test('it reads the statements of a migration', async () => {
    assert.ok((await statementsOf(migrations[first]!)).some((each) => /create table workspaces/.test(each)))
  })
})

describe('a statement that an older process may not survive', () => {
  const created = 'create table news (id uuid)'
  const cases: [string, string[], boolean][] = [
    ['a new table', [created, 'create unique index on news (id)', 'alter table news drop column id'], false],
    ['a new column', ['alter table jobs add column a text'], false],
    ['a new column with a default', ['alter table jobs add column a text not null default 1'], false],
    ['a new index', ['create index on jobs (a)'], false],
    ['a wider column', ['alter table jobs alter column a set default 1'], false],
    ['new rows', ["insert into leases values ('drop table')"], false],
    ['a dropped table', ['drop table jobs'], true],
    ['a dropped column', ['alter table jobs\n add column b int, drop column a'], true],
    ['a dropped index', ['drop index jobs_one_active'], true],
    ['a renamed column', ['alter table jobs rename column a to b'], true],
    ['another type', ['ALTER TABLE "jobs" ALTER COLUMN a TYPE bigint'], true],
    ['another type, in full', ['alter table jobs alter a set data type bigint'], true],
    ['a column that must be set', ['alter table jobs alter column a set not null'], true],
    [
      'a new column that must be set',
      ['alter table jobs add column a text not null, add b int default 1'],
      true,
    ],
    ['a new rule', ['alter table jobs add constraint positive check (a > 0)'], true],
    ['a new key', ['alter table jobs add foreign key (a) references news'], true],
    ['a unique index', ['create unique index jobs_once on jobs (a)'], true],
    ['deleted rows', ['delete from jobs'], true],
    ['an emptied table', ['truncate jobs'], true],
  ]
  for (const [name, statements, isFound] of cases)
    test(`it ${isFound ? 'is' : 'is not'} ${name}`, () => {
      assert.equal(problemsOf(statements).length > 0, isFound)
    })
})

const NARROWING: RegExp[] = [
  /\b(drop|rename|truncate)\b/,
  /^delete from\b/,
  /\balter (column )?\S+ (set data )?type\b/,
  /\bset not null\b/,
  /\badd (constraint|check|unique|primary key|foreign key|exclude)\b/,
  /^create unique index\b/,
]

/** Statements about tables that the same migration creates are left out: no older process knows them. */
function problemsOf(statements: string[]): string[] {
  const texts = statements.map((each) => withoutValues(each))
  const created = texts.flatMap(
    (text) => /^create (?:unlogged )?table (?:if not exists )?(\S+)/.exec(text)?.[1] ?? [],
  )
  return texts.filter((text) => {
    const table =
      /^(?:alter table(?: if exists)?(?: only)?|drop table(?: if exists)?|truncate|delete from) (\S+)/.exec(
        text,
      )
    const indexed = /^create unique index.*? on (?:only )?([^\s(]+)/.exec(text)
    if (created.includes((table ?? indexed)?.[1] ?? '')) return false
    return NARROWING.some((pattern) => pattern.test(text)) || hasRequiredColumn(text)
  })
}

/** `add column … not null` without a default fails the inserts of an older process. */
function hasRequiredColumn(text: string): boolean {
  if (!text.startsWith('alter table')) return false
  const additions = text.split(/\badd (?:column )?/).slice(1)
  return additions.some((each) => /\bnot null\b/.test(each) && !/\b(default|generated)\b/.test(each))
}

/** In lower case, on one line, without comments, quotes and texts. */
function withoutValues(statement: string): string {
  return statement
    .replaceAll(/--.*$/gm, ' ')
    .replaceAll(/\$\$.*?\$\$|'(?:[^']|'')*'/gs, "''")
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

/** What a migration sends, without a database. */
async function statementsOf({ up }: Migration): Promise<string[]> {
  const sent: string[] = []
  const db = new Kysely<never>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (each) => new PostgresIntrospector(each),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => {
      sent.push(query.sql)
    },
  })
  await up(db)
  return sent
}
