import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Database } from '../database.ts'
import { installationKey, type KeyChecks } from '../master-keys.ts'
import type { MasterKey } from '../vault.ts'
import { type BackupHeader, type BackupWriter, FORMAT, writeBackupFile } from './file.ts'
import { type BackupTable, queueVersion, readSequences, readTables, tableName } from './tables.ts'

type BackupOptions = { path: string; release: string; keys: MasterKey[]; report(line: string): void }
type BackupSummary = { tables: number; rows: number; bytes: number }

/** Bounds memory: a batch has at most this many rows, and about this many stored bytes. */
const BATCH_ROWS = 1000
const BATCH_BYTES = 1024 * 1024

/** Writes one snapshot of all tables and of the queue, while the service runs. */
export async function writeBackup(db: Database, options: BackupOptions): Promise<BackupSummary> {
  const written = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      await useExactTexts(snapshot)
      const checks = await readChecks(snapshot)
      const key = installationKey(options.keys, checks)
      const header = await headerOf(snapshot, options.release, { id: key.id, ...checks })
      return writeBackupFile({ path: options.path, key }, async (writer) => {
        await writer.write(header)
        return writeTables(snapshot, writer, options)
      })
    })
  return { ...written, bytes: (await stat(options.path)).size }
}

async function writeTables(
  snapshot: Database,
  writer: BackupWriter,
  { report }: Pick<BackupOptions, 'report'>,
): Promise<Omit<BackupSummary, 'bytes'>> {
  const tables = await readTables(snapshot)
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const rows = await writeRows(snapshot, table, writer)
    counts[tableName(table)] = rows
    if (rows > 0) report(`${tableName(table)}: ${rows} rows`)
  }
  await writer.write({ sequences: await readSequences(snapshot) })
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  await writer.write({ end: { tables: counts, rows } })
  return { tables: tables.length, rows }
}

/** The text form of times and numbers depends on these settings. */
export async function useExactTexts(transaction: Database): Promise<void> {
  await sql.raw('set local statement_timeout = 0').execute(transaction)
  for (const setting of [
    `idle_in_transaction_session_timeout = 0`,
    `datestyle = 'ISO, YMD'`,
    `timezone = 'UTC'`,
    `intervalstyle = 'postgres'`,
    `bytea_output = 'hex'`,
    `extra_float_digits = 3`,
  ])
    await sql.raw(`set local ${setting}`).execute(transaction)
}

async function readChecks(snapshot: Database): Promise<KeyChecks> {
  const installation = await snapshot.selectFrom('installation').select('key_check').executeTakeFirst()
  if (!installation)
    throw new AppError('not_found', 'this database was never set up', {
      fix: 'Start the service once, or check DATABASE_URL',
    })
  const registered = await snapshot.selectFrom('master_keys').select(['id', 'key_check']).execute()
  return { key_check: installation.key_check, registered }
}

async function headerOf(
  snapshot: Database,
  release: string,
  keys: BackupHeader['keys'],
): Promise<BackupHeader> {
  const migrations = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
    snapshot,
  )
  return {
    product: 'millrace',
    format: FORMAT,
    release,
    created_at: new Date().toISOString(),
    migrations: migrations.rows.map(({ name }) => name),
    queue_version: await queueVersion(snapshot),
    keys,
  }
}

async function writeRows(snapshot: Database, table: BackupTable, writer: BackupWriter): Promise<number> {
  await writer.write({ table })
  const from = sql.table(`${table.schema}.${table.name}`)
  const names = table.columns.map(({ name }) => sql.ref(name))
  const values = sql.join(names.map((name) => sql`${name}::text`))
  const size = sql.join(
    names.map((name) => sql`coalesce(pg_column_size(${name}), 0)`),
    sql` + `,
  )
  const { rows: sizes } = await sql<{ largest: string | null }>`
    select max(${size}) as largest from ${from}
  `.execute(snapshot)
  const largest = Number(sizes[0]?.largest ?? 0)
  if (largest === 0) return 0
  const batch = Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_BYTES / largest)))
  await sql`declare backup_rows no scroll cursor for select array[${values}] as texts from ${from}`.execute(
    snapshot,
  )
  let count = 0
  for (;;) {
    const { rows } = await sql<{ texts: (string | null)[] }>`
      fetch ${sql.lit(batch)} from backup_rows
    `.execute(snapshot)
    if (rows.length === 0) break
    await writer.write({ rows: rows.map(({ texts }) => texts) })
    count += rows.length
  }
  await sql`close backup_rows`.execute(snapshot)
  return count
}
