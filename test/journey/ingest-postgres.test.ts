import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertAgreement, byPage, contents } from '../world/agreement.ts'
import {
  assertCountsAddUp,
  assertNoSecretPrinted,
  elementSources,
  type IngestWorld,
  openIngest,
  type Seen,
  WITHOUT_VECTORS,
  wikiPart,
} from '../world/ingest.ts'
import { type TableDestination, tableOf } from '../world/table-destination.ts'

describe('millrace-ingest with PostgreSQL', () => {
  let world: IngestWorld
  let seen: Seen
  let table: TableDestination
  let job: string
  before(async () => {
    world = await openIngest({ seed: 9, pages: 24, spaces: 2, people: 8, groups: 3 })
    const fresh = await world.freshDestination('postgres')
    seen = fresh.seen
    table = tableOf(seen)
    const { destination } = fresh
    job = await world.job('job.yaml', { source: wikiPart(world.wiki), destination, nodes: WITHOUT_VECTORS })
  })
  after(() => world.close())

  const runJob = async (...args: string[]) => {
    const ran = await world.run(['run', job, '--json', ...args])
    assert.equal(ran.code, 0, ran.out + ran.err)
    return assertCountsAddUp(ran).done.counts
  }
  const tables = () => table.query("select from pg_tables where schemaname = 'public'")

  test('it checks both connections and creates nothing', async () => {
    const { code, out, err } = await world.run(['check', job])
    assert.equal(code, 0, out + err)
    assert.match(out, /the source works[\s\S]*the destination works/)
    assert.deepEqual(await tables(), [])
  })

  test('it creates the table, copies every page, and writes nothing in a second run', async () => {
    const first = await runJob()
    assert.equal(first.new, first.discovered)
    const held = await assertAgreement(seen)
    assert.equal(held.length, first.elements)
    const second = await runJob()
    assert.equal(second.unchanged, second.discovered)
    assert.deepEqual(await contents(seen), held)
  })

  test('it writes only changes, removes what left the wiki, and updates permissions alone', async () => {
    const earlier = byPage(await contents(seen))
    const { control } = world.wiki
    const { pages, people } = await control.truth()
    const isLeaf = (id: string) => !pages.some(({ parentId }) => parentId === id)
    const [edited, trashed, restricted] = pages.filter(({ id }) => earlier.has(id) && isLeaf(id))
    const person = people.find(({ accountType }) => accountType === 'atlassian')
    assert.ok(edited && trashed && restricted && person)
    await control.editPage(edited.id, { body: '<p>All of it is new.</p>' })
    await control.trashPage(trashed.id)
    await control.restrict(restricted.id, { read: { users: [person.accountId] } })
    const counts = await runJob()
    assert.deepEqual([counts.changed, counts.permissions_only, counts.removed], [2, 1, 1])
    const now = byPage(await assertAgreement(seen))
    assert.ok(!now.has(trashed.id))
    const touched = [edited.id, trashed.id, restricted.id]
    for (const [id, elements] of earlier)
      if (!touched.includes(id)) assert.deepEqual(now.get(id), elements, 'the row is as old as before')
  })

  test('it fills another table from flags alone, under the name of the extension', async () => {
    const { host, port, database, username } = table.config
    const flags = { host, port, database, username, password: `\${TABLE_PASSWORD}`, 'ssl-mode': 'disable' }
    const counts = await runJob(
      ...['--destination-type', 'pgvector', '--destination-table-name', 'elements_second'],
      ...Object.entries(flags).flatMap(([name, value]) => [`--destination-${name}`, String(value)]),
      ...['--state', 'second.state.jsonl'],
    )
    assert.equal(counts.new, counts.discovered)
    const second = await table.another('second').contents()
    assert.deepEqual(elementSources(second), elementSources(await contents(seen)))
  })

  test('it fills a table that was dropped', async () => {
    await table.recreate()
    const counts = await runJob()
    assert.equal(counts.changed, counts.discovered)
    await assertAgreement(seen)
  })

  for (const { what, args = [], env, sql = [], code, message } of [
    {
      what: 'a wrong password',
      env: { TABLE_PASSWORD: 'not-the-password-of-anyone' },
      code: 3,
      message: /password of \S+ is not accepted/,
    },
    {
      what: 'a database that does not exist',
      args: ['--destination-database', 'nowhere'],
      code: 3,
      message: /database nowhere does not exist/,
    },
    {
      what: 'a read-only database',
      sql: [
        (name: string) => `alter role ${name} set default_transaction_read_only = on`,
        (name: string) => `alter role ${name} reset default_transaction_read_only`,
      ],
      code: 3,
      message: /read.only|no writes/,
    },
    {
      what: 'a table of another shape',
      args: ['--destination-table-name', 'theirs'],
      sql: [() => 'create table theirs (id bigint primary key)', () => 'drop table theirs'],
      code: 3,
      message: /theirs .*does not fit/,
    },
    {
      what: 'a bad table name',
      args: ['--destination-table-name', 'a.b.c'],
      code: 2,
      message: /schema\.table/,
    },
  ])
    test(`it exits with ${code} for ${what} and changes nothing`, async () => {
      const name = new URL(table.proxy.url).username
      const held = await contents(seen)
      const [fault, repair] = sql
      if (fault) await table.query(fault(name))
      const ran = await world.run(['run', job, '--quiet', '--state', 'fault.state.jsonl', ...args], env)
      if (repair) await table.query(repair(name))
      assert.equal(ran.code, code, ran.out + ran.err)
      assert.match(ran.err, message)
      assert.ok(!ran.err.includes('not-the-password'))
      assert.deepEqual(await contents(seen), held)
    })

  test('it prints no secret, in any form', () => assertNoSecretPrinted(world))
})
