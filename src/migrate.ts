import { EnvironmentError, readEnvironment } from './environment.ts'
import { startEngine } from './jobs/queue/engine.ts'
import { runOperatorCommand, withServiceDatabase } from './operator-command.ts'
import { migrate } from './store/migrate.ts'
import { migrations } from './store/migrations/all.ts'

/** `millrace migrate` brings the database to the schema of this version, before its first process starts. */
async function main(): Promise<void> {
  if (process.argv.length > 2) throw new EnvironmentError('migrate has no options')
  const environment = readEnvironment(undefined, [])
  await withServiceDatabase(environment, { name: 'migrate', createsCluster: true }, async (db, url) => {
    const done = await migrate(db, migrations)
    // Its start creates and migrates the tables of the queue.
    const silent = { debug() {}, info() {}, warn() {}, error() {} }
    await (await startEngine(url, { db, log: silent })).stop()
    console.log(done.length === 0 ? 'The database is up to date.' : `Migrated: ${done.join(', ')}.`)
  })
}

await runOperatorCommand(main)
