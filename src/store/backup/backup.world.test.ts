import assert from 'node:assert/strict'
import { createHmac, type Hmac, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import { PgBoss } from 'pg-boss'
import { migratedTemplate } from '../../../test/world/migrated-template.ts'
import { testServer } from '../../../test/world/postgres.ts'
import { closeDatabase, type Database, openDatabase } from '../database.ts'
import { searchedLedger } from '../ledger/ledgers.ts'
import { migrate } from '../migrate.ts'
import { migrations } from '../migrations/all.ts'
import { backupMac, checkOf, type MasterKey } from '../vault.ts'
import { type BackupHeader, checkBackupFile } from './file.ts'
import { migrationsOf, refuseLaterSchema, restoreBackup, rollBackQueue } from './restore.ts'
import { PRODUCT_TABLES, QUEUE_TABLES, queueVersion, readTables, tableName } from './tables.ts'
import { writeBackup } from './write.ts'

const TEXTS = [
  '',
  'null',
  'NULL',
  '{"a,b"}',
  '("x",,)',
  'quote \' double " backslash \\ \\N',
  'line\nreturn\r\ttab \u2028 \u2029 \u0001',
  'ünïcödé 漢字 🦓 \u{10FFFF}',
]
const release = '1.2.3'
const key: MasterKey = { id: null, key: Buffer.alloc(32, 7) }

describe('a backup', () => {
  const dropped: (() => Promise<unknown>)[] = []
  let folder: string
  let source: Database
  let target: Database
  let path: string
  const silent = () => {}
  const addresses = new Map<Database, string>()

  const freshTables = async () => {
    const { name, drop } = await migratedTemplate()
    const address = new URL(await testServer())
    address.pathname = name
    const db = openDatabase(address.href, { applicationName: 'millrace restore' })
    addresses.set(db, address.href)
    dropped.push(async () => {
      await closeDatabase(db)
      await drop()
    })
    return db
  }
  /** All rows in PostgreSQL's own form. */
  const rowsOf = async (db: Database) => {
    const all: Record<string, string[]> = {}
    for (const table of await readTables(db)) {
      const { rows } = await sql<{ text: string }>`
        select t::text as text from ${sql.table(`${table.schema}.${table.name}`)} as t order by 1
      `.execute(db)
      all[tableName(table)] = rows.map(({ text }) => text)
    }
    return all
  }
  const restore = async (file: string, db: Database, replace: boolean) => {
    const backup = await checkBackupFile(file, [key])
    await restoreBackup(db, { backup, replace, report: silent })
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-backup-'))
    path = join(folder, 'one.backup')
    ;[source, target] = [await freshTables(), await freshTables()]
    await fill(source)
    const { bytes } = await writeBackup(source, { path, release, keys: [key], report: silent })
    assert.equal(bytes, (await stat(path)).size)
  })
  after(async () => {
    for (const drop of dropped) await drop()
    await rm(folder, { recursive: true })
  })

  test('it names every table of the schema', async () => {
    const { rows } = await sql<{ name: string; schema: string }>`
      select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'pgboss') and c.relkind in ('r', 'p') and not c.relispartition
        and c.relpersistence = 'p' order by c.relname
    `.execute(source)
    const of = (schema: string) => rows.filter((row) => row.schema === schema).map(({ name }) => name)
    const product = [...PRODUCT_TABLES, 'kysely_migration', 'kysely_migration_lock']
    assert.deepEqual(of('public'), product.sort())
    assert.deepEqual(of('pgboss'), [...QUEUE_TABLES, 'bam', 'queue_stats', 'version'].sort())
  })

  test('it keeps every value exactly, and the next identities', async () => {
    await restore(path, target, false)
    const [wanted, found] = [await rowsOf(source), await rowsOf(target)]
    assert.ok(wanted.jobs!.length >= TEXTS.length && wanted.job_counts!.length > 0)
    for (const [name, rows] of Object.entries(wanted))
      assert.deepEqual(found[name], name === 'ledger_epoch' ? [] : rows, name)
    const next = async (db: Database) =>
      (
        await sql<{ id: string }>`
          insert into audit (workspace_id, actor, action, subject)
          select id, 'a', 'b', 'null' from workspaces limit 1 returning id::text
        `.execute(db)
      ).rows
    assert.deepEqual(await next(target), await next(source))
    // Triggers work again.
    await sql`delete from job_documents`.execute(target)
    const { rows } = await sql`select from job_counts where documents <> 0`.execute(target)
    assert.equal(rows.length, 0)
  })

  test('it is for its owner only, and a second restore needs --replace', async () => {
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    const before = await rowsOf(target)
    await assert.rejects(restore(path, target, false), /already holds data of Millrace/)
    assert.deepEqual(await rowsOf(target), before)
    await restore(path, target, true)
    assert.deepEqual((await rowsOf(target)).job_documents, (await rowsOf(source)).job_documents)
  })

  test('it is refused if it is cut, changed, foreign or of another release', async () => {
    const whole = await readFile(path)
    const lines = gunzipSync(whole).toString().split('\n')
    const changed = lines.with(-4, lines.at(-4)!.replace(/"next":"\d+"/, '"next":"77"'))
    assert.notDeepEqual(changed, lines)
    const packed = (some: string[]) => gzipSync(some.join('\n'))
    for (const [content, says] of [
      [whole.subarray(0, whole.length / 2), /incomplete or damaged/],
      [whole.subarray(0, -1), /incomplete or damaged/],
      [packed([...lines.slice(0, -2), '']), /incomplete or damaged/],
      [packed(lines.slice(0, -1)), /incomplete or damaged/],
      [packed(changed), /was changed after it was written/],
      [packed(['{"product":"another"}', '']), /not a backup of Millrace/],
      [Buffer.from('-- PostgreSQL database dump'), /not a backup of Millrace/],
      [Buffer.alloc(0), /incomplete or damaged/],
    ] as const) {
      const other = join(folder, 'other.backup')
      await writeFile(other, content)
      await assert.rejects(checkBackupFile(other, [key]), says)
    }
    const { header } = await checkBackupFile(path, [key])
    const entries = Object.entries(migrations)
    assert.deepEqual(migrationsOf(header, { release, migrations }), migrations)
    const says = /made by release 1\.2\.3.*this is release/
    for (const other of [entries.slice(0, -1), [['0000-other', entries[0]![1]], ...entries.slice(1)]])
      assert.throws(() => migrationsOf(header, { release, migrations: Object.fromEntries(other) }), says)
  })

  test('it is refused if its content was changed, reordered, cut or extended, whatever its end says', async () => {
    const lines = gunzipSync(await readFile(path))
      .toString()
      .split('\n')
      .slice(0, -1)
    const content = lines.slice(0, -1)
    const forged = content.map((line) => line.replace('scrypt-hash-of-ada', 'scrypt-hash-of-eve'))
    assert.notDeepEqual(forged, content)
    const older = JSON.stringify({ ...JSON.parse(content[0]!), created_at: '2020-01-01T00:00:00.000Z' })
    const sealedWith = (some: string[], hmac: Hmac) => {
      for (const line of some) hmac.update(`${line}\n`)
      return [...some, JSON.stringify({ hmac: hmac.digest('hex') })]
    }
    const own = lines.at(-1)!
    const says = /was changed after it was written|incomplete or damaged/
    for (const [name, some] of Object.entries({
      'with the end of the original': [...forged, own],
      'with a digest': sealedWith(forged, createHmac('sha256', '')),
      'with the master key itself': sealedWith(forged, createHmac('sha256', key.key)),
      'with another key': sealedWith(forged, backupMac({ id: null, key: Buffer.alloc(32, 9) })),
      'another header': [older, ...content.slice(1), own],
      reordered: [content[0]!, ...content.slice(3, 5), ...content.slice(1, 3), ...content.slice(5), own],
      'a part left out': [...content.slice(0, 5), ...content.slice(6), own],
      'an end twice': [...content, content.at(-1)!, own],
      'two ends': [...lines, own],
    })) {
      const other = join(folder, 'forged.backup')
      await writeFile(other, gzipSync(`${some.join('\n')}\n`))
      await assert.rejects(checkBackupFile(other, [key]), says, name)
    }
    for (const more of [gzipSync(`${content.at(-1)}\n`), Buffer.alloc(9), Buffer.from('more')]) {
      const appended = join(folder, 'appended.backup')
      await writeFile(appended, Buffer.concat([await readFile(path), more]))
      await assert.rejects(checkBackupFile(appended, [key]), /damaged/)
    }
  })

  test('it names the key that authenticates it, and any listed key of that value does', async () => {
    const named = { id: 'old', key: key.key }
    const fresh = { id: 'new', key: Buffer.alloc(32, 9) }
    assert.equal((await checkBackupFile(path, [fresh, named])).key, named)
    await assert.rejects(checkBackupFile(path, [fresh]), {
      code: 'secret_unreadable',
      message: /authenticated with a master key without an id, which is not listed/,
    })
    await sql`insert into master_keys (id, key_check) values ('2026', ${checkOf(key)})`.execute(source)
    const second = join(folder, 'named.backup')
    await writeBackup(source, { path: second, release, keys: [fresh, key], report: silent })
    await assert.rejects(checkBackupFile(second, [fresh]), {
      message: /authenticated with the master key "2026", which is not listed/,
      fix: /Add 2026:KEY to MILLRACE_MASTER_KEY/,
    })
    assert.equal((await checkBackupFile(second, [key])).header.keys.id, '2026')
    await assert.rejects(
      writeBackup(source, { path: join(folder, 'x'), release, keys: [fresh], report: silent }),
      /is not the one this database was set up with/,
    )
  })

  test('it changes nothing if the file is replaced after its check', async () => {
    const other = join(folder, 'replaced.backup')
    await writeFile(other, await readFile(path))
    const backup = await checkBackupFile(other, [key])
    const content = gunzipSync(await readFile(path)).toString()
    await writeFile(other, gzipSync(content.replace('scrypt-hash-of-ada', 'scrypt-hash-of-eve')))
    const before = await rowsOf(target)
    await assert.rejects(restoreBackup(target, { backup, replace: true, report: silent }), /was changed/)
    assert.deepEqual(await rowsOf(target), before)
  })

  test('it comes back from an earlier release, whose schema the next start migrates', async () => {
    const earlier = await freshTables()
    const header = { release, queue_version: (await queueVersion(earlier)) - 2 }
    await rollBackQueue(earlier, header as BackupHeader)
    await fill(earlier)
    const file = join(folder, 'earlier.backup')
    await writeBackup(earlier, { path: file, release, keys: [key], report: silent })
    const backup = await checkBackupFile(file, [key])
    const later = { ...migrations, '9999-later': { up: addColumn } }
    assert.deepEqual(migrationsOf(backup.header, { release: '2.0.0', migrations: later }), migrations)

    const empty = await freshTables()
    await assert.rejects(
      restoreBackup(empty, { backup, replace: false, report: silent }),
      /the queue of the backup has schema/,
    )
    await refuseLaterSchema(empty, backup.header)
    await rollBackQueue(empty, backup.header)
    await restoreBackup(empty, { backup, replace: false, report: silent })
    assert.deepEqual((await rowsOf(empty))['pgboss.job'], (await rowsOf(earlier))['pgboss.job'])
    await migrate(empty, later)
    const boss = new PgBoss(addresses.get(empty)!)
    await boss.start()
    await boss.stop()
    assert.equal(await queueVersion(empty), await queueVersion(source))
    const { rows } = await sql`select from workspaces where added = 'by a later release'`.execute(empty)
    assert.equal(rows.length, 1)
    await assert.rejects(refuseLaterSchema(empty, backup.header), /older than this database/)
  })

  test('it leaves no file if it fails', async () => {
    const missing = join(folder, 'missing', 'a.backup')
    await assert.rejects(
      writeBackup(source, { path: missing, release, keys: [key], report: silent }),
      /writing the backup/,
    )
    const empty = join(folder, 'empty.backup')
    const db = await freshTables()
    await assert.rejects(
      writeBackup(db, { path: empty, release, keys: [key], report: silent }),
      /never set up/,
    )
    for (const file of [empty, `${empty}.partial`]) await assert.rejects(stat(file), /ENOENT/)
  })
})

