import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { AppError } from '../errors.ts'
import type { Database } from './database.ts'

/** By name, in the order they run; the names sort in that order (`0001-first`, `0002-…`). */
export type Migrations = Record<string, Migration>

/**
 * Brings the database up to date, all in one transaction, and returns the names of what it ran. Any number of
 * processes may call this at once: one does it, behind an advisory lock, and the others find it done.
 */
export async function migrate(db: Database, migrations: Migrations): Promise<string[]> {
  const names = Object.keys(migrations)
  const misplaced = names.find((name, at) => at > 0 && name <= names[at - 1]!)
  if (misplaced) throw new AppError('internal', `migrating the database: ${misplaced} is out of order`)

  return db.connection().execute(async (connection) => {
    // The pool's limit is for queries; a migration over a large table, and waiting for another's, may take longer.
    await sql`set statement_timeout = 0`.execute(connection)
    try {
      const migrator = new Migrator({ db: connection, provider: { getMigrations: async () => migrations } })
      const { error, results = [] } = await migrator.migrateToLatest()
      if (error) throw migrationFailed(error, results.find(({ status }) => status === 'Error')?.migrationName)
      return results.map(({ migrationName }) => migrationName)
    } finally {
      await sql`reset statement_timeout`.execute(connection).catch(() => {}) // a lost connection has no setting
    }
  })
}

function migrationFailed(cause: unknown, name: string | undefined): AppError {
  if (cause instanceof Error && cause.message.startsWith('corrupted migrations')) {
    return new AppError('internal', 'migrating the database, which another version of Millrace has changed', {
      cause,
      fix: 'Start the newest version of Millrace that has used this database, or a newer one.',
    })
  }
  return new AppError('internal', `migrating the database${name ? `: ${name} failed` : ''}`, {
    cause,
    fix: 'Nothing was changed. Check that the role in DATABASE_URL may create tables, and start again.',
  })
}
