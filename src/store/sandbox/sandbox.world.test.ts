import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { startForcedPooler } from '../../../test/world/forced-pooler.ts'
import { migratedTemplate } from '../../../test/world/migrated-template.ts'
import { testServer } from '../../../test/world/postgres.ts'
import { closeDatabase, type Database, openDatabase } from '../database.ts'
import { createVault } from '../vault.ts'
import { dropSandbox, ensureSandbox, sandboxName, sandboxPassword, sandboxProblem } from './sandbox.ts'
import { addressOf, trySignIn } from './sign-in.ts'

describe('a sandbox', () => {
  const vault = createVault(Buffer.alloc(32, 7))
  const [own, other] = [randomUUID(), randomUUID()]
  const role = sandboxName(own)
  let url: string
  let dropDatabase: () => Promise<void>
  let db: Database
  let session: pg.Client

  before(async () => {
    const { name, drop } = await migratedTemplate()
    dropDatabase = drop
    const address = new URL(await testServer())
    address.pathname = name
    url = address.href
    db = openDatabase(url)
    for (const workspace of [own, other]) {
      await ensureSandbox(db, vault, workspace)
      await inside(workspace, 'create table elements (id text); insert into elements values (1)')
    }
    session = new pg.Client({ ...addressOf(url), ...account(own) })
    session.on('error', () => {})
    await session.connect()
  })
  after(async () => {
    await session.end()
    for (const workspace of [own, other]) await dropSandbox(db, workspace)
    await closeDatabase(db)
    await dropDatabase()
  })

  const account = (workspace: string, key = vault) => ({
    user: sandboxName(workspace),
    password: sandboxPassword(key, workspace),
  })
  async function as(who: { user: string; password: string }, statement: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ ...addressOf(url), ...who })
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.query(statement)
    } finally {
      await client.end()
    }
  }
  const inside = (workspace: string, statement: string) => as(account(workspace), statement)
  const rowsOf = async (statement: string): Promise<Record<string, unknown>[]> =>
    (await sql.raw<Record<string, unknown>>(statement).execute(db)).rows

  const DENIED = '42501'
  async function refused(statement: string): Promise<void> {
    await assert.rejects(session.query(statement), (error: { code?: string; message: string }) => {
      assert.equal(error.code, DENIED, `${statement}: ${error.message}`)
      return true
    })
  }

  test('it writes into its own schema only', async () => {
    const { rows } = await inside(own, 'select * from elements')
    assert.deepEqual(rows, [{ id: '1' }])
    const where = await inside(
      own,
      "select table_schema from information_schema.tables where table_name = 'elements'",
    )
    assert.deepEqual(where.rows, [{ table_schema: role }])
    for (const statement of [
      'create table public.planted (id text)',
      "create function public.lower(text) returns text language sql as 'select 1'",
      'create schema planted',
      'create role planted',
      'create database planted',
      `create table "${sandboxName(other)}".planted (id text)`,
    ])
      await refused(statement)
  })

  test('it reads no table of the service, of the server or of another sandbox', async () => {
    const tables = await rowsOf(`select format('%I.%I', nspname, relname) as name, relkind from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'S') and n.nspname !~ '^pg_|^information_schema$|^${role}$'`)
    assert.ok(tables.length > 40, String(tables.length))
    assert.ok(tables.some(({ name }) => String(name).startsWith(sandboxName(other))))
    for (const { name, relkind } of tables) {
      await refused(`select from ${name}`)
      if (relkind === 'r') await refused(`delete from ${name}`)
    }
    for (const name of [
      'pg_authid',
      'pg_statistic',
      'pg_largeobject',
      'pg_hba_file_rules',
      'pg_subscription',
    ])
      await refused(`select * from ${name}`)
  })

  test('it needs no privilege to drop a sandbox that is not there', async () => {
    const { user, password } = account(own)
    const address = new URL(url)
    Object.assign(address, { username: user, password })
    const plain = openDatabase(address.href)
    try {
      await dropSandbox(plain, randomUUID())
    } finally {
      await closeDatabase(plain)
    }
  })

  test('it takes no other role, reads no file and no large object', async () => {
    const [object] = await rowsOf("select lo_from_bytea(0, 'secret') as id, current_user as service")
    for (const statement of [
      `set role "${sandboxName(other)}"`,
      `set role ${object?.service}`,
      `set session authorization ${object?.service}`,
      `grant ${object?.service} to "${role}"`,
      `grant pg_read_all_data to "${role}"`,
      `alter role "${role}" createrole`,
      `alter role "${role}" connection limit -1`,
      `select lo_get(${object?.id})`,
      "select pg_read_file('postgresql.conf')",
      "copy elements from program 'id'",
      "select lo_import('/etc/passwd')",
    ])
      await refused(statement)
    const queries = await inside(own, `select query from pg_stat_activity where usename <> '${role}'`)
    assert.deepEqual(
      queries.rows.filter(({ query }) => query && query !== '<insufficient privilege>'),
      [],
    )
  })

  test('it has limits, a search path and nothing else', async () => {
    const [found] = await rowsOf(`select rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolreplication,
        rolbypassrls, rolconnlimit, (select count(*)::int from pg_auth_members where member = r.oid) as memberships
      from pg_roles r where rolname = '${role}'`)
    assert.deepEqual(found, {
      ...{ rolsuper: false, rolinherit: false, rolcreaterole: false, rolcreatedb: false },
      ...{ rolreplication: false, rolbypassrls: false, rolconnlimit: 12, memberships: 0 },
    })
    const show = async (name: string) => (await inside(own, `show ${name}`)).rows[0]?.[name]
    assert.deepEqual([await show('search_path'), await show('statement_timeout')], [role, '1min'])
  })

  test('it can be read by the account of the service, for backups', async () => {
    assert.deepEqual(await rowsOf(`select * from "${role}".elements`), [{ id: '1' }])
  })

  test('it is created once by several processes at the same time', async () => {
    const workspace = randomUUID()
    const second = openDatabase(url)
    try {
      await Promise.all([db, second, db, second].map((each) => ensureSandbox(each, vault, workspace)))
      await inside(workspace, 'create table elements (id text)')
    } finally {
      await dropSandbox(second, workspace)
      await closeDatabase(second)
    }
  })

  test('it gets the password of another master key', async () => {
    const changed = createVault(Buffer.alloc(32, 8))
    await ensureSandbox(db, changed, own)
    await trySignIn(addressOf(url), account(own, changed))
    await assert.rejects(inside(own, 'select'), { code: '28P01' })
    await ensureSandbox(db, vault, own)
    await inside(own, 'select')
  })

  test('it does not sign in through a pooler that uses the account of the service', async () => {
    await using pooler = await startForcedPooler(url)
    await assert.rejects(trySignIn(addressOf(pooler.url), account(own)), /another role/)
    await trySignIn(addressOf(url), account(own))
  })

  test('it owns its tables again after a restore on a server without the role', async () => {
    await inside(
      own,
      "create function ranked() returns int language sql as 'select 1'; create view found as select 1",
    )
    await sql.raw(`reassign owned by "${role}" to current_user`).execute(db)
    await sql.raw(`drop owned by "${role}"`).execute(db)
    await sql.raw(`drop role "${role}"`).execute(db)
    await assert.rejects(inside(own, 'select'), { code: '28P01' })
    await ensureSandbox(db, vault, own)
    assert.equal(await trySignIn(addressOf(url), account(own)), true)
    await inside(own, 'alter table elements add column text text; drop function ranked(); drop view found')
    assert.deepEqual((await inside(own, 'select id from elements')).rows, [{ id: '1' }])
  })

  test('it is not usable while another account owns its schema or a table in it', async () => {
    const usable = () => trySignIn(addressOf(url), account(own))
    assert.equal(await usable(), true)
    for (const what of [`table "${role}".elements`, `schema "${role}"`]) {
      await sql.raw(`alter ${what} owner to current_user`).execute(db)
      assert.equal(await usable(), false, what)
      await ensureSandbox(db, vault, own)
      assert.equal(await usable(), true, what)
    }
    await inside(own, `drop table elements; drop schema "${role}"`)
    assert.equal(await usable(), false)
    await ensureSandbox(db, vault, own)
    await inside(own, 'create table elements (id text)')
  })

  test('it leaves nothing behind, even with an open transaction, and can be created again', async () => {
    const client = new pg.Client({ ...addressOf(url), ...account(own) })
    client.on('error', () => {})
    await client.connect()
    await client.query("begin; lock table elements; select lo_from_bytea(0, 'x')")
    await dropSandbox(db, own)
    await client.end().catch(() => {})
    await dropSandbox(db, own)
    assert.deepEqual(await rowsOf(`select from pg_roles where rolname = '${role}'`), [])
    assert.deepEqual(await rowsOf(`select from pg_namespace where nspname = '${role}'`), [])
    await ensureSandbox(db, vault, own)
    await inside(own, 'create table elements (id text)')
  })

  test('it names the statement that an account without the privileges needs', async () => {
    assert.equal(await sandboxProblem(db), null)
    const limited = `millrace_limited_${randomUUID().slice(0, 8)}`
    const address = new URL(url)
    Object.assign(address, { username: limited, password: 'limited' })
    const name = address.pathname.slice(1)
    await sql.raw(`create role ${limited} login password 'limited'`).execute(db)
    const as = openDatabase(address.href)
    try {
      assert.match(
        (await sandboxProblem(as)) ?? '',
        new RegExp(`may not create roles. .*alter role ${limited} createrole`),
      )
      await sql.raw(`alter role ${limited} createrole`).execute(db)
      assert.match(
        (await sandboxProblem(as)) ?? '',
        new RegExp(`grant create on database ${name} to ${limited}`),
      )
      await sql.raw(`grant create on database ${name} to ${limited}`).execute(db)
      assert.equal(await sandboxProblem(as), null)
      const workspace = randomUUID()
      // The second time, it repairs.
      for (const key of [vault, createVault(Buffer.alloc(32, 8))]) {
        await ensureSandbox(as, key, workspace)
        await trySignIn(addressOf(url), account(workspace, key))
      }
      await dropSandbox(as, workspace)
      await sql.raw('create schema planted; grant create on schema planted to public').execute(db)
      assert.match((await sandboxProblem(as)) ?? '', /revoke create on schema planted from public/)
      await sql.raw('drop schema planted').execute(db)
    } finally {
      await closeDatabase(as)
      await sql.raw(`revoke create on database ${name} from ${limited}; drop role ${limited}`).execute(db)
    }
  })
})
