import { pino } from 'pino'
import { startEngine } from '../../src/jobs/queue/engine.ts'
import { closeDatabase, openDatabase } from '../../src/store/database.ts'
import { migrate } from '../../src/store/migrate.ts'
import { migrations } from '../../src/store/migrations/all.ts'
import { freshDatabase } from './postgres.ts'

/** A database with the tables of the service, for `migratedDatabase`. */
export async function migratedTemplate(): Promise<{ name: string; drop(): Promise<void> }> {
  const { url, drop } = await freshDatabase()
  const db = openDatabase(url)
  await migrate(db, migrations)
  const engine = await startEngine(url, { db, log: pino({ level: 'silent' }) })
  await engine.stop()
  await closeDatabase(db)
  return { name: new URL(url).pathname.slice(1), drop }
}
