import { sql } from 'kysely'
import { getRollbackPlans } from 'pg-boss'
import { AppError } from '../../errors.ts'
import type { Database } from '../database.ts'
import type { Migrations } from '../migrate.ts'
import { type BackupHeader, type CheckedBackup, FORMAT, readBackupParts } from './file.ts'
import {
  type BackupSequence,
  type BackupTable,
  PRODUCT_TABLES,
  QUEUE_SCHEMA,
  queueVersion,
  readTables,
  tableName,
} from './tables.ts'
import { useExactTexts } from './write.ts'

/** The migrations that the backup has. Those after them run at the next start, with the rows of the backup. */
export function migrationsOf(
  header: BackupHeader,
  { release, migrations }: { release: string; migrations: Migrations },
): Migrations {
  const all = Object.entries(migrations)
  const first = all.slice(0, header.migrations.length)
  const isKnown = first.map(([name]) => name).join() === header.migrations.join()
  if (header.format === FORMAT && isKnown) return Object.fromEntries(first)
  throw new AppError(
    'not_possible',
    `the backup was made by release ${header.release} with ${header.migrations.length} migrations, and this is release ${release} with ${all.length}`,
    { fix: `Nothing was changed. Restore with release ${header.release} or a later one` },
  )
}

/** A schema cannot go back to that of an earlier release. */
export async function refuseLaterSchema(db: Database, { release, migrations }: BackupHeader): Promise<void> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists
  `.execute(db)
  if (!rows[0]?.exists) return
  const later = await sql`select from kysely_migration where name <> all(${migrations})`.execute(db)
  if (later.rows.length === 0) return
  throw new AppError('not_possible', `the backup of release ${release} is older than this database`, {
    fix: 'Nothing was changed. Restore into an empty database or a new data directory',
  })
}

/** Brings empty tables of the queue to the schema of an earlier release; its next start migrates them. */
export async function rollBackQueue(db: Database, { queue_version: wanted }: BackupHeader): Promise<void> {
  for (let version = await queueVersion(db); version > wanted; version = await queueVersion(db))
    await sql.raw(getRollbackPlans(QUEUE_SCHEMA, version)).execute(db)
}

/** A process that writes during the restore would mix two states. */
export async function refuseOtherProcesses(db: Database, ignored = ''): Promise<void> {
  const { rows } = await sql<{ name: string; connections: number }>`
    select application_name as name, count(*)::int as connections from pg_stat_activity
    where datname = current_database() and application_name like 'millrace%'
      and application_name not in (current_setting('application_name'), ${ignored})
    group by 1 order by 1
  `.execute(db)
  if (rows.length === 0) return
  const list = rows.map(({ name, connections }) => `${name} (${connections})`).join(', ')
  throw new AppError('not_possible', `processes of Millrace are connected to this database: ${list}`, {
    fix: 'Nothing was changed. Stop all of them, and restore again',
  })
}

/** Before the schema is created or migrated; the tables may not exist yet. */
export async function refuseData(db: Database): Promise<void> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname = any(${PRODUCT_TABLES})
      and relname <> 'fences'
  `.execute(db)
  for (const { name } of tables) {
    const { rows } = await sql`select from ${sql.table(name)} limit 1`.execute(db)
    if (rows.length > 0)
      throw new AppError('not_possible', `this database already holds data of Millrace (${name})`, {
        fix: 'Nothing was changed. Use another database, or add --replace to delete this data',
      })
  }
}

type RestoreOptions = {
  backup: CheckedBackup
  replace: boolean
  report(line: string): void
}

