import project from '../package.json' with { type: 'json' }
import { EnvironmentError, readEnvironment } from './environment.ts'
import { startEngine } from './jobs/queue/engine.ts'
import { runOperatorCommand, withServiceDatabase } from './operator-command.ts'
import { checkBackupFile } from './store/backup/file.ts'
import {
  migrationsOf,
  refuseData,
  refuseLaterSchema,
  refuseOtherProcesses,
  restoreBackup,
  rollBackQueue,
} from './store/backup/restore.ts'
import { loadExistingKeys } from './store/master-key-file.ts'
import { requireKeys } from './store/master-keys.ts'
import { migrate } from './store/migrate.ts'
import { migrations } from './store/migrations/all.ts'

const REPLACE = '--replace'

/** `npm run restore -- FILE` brings a backup into the database of a stopped service. */
async function main(): Promise<void> {
  const words = process.argv.slice(2)
  const [path, ...rest] = words.filter((word) => word !== REPLACE)
  if (!path || path.startsWith('-') || rest.length > 0)
    throw new EnvironmentError('a backup is needed: npm run restore -- millrace.backup [--replace]')
  const replace = words.includes(REPLACE)
  const environment = readEnvironment(undefined, [])
  const keys = await loadExistingKeys(environment.dataDir, environment.masterKeys)
  const backup = await checkBackupFile(path, keys)
  const { header, end } = backup
  const schema = migrationsOf(header, { release: project.version, migrations })
  requireKeys(keys, header.keys)
  await withServiceDatabase(environment, { name: 'restore', createsCluster: true }, async (db, url) => {
    await refuseOtherProcesses(db)
    if (!replace) await refuseData(db)
    await refuseLaterSchema(db, header)
    await migrate(db, schema)
    // Its start creates the tables of the queue.
    const silent = { debug() {}, info() {}, warn() {}, error() {} }
    await (await startEngine(url, { db, log: silent })).stop()
    if (!replace) await rollBackQueue(db, header)
    await restoreBackup(db, { backup, replace, report: (line) => console.log(line) })
    console.log(`Restored the backup of ${header.created_at}: ${end.rows} rows.`)
    console.log('Start the service. The next run of each workflow compares its index before it writes.')
  })
}

await runOperatorCommand(main)
