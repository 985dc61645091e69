import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { configOf, FAST_PACE } from '../../../test/world/fresh-table.ts'
import { type VectorDatabase, vectorDatabase } from '../../../test/world/pgvector.ts'
import { openEgress, silent, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import type { PostgresConfig } from './config.ts'
import { openPostgres, type PostgresTable } from './destination.ts'
import { tableScript } from './table.ts'

const { signal } = new AbortController()
const DOCS = join(import.meta.dirname, '../../../docs')
const PAGE = readFileSync(join(DOCS, 'connectors/postgres.md'), 'utf8')
const RECORD = 'wiki.test/1'
const vector = Array.from({ length: 384 }, (_, at) => Math.fround(Math.sin(at)))
let fence = 0

describe('a role with the documented privileges', () => {
  let database: VectorDatabase
  let admin: pg.Client
  const roles: string[] = []
  before(async () => {
    database = await vectorDatabase()
    admin = new pg.Client({ connectionString: database.adminUrl })
    await admin.connect()
    const name = new URL(database.url).pathname.slice(1)
    await admin.query(`revoke all on database ${name} from public`)
  })
  after(async () => {
    await admin.query(roles.map((role) => `drop owned by ${role} cascade; drop role ${role}`).join(';'))
    await admin.end()
    await database.drop()
  })

  /** Runs a block of the page with another name of the role, which belongs to all databases. */
  async function roleFrom(block: string): Promise<Partial<PostgresConfig>> {
    const role = `millrace_${randomBytes(5).toString('hex')}`
    roles.push(role)
    const name = new URL(database.url).pathname.slice(1)
    const text = blockOf(block).replaceAll('millrace', role).replace('database search', `database ${name}`)
    await admin.query(text)
    return { username: role, password: 'choose a long one' }
  }
  const open = (settings: Partial<PostgresConfig>) =>
    openPostgres({ ...configOf(database.url), ...settings }, { egress: openEgress(), log: silent }, FAST_PACE)

  test('it creates its own table with vectors, and writes, reads and removes', async () => {
    const account = await roleFrom('role that creates')
    const destination = open({ ...account, table_name: `${account.username}.elements` })
    assert.equal((await destination.check(signal)).ok, true)
    await wholeJob(destination)
    const { rows } = await admin.query(
      `select format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = '${account.username}.elements'::regclass and attname = 'embeddings'`,
    )
    assert.equal(rows[0]?.type, 'vector(384)')
    await destination.close()
  })

  for (const vectors of ['vectors with pgvector', 'vectors without pgvector'])
    test(`it writes into a table of another owner, ${vectors}`, async () => {
      await admin.query(`drop table if exists elements; ${tableScript()}; ${blockOf(vectors)}`)
      const destination = open(await roleFrom('role that writes'))
      const report = await destination.check(signal)
      assert.deepEqual(new Set(report.steps.map(({ status }) => status)), new Set(['ok']))
      await wholeJob(destination)
      await destination.close()
    })

  test('it fails clearly without any one of them, before anything is written', async () => {
    await admin.query(`drop table if exists elements; ${tableScript()}`)
    await admin.query('revoke all on schema public from public')
    const account = await roleFrom('role that writes')
    const name = new URL(database.url).pathname.slice(1)
    const grants = {
      connect: `connect on database ${name}`,
      usage: 'usage on schema public',
      ...Object.fromEntries(
        ['select', 'insert', 'update', 'delete'].map((each) => [each, `${each} on elements`]),
      ),
    }
    for (const [privilege, grant] of Object.entries(grants)) {
      await admin.query(`revoke ${grant} from ${account.username}`)
      const destination = open(account)
      await assert.rejects(
        destination.prepare({ dims: null }, signal),
        (error: { code: string; fix: string }) => {
          assert.equal(error.code, 'destination_unauthorized', privilege)
          assert.ok(error.fix.includes(`grant ${privilege === 'connect' ? 'connect' : 'usage'}`), error.fix)
          return true
        },
      )
      const { reason, steps } = await destination.check(signal)
      const failed = steps.find(({ status }) => status === 'failed')
      assert.equal(failed?.name, privilege === 'connect' ? 'sign-in' : 'privileges')
      if (privilege !== 'connect') assert.match(reason ?? '', new RegExp(`has no ${privilege}`))
      await destination.close()
      const { rows } = await admin.query('select from elements')
      assert.equal(rows.length, 0)
      // The fix of the message grants it again.
      await admin.query(failed?.fix?.replace(/^Run: /, '') ?? assert.fail('no fix'))
    }
    const destination = open(account)
    await assert.rejects(destination.prepare({ dims: 384 }, signal), {
      code: 'destination_schema',
      message: /columns embeddings are missing, and only the owner of the table can add them/,
    })
    await destination.close()
  })

  test('it needs a policy of its own if the table has row-level security', async () => {
    await admin.query(`drop table if exists elements; ${tableScript()}`)
    const account = await roleFrom('role that writes')
    await admin.query(`
      alter table elements enable row level security;
      create policy readers on elements for select using (access->'c0' ? 'user:u:1');
      create policy all_rows on elements for select using (true);
      create policy adding on elements for insert with check (true);
      create policy changing on elements for update using (true)`)
    const destination = open(account)
    // Without a policy for it, a deletion removes nothing and reports no error.
    const { reason, steps } = await destination.check(signal)
    assert.match(reason ?? '', /row-level security on table elements .* hides the rows from/)
    await assert.rejects(destination.prepare({ dims: null }, signal), { code: 'destination_unauthorized' })
    await admin.query(steps[2]?.fix?.replace(/^Run: /, '') ?? assert.fail('no fix'))
    assert.equal((await destination.check(signal)).ok, true)
    await destination.prepare({ dims: null }, signal)
    assert.deepEqual(await destination.write([writeItem('a')], ++fence, signal), [])
    await destination.close()
  })

  test('it refuses policies that hide some rows, which would not be removed', async () => {
    await admin.query(
      `drop table if exists elements; ${tableScript()}; alter table elements enable row level security`,
    )
    const account = await roleFrom('role that writes')
    const some = "using (record_id <> 'wiki.test/2')"
    const destination = open(account)
    for (const policies of [
      ['for all', some],
      ['for all', 'using (true)', 'as restrictive for delete', some],
      ['for select', 'using (true)', 'for insert', 'with check (true)', 'for update', 'using (true)'],
      [
        'for select',
        some,
        'for insert',
        'with check (true)',
        'for update',
        'using (true)',
        'for delete',
        'using (true)',
      ],
    ]) {
      const names = policies.flatMap((scope, at) => (at % 2 ? [] : [[`p${at}`, scope, policies[at + 1]]]))
      await admin.query(
        names.map(([name, scope, rule]) => `create policy ${name} on elements ${scope} ${rule}`).join(';'),
      )
      const { reason } = await destination.check(signal)
      assert.match(reason ?? 'accepted', /row-level security on table elements .* hides/, policies.join(' '))
      await admin.query(names.map(([name]) => `drop policy ${name} on elements`).join(';'))
    }
    await admin.query(`create policy a on elements for select using (true);
      create policy b on elements for insert with check (true);
      create policy c on elements for update using (true); create policy d on elements for delete using (true)`)
    assert.equal((await destination.check(signal)).ok, true)
    await destination.close()
  })

  test('it may not create a table in a schema of others', async () => {
    const destination = open({ ...(await roleFrom('role that creates')), table_name: 'public.nothing' })
    await assert.rejects(destination.prepare({ dims: null }, signal), { code: 'destination_index_missing' })
    assert.equal((await destination.check(signal)).steps[2]?.status, 'failed')
    await destination.close()
  })

  test('it has the documented table in its file', () => {
    assert.equal(readFileSync(join(DOCS, 'index-bodies/postgres.sql'), 'utf8'), tableScript())
  })
})

function blockOf(name: string): string {
  return PAGE.split(`\`\`\`sql ${name}\n`)[1]?.split('```')[0] ?? assert.fail(`no block ${name}`)
}

async function wholeJob(destination: PostgresTable): Promise<void> {
  await destination.prepare({ dims: 384 }, signal)
  const items = ['a', 'b'].map((id) => writeItem(id, { embeddings: vector, text: 'sluice gates' }))
  assert.deepEqual(await destination.write(items, ++fence, signal), [])
  const elements = [{ recordId: RECORD, elementIds: ['a', 'b'] }]
  const dataSource = { title: 'new', access: { c0: ['user:u:2'] } }
  assert.deepEqual(await destination.updateAccess([{ ...elements[0]!, dataSource }], ++fence, signal), [])
  await destination.control.write('flow', { epoch: 'e', fence: ++fence }, signal)
  const request = { query: 'sluice', tokens: ['user:u:2'], depth: 10, vector }
  const { ranked } = await destination.search.rank(request, signal)
  assert.equal(ranked.length, 2)
  assert.equal((await destination.inspect.stored(elements, signal)).length, 2)
  await destination.remove(elements, ++fence, signal)
  await destination.control.remove('flow', ++fence, signal)
  assert.deepEqual((await Array.fromAsync(destination.inspect.inventory(signal))).flat(), [])
}
