import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import { closeDatabase, type Database, openDatabase } from './database.ts'
import { openVault, otherHolders } from './master-keys.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/all.ts'
import { rotateMasterKey } from './rotate-master-key.ts'
import { createVault, type MasterKey } from './vault.ts'

/** The tests follow each other on one database. */
describe('the master keys of an installation', () => {
  let fresh: FreshDatabase
  let db: Database
  const keyOf = (id: string | null, byte: number): MasterKey => ({ id, key: Buffer.alloc(32, byte) })
  const [old, next, third] = [keyOf(null, 1), keyOf('next', 2), keyOf('third', 3)]
  const open = (...keys: MasterKey[]) => openVault(db, { keys, process: 'test' })
  const opened = async (...keys: MasterKey[]) => {
    const { vault, holder } = await open(...keys)
    await holder.leave()
    return vault
  }
  const workspace = randomUUID()
  const storeSecret = async (sealed: Buffer) => {
    const channel = randomUUID()
    const url = 'https://hooks.acme.example/in'
    await sql`insert into notification_channels (id, workspace_id, url, event_types, enabled, secret, old_secret)
      values (${channel}, ${workspace}, ${url}, '{}', true, ${sealed}, ${sealed})`.execute(db)
    return channel
  }
  const rotate = (...keys: MasterKey[]) =>
    rotateMasterKey(db, { keys, columns: [], renewSecrets: false, report: () => {} })

  before(async () => {
    fresh = await freshDatabase()
    db = openDatabase(fresh.url)
    await migrate(db, migrations)
    await opened(old)
    await db.insertInto('workspaces').values({ id: workspace, organisation_id: null, name: 'W' }).execute()
  })
  after(async () => {
    await closeDatabase(db)
    await fresh.drop()
  })

  test('it forgets a mistaken key that sealed nothing, once no process has it', async () => {
    const { holder } = await open(third, old)
    const held = {
      code: 'secret_unreadable',
      message: /a running process .*"third".*: test$/,
      fix: /third:KEY/,
    }
    await assert.rejects(open(old), held)
    await assert.rejects(open({ ...next, id: 'third' }, old), held)
    await holder.leave()
    await opened({ ...next, id: 'third' }, old)
    await opened(old)
    assert.deepEqual(await db.selectFrom('master_keys').select('id').execute(), [])
  })

  test('it names a key that sealed values and is missing or different', async () => {
    await assert.rejects(open(next), { message: /is not the one this database was set up with/ })
    const { vault, holder } = await open(next, old)
    await storeSecret(vault.seal('token', 'a'))
    await holder.leave()
    const refused = (message: RegExp, ...keys: MasterKey[]) =>
      assert.rejects(open(...keys), {
        code: 'secret_unreadable',
        message,
        fix: /next:KEY.*MILLRACE_MASTER_KEY/,
      })
    await refused(/sealed with the master key "next", which is not listed/, old)
    await refused(/sealed with the master key "next", which is not listed/, { ...next, id: 'x' }, old)
    await refused(/the master key "next" is not the one/, { ...third, id: 'next' }, old)
  })

  test('it knows which processes seal with another key', async () => {
    const { holder } = await open({ ...old, id: 'old' }, next)
    assert.deepEqual(await otherHolders(db, next), ['test'])
    await assert.rejects(rotate(next, old), { code: 'not_possible', message: /another master key: test$/ })
    await holder.leave()
    assert.deepEqual(await otherHolders(db, next), [])
  })

  test('it keeps lookups and secrets through rotations, and never stores an old key', async () => {
    const before_ = createVault(old.key)
    assert.deepEqual(await rotate(next, { ...old, id: 'old' }), {
      ...{ current: 'next', unused: ['old'], unreadable: [] },
    })
    await opened(third, next)
    await rotate(third, next)
    const vault = await opened(third)
    assert.equal(vault.lookup('key'), before_.lookup('key'))
    assert.equal(vault.secretFor('sessions'), before_.secretFor('sessions'))
    const row = await db.selectFrom('installation').select('derived_keys').executeTakeFirstOrThrow()
    const text = createVault([third]).open(row.derived_keys!, 'installation:derived-keys')
    for (const { key } of [old, next, third]) assert.ok(!text.includes(key.toString('base64')))
    await assert.rejects(open(old), { code: 'secret_unreadable' })
  })

  test('it lets no process seal with a key that a rotation has replaced', async () => {
    const fourth = keyOf('fourth', 4)
    const { vault, holder } = await open(third)
    assert.equal(await holder.renew(), true)
    // As if it had been suspended.
    await sql`update master_key_holders set seen_at = now() - interval '61 s'`.execute(db)
    await rotate(fourth, third)
    assert.equal(await holder.renew(), false)
    assert.deepEqual(await otherHolders(db, fourth), [])
    assert.throws(() => vault.seal('token', 'a'), { code: 'secret_unreadable', message: /no longer used/ })
    await opened(third, fourth)
    await rotate(third, fourth)
  })

  test('it seals only while rotations know of the process', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const { vault, holder } = await open(third)
    mock.timers.setTime(Date.now() + 49_000)
    vault.seal('token', 'a')
    mock.timers.setTime(Date.now() + 2_000)
    assert.throws(() => vault.seal('token', 'a'), { code: 'internal', fix: /again/ })
    assert.equal(await holder.renew(), true)
    assert.equal(vault.open(vault.seal('token', 'a'), 'a'), 'token')
    await holder.leave()
  })

  test('it ends in spite of values that no key opens, and names them', async () => {
    await sql`delete from notification_channels`.execute(db)
    const channel = await storeSecret(createVault(Buffer.alloc(32, 99)).seal('lost', 'elsewhere'))
    const bind = ({ id }: { id: string }) => `channel:${id}`
    const table = 'notification_channels' as const
    const columns = ['secret', 'old_secret'].map((column) => ({ table, column, bind }))
    const { unreadable } = await rotateMasterKey(db, {
      ...{ keys: [third], columns, renewSecrets: false, report: () => {} },
    })
    assert.deepEqual(unreadable, [
      `notification_channels.secret of ${channel}`,
      `notification_channels.old_secret of ${channel}`,
    ])
  })

  test('it recognises a named key without its id', async () => {
    const sealed = (await opened({ ...third, id: null })).seal('token', 'a')
    assert.equal(createVault([third]).open(sealed, 'a'), 'token')
    assert.equal(sealed[0], 2)
  })
})