/** Replaces all rows in one transaction: a restore that fails or is killed leaves the database as it was. */
export async function restoreBackup(db: Database, options: RestoreOptions): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await useExactTexts(transaction)
    await sql.raw(`set local lock_timeout = '30s'`).execute(transaction)
    const tables = await readTables(transaction, Object.keys(options.backup.end.tables))
    await requireSameQueue(transaction, options.backup.header)
    const all = sql.join(tables.map(({ schema, name }) => sql.table(`${schema}.${name}`)))
    await sql`lock table ${all} in access exclusive mode`.execute(transaction)
    // Again, because a process may have started meanwhile. Connections of the restore's own engine may still close.
    await refuseOtherProcesses(transaction, 'millrace-engine')
    if (!options.replace) await refuseData(transaction)
    await sql`truncate ${all}`.execute(transaction)
    await setTriggers(transaction, tables, 'disable')
    await insertAll(transaction, tables, options)
    await setTriggers(transaction, tables, 'enable')
    // The next run of each workflow then compares its index with the ledger before it writes.
    await sql`delete from ledger_epoch`.execute(transaction)
  })
}

async function requireSameQueue(db: Database, { queue_version: wanted }: BackupHeader): Promise<void> {
  const version = await queueVersion(db)
  if (version === wanted) return
  throw new AppError(
    'not_possible',
    `the queue of the backup has schema ${wanted}, and this release has ${version}`,
    { fix: 'Nothing was changed. Restore into an empty database or a new data directory' },
  )
}

/** Triggers keep counts, which the backup holds itself. */
async function setTriggers(
  transaction: Database,
  tables: BackupTable[],
  state: 'enable' | 'disable',
): Promise<void> {
  // An owner may do this without being a superuser; foreign keys are still checked.
  for (const { schema, name } of tables)
    await sql`alter table ${sql.table(`${schema}.${name}`)} ${sql.raw(state)} trigger user`.execute(
      transaction,
    )
}

async function insertAll(
  transaction: Database,
  tables: BackupTable[],
  { backup, report }: RestoreOptions,
): Promise<void> {
  let current: BackupTable | null = null
  for await (const part of readBackupParts(backup)) {
    if ('table' in part) {
      current = sameTable(tables, part.table)
      const rows = backup.end.tables[tableName(current)] ?? 0
      if (rows > 0) report(`${tableName(current)}: ${rows} rows`)
    } else if ('rows' in part) {
      if (!current) throw new Error('rows without a table')
      await insertRows(transaction, current, part.rows)
    } else if ('sequences' in part) await setSequences(transaction, part.sequences)
  }
}

/** In the order of the file: an upgraded table may have its columns in another order than a new one. */
function sameTable(tables: BackupTable[], wanted: BackupTable): BackupTable {
  const own = tables.find((table) => tableName(table) === tableName(wanted))
  const columns = wanted.columns.map(({ name, type }) =>
    own?.columns.find((column) => column.name === name && column.type === type),
  )
  const known = columns.filter((column) => column !== undefined)
  if (own && known.length === columns.length && known.length === own.columns.length)
    return { ...own, columns: known }
  throw new AppError('not_possible', `the table ${tableName(wanted)} of the backup has other columns`, {
    fix: 'Nothing was changed. Restore into an empty database',
  })
}

async function insertRows(
  transaction: Database,
  { schema, name, columns }: BackupTable,
  rows: (string | null)[][],
): Promise<void> {
  const lists = columns.map((_, at) => sql`${rows.map((row) => row[at] ?? null)}::text[]`)
  const aliases = columns.map((_, at) => sql.ref(`c${at}`))
  const values = columns.map(({ type }, at) => sql`${aliases[at]!}::${sql.raw(type)}`)
  await sql`
    insert into ${sql.table(`${schema}.${name}`)} (${sql.join(columns.map((column) => sql.ref(column.name)))})
    overriding system value
    select ${sql.join(values)} from unnest(${sql.join(lists)}) as r(${sql.join(aliases)})
  `.execute(transaction)
}

async function setSequences(transaction: Database, sequences: BackupSequence[]): Promise<void> {
  // Unlike setval, this is undone with the transaction.
  for (const { table, column, next } of sequences)
    await sql`
      alter table ${sql.table(table)} alter column ${sql.ref(column)} restart with ${sql.raw(BigInt(next).toString())}
    `.execute(transaction)
}
