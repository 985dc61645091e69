import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { AppError } from '../errors.ts'
import type { Database } from './database.ts'

/** In the order they run, which is also the order of their names. */
export type Migrations = Record<string, Migration>

/** A migration that waits longer would block every query behind it. */
const LOCK_TIMEOUT_MS = 30_000

/** Runs missing migrations in one transaction; an advisory lock serialises processes. Tests pass a shorter timeout. */
export async function migrate(
  db: Database,
  migrations: Migrations,
  { lockTimeoutMs = LOCK_TIMEOUT_MS } = {},
): Promise<string[]> {
  const names = Object.keys(migrations)
  const misplaced = names.find((name, at) => at > 0 && name <= names[at - 1]!)
  if (misplaced) throw new AppError('internal', `migrating the database: ${misplaced} is out of order`)

  return db.connection().execute(async (connection) => {
    // Migrations, and waiting for those of another process, may exceed the query limit.
    await sql`set statement_timeout = 0`.execute(connection)
    try {
      const limited = withLockTimeout(migrations, lockTimeoutMs)
      const migrator = new Migrator({ db: connection, provider: { getMigrations: async () => limited } })
      const { error, results = [] } = await migrator.migrateToLatest()
      if (error) throw migrationFailed(error, results.find(({ status }) => status === 'Error')?.migrationName)
      return results.map(({ migrationName }) => migrationName)
    } finally {
      await sql`reset statement_timeout`.execute(connection).catch(() => {}) // a lost connection has no setting
    }
  })
}

/** Not for the whole connection: waiting for the migrations of another process may take longer. */
function withLockTimeout(migrations: Migrations, timeoutMs: number): Migrations {
  return Object.fromEntries(
    Object.entries(migrations).map(([name, migration]): [string, Migration] => [
      name,
      {
        async up(db) {
          await sql`select set_config('lock_timeout', ${String(timeoutMs)}, true)`.execute(db)
          await migration.up(db)
        },
      },
    ]),
  )
}

const LOCK_NOT_AVAILABLE = '55P03'

function migrationFailed(cause: unknown, name: string | undefined): AppError {
  if (cause instanceof Error && cause.message.startsWith('corrupted migrations')) {
    return new AppError('internal', 'migrating the database, which a newer version of Millrace has changed', {
      cause,
      fix: 'Start the newest version of Millrace that has used this database, or a later one.',
    })
  }
  if ((cause as { code?: string }).code === LOCK_NOT_AVAILABLE) {
    return new AppError('internal', `migrating the database: ${name} waited too long for a lock`, {
      cause,
      fix: 'Nothing was changed. Stop the other processes of Millrace and long queries on this database (see pg_stat_activity), and start again.',
    })
  }
  return new AppError('internal', `migrating the database${name ? `: ${name} failed` : ''}`, {
    cause,
    fix: 'Nothing was changed. Check that the role in DATABASE_URL may create tables, and start again.',
  })
}
