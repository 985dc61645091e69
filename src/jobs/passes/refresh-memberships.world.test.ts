import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../../test/world/postgres.ts'
import type { Source } from '../../connectors/source.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import { type Naming, siteNaming } from '../../permissions/principals.ts'
import { raiseRevision } from '../../store/connectors/connectors.ts'
import { forgetMemberships, pruneMemberships } from '../../store/connectors/stored-memberships.ts'
import { closeDatabase, type Database, openDatabase } from '../../store/database.ts'
import { migrate } from '../../store/migrate.ts'
import { migrations } from '../../store/migrations/all.ts'
import { keepMembership, keptMembership, refreshMemberships } from './refresh-memberships.ts'

const { signal } = new AbortController()
const sourceId = randomUUID()

describe('stored memberships', () => {
  let fresh: FreshDatabase
  let db: Database
  before(async () => {
    fresh = await freshDatabase()
    db = openDatabase(fresh.url)
    await migrate(db, migrations)
    await sql`with w as (insert into workspaces (id, name) values (${randomUUID()}, 'mill') returning id)
      insert into connectors (id, workspace_id, kind, name, type, config, wire)
      select ${sourceId}::uuid, w.id, 'source', 'wiki', 'wiki', '{}', '{}' from w`.execute(db)
  })
  beforeEach(() => sql`delete from memberships`.execute(db))
  after(async () => {
    await closeDatabase(db)
    await fresh.drop()
  })

  const site = { name: 'wiki.test', naming: siteNaming('wiki.test', 'per site') }
  const keep = (person: string, groups: string[], naming: Naming = site.naming) =>
    keepMembership(
      db,
      { sourceId, person },
      {
        site: { ...site, naming },
        belonging: { account: 'known', groups, classes: ['authenticated-users'] },
        readAt: new Date(),
        isUsed: true,
        revision: 0,
      },
    )
  const groupsOf = async (person: string) =>
    (await keptMembership(db, { sourceId, person }))?.belonging?.groups ?? null
  const used = (person: string, days: number) =>
    sql`update memberships set used_on = current_date - ${days}::int, read_at = now() - ${days} * interval '1 day'
      where person = ${person}`.execute(db)
  const people = async () =>
    (await sql<{ person: string }>`select person from memberships order by person`.execute(db)).rows.map(
      ({ person }) => person,
    )

  /** A source whose people are in the group `now`; `asked` records the people. */
  function source(
    fails: string[] = [],
    code: ErrorCode = 'source_unreachable',
  ): { source: Source; asked: string[] } {
    const asked: string[] = []
    const groups = async (person: string) => {
      asked.push(person)
      if (fails.includes(person)) throw new AppError(code, 'reading groups failed')
      return { account: 'known' as const, groups: ['now'], classes: [] }
    }
    const directory = { site: async () => site, people: { find: async () => [], groupsOf: groups } }
    // The function under test uses only these two.
    return { source: directory as unknown as Source, asked }
  }

  test('it returns the stored groups under the names of their site', async () => {
    await keep('ann', ['millers'])
    const kept = await keptMembership(db, { sourceId, person: 'ann' })
    assert.deepEqual(kept?.belonging, {
      account: 'known',
      groups: ['millers'],
      classes: ['authenticated-users'],
    })
    assert.equal(kept?.site.naming.group('millers'), 'wiki.test/millers')
    assert.equal(kept?.site.naming.class('authenticated-users'), 'wiki.test/authenticated-users')
    assert.equal(await groupsOf('bob'), null)
  })

  test('it does not store names that it could not restore, or a person with NUL', async () => {
    await keep('ann', ['millers'], { group: (id) => `odd:${id}`, class: (name) => name })
    await keep('b\0b', ['millers'])
    assert.deepEqual(await people(), [])
    assert.equal(await groupsOf('b\0b'), null)
  })

  test('it reads people of the last seven days again, the oldest answer first', async () => {
    for (const [person, days] of [
      ['ann', 1],
      ['bob', 5],
      ['old', 8],
    ] as const) {
      await keep(person, ['before'])
      await used(person, days)
    }
    const wiki = source()
    assert.deepEqual(await refreshMemberships(db, { source: wiki.source, sourceId, revision: 0 }, signal), {
      read: 2,
      error: null,
    })
    assert.deepEqual(wiki.asked, ['bob', 'ann'])
    assert.deepEqual(
      [await groupsOf('ann'), await groupsOf('bob'), await groupsOf('old')],
      [['now'], ['now'], ['before']],
    )
  })

  test('it does not count a refresh as a use', async () => {
    await keep('ann', ['before'])
    await used('ann', 6)
    await refreshMemberships(db, { source: source().source, sourceId, revision: 0 }, signal)
    const { rows } = await sql<{ days: number }>`select current_date - used_on as days
      from memberships`.execute(db)
    assert.deepEqual(rows, [{ days: 6 }])
  })

  test('it stops at an error of the source and keeps the other answers', async () => {
    for (const person of ['ann', 'bob']) await keep(person, ['before'])
    await used('bob', 2)
    const wiki = source(['bob'])
    const { read, error } = await refreshMemberships(
      db,
      { source: wiki.source, sourceId, revision: 0 },
      signal,
    )
    assert.deepEqual([read, error?.code, wiki.asked], [0, 'source_unreachable', ['bob']])
    assert.deepEqual([await groupsOf('ann'), await groupsOf('bob')], [['before'], ['before']])
  })

  test('it goes on after an error that concerns one person', async () => {
    for (const person of ['ann', 'bob']) await keep(person, ['before'])
    await used('bob', 2)
    const wiki = source(['bob'], 'source_failed')
    const { read, error } = await refreshMemberships(
      db,
      { source: wiki.source, sourceId, revision: 0 },
      signal,
    )
    assert.deepEqual([read, error?.code, wiki.asked], [1, 'source_failed', ['bob', 'ann']])
    assert.deepEqual([await groupsOf('ann'), await groupsOf('bob')], [['now'], ['before']])
  })

  test('it does not store the answer of a site or account that the source no longer has', async () => {
    await keep('ann', ['before'])
    await forgetMemberships(db, sourceId)
    await raiseRevision(db, sourceId)
    await keep('ann', ['late'])
    assert.equal(await groupsOf('ann'), null)
    await sql`update connectors set revision = 0 where id = ${sourceId}::uuid`.execute(db)
  })

  test('it forgets people that were not used for 30 days', async () => {
    for (const [person, days] of [
      ['ann', 30],
      ['bob', 31],
    ] as const) {
      await keep(person, [])
      await used(person, days)
    }
    await pruneMemberships(db)
    assert.deepEqual(await people(), ['ann'])
  })
})