async function addColumn(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workspaces add column added text not null default 'by a later release'`.execute(db)
}

/** Rows with values that a careless copy would change. */
async function fill(db: Database): Promise<void> {
  const [workspace, flow] = [randomUUID(), randomUUID()]
  await sql`insert into installation (key_check) values (${checkOf(key)})`.execute(db)
  await sql`insert into ledger_epoch (server) values ('a server')`.execute(db)
  await sql`insert into workspaces (id, name) values (${workspace}::uuid, 'one')`.execute(db)
  await sql`
    insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
    values (${flow}::uuid, ${workspace}::uuid, 'flow', 'custom', 'null'::jsonb, true, 'active')
  `.execute(db)
  await sql`insert into auth_users (id, name, email, email_verified, created_at, updated_at)
    values (${workspace}::uuid, 'Ada', 'ada@acme.example', true, now(), now())`.execute(db)
  await sql`insert into auth_accounts (id, account_id, provider_id, user_id, password, created_at, updated_at)
    values (${workspace}::uuid, 'ada', 'credential', ${workspace}::uuid, 'scrypt-hash-of-ada', now(), now())`.execute(
    db,
  )
  for (const [at, text] of TEXTS.entries()) {
    const job = randomUUID()
    const json = JSON.stringify({ text, nested: [null, text, 1e-7, { '': text }] })
    const bytes = Buffer.from([0, 255, 92, 34, 39, 10, at])
    await sql`
      insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, settings, message, created_at)
      values (${job}::uuid, ${workspace}::uuid, ${flow}::uuid, ${text}, 'COMPLETED', 'SUCCESS', 'custom', ${json}::jsonb,
        ${at % 2 ? text : null}, '2026-03-29 01:59:59.123456+00'::timestamptz + ${at} * interval '1 microsecond')
    `.execute(db)
    await sql`
      insert into job_documents (job_id, record_id, scope, state, kind, ref, title, url)
      values (${job}::uuid, ${text}, 's', 'success', 'new', ${at % 2 ? sql`'null'::jsonb` : null}, ${text}, 'u')
    `.execute(db)
    await sql`
      insert into documents (ledger_id, record_id, scope, position, locator, version, state_hash, settings_hash,
        element_ids, settled, fence)
      values (${searchedLedger(flow)}, ${text}, 's', 'p', '"text"', '1', 'h', 'h', ${at ? [text, 'NULL', ''] : []}::text[],
        true, 9223372036854775807)
    `.execute(db)
    await sql`insert into model_answers (key, answer) values (${bytes}, ${text})`.execute(db)
    await sql`
      insert into audit (workspace_id, actor, action, subject) values (${workspace}::uuid, ${text}, 'x', ${json}::jsonb)
    `.execute(db)
    await sql`
      insert into pgboss.job (name, data, output, state) values
        ('list', ${json}::jsonb, null, 'completed'), ('content', 'null'::jsonb, 'null'::jsonb, 'active')
    `.execute(db)
  }
  await sql`
    insert into model_answers (key, answer) select decode(md5(n::text), 'hex'), repeat('many ', 50)
    from generate_series(1, 5000) as n
  `.execute(db)
  const [job] = (await sql<{ id: string }>`select id from jobs limit 1`.execute(db)).rows
  await sql`
    insert into verification_scopes (job_id, scope_key, site, documents, elements, missing, different, extra, ledger_sum, index_sum)
    values (${job?.id}::uuid, 's', '', 0, 0, 0, 0, 0, 123456789012345678901234567890.10, -0.000000000000000000001)
  `.execute(db)
  await sql`delete from audit where id = (select max(id) from audit)`.execute(db)
}
