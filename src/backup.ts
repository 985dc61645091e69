import { stat } from 'node:fs/promises'
import project from '../package.json' with { type: 'json' }
import { EnvironmentError, readEnvironment } from './environment.ts'
import { explainMissingTable, runOperatorCommand, withServiceDatabase } from './operator-command.ts'
import { writeBackup } from './store/backup/write.ts'
import { loadExistingKeys } from './store/master-key-file.ts'

/** `npm run backup -- FILE` writes a snapshot of the database, while the service runs. */
async function main(): Promise<void> {
  const [path, ...rest] = process.argv.slice(2)
  if (!path || path.startsWith('-') || rest.length > 0)
    throw new EnvironmentError('the name of a new file is needed: npm run backup -- millrace.backup')
  if (await stat(path).catch(() => null))
    throw new EnvironmentError(`${path} exists; choose another name, or remove it`)
  const environment = readEnvironment(undefined, [])
  const keys = await loadExistingKeys(environment.dataDir, environment.masterKeys)
  await withServiceDatabase(environment, { name: 'backup' }, async (db) => {
    const report = (line: string) => console.log(line)
    const backup = { path, release: project.version, keys, report }
    const { tables, rows, bytes } = await writeBackup(db, backup).catch(explainMissingTable)
    console.log(`Backup written to ${path}: ${tables} tables, ${rows} rows, ${bytes} bytes.`)
    console.log('It holds no master key. Keep the key elsewhere: without it, the backup cannot be restored.')
  })
}

await runOperatorCommand(main)
