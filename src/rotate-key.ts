import { apiKeyBinding } from './accounts/keys.ts'
import { EnvironmentError, readEnvironment } from './environment.ts'
import { sealBinding } from './jobs/connections.ts'
import { channelSealBinding } from './jobs/notifications/deliver.ts'
import { explainMissingTable, runOperatorCommand, withServiceDatabase } from './operator-command.ts'
import { loadExistingKeys } from './store/master-key-file.ts'
import { type RotationResult, rotateMasterKey } from './store/rotate-master-key.ts'
import { sealedColumns } from './store/sealed-columns.ts'

const RENEW = '--renew-secrets'

const bindings = {
  connectors: sealBinding,
  api_keys: apiKeyBinding,
  notification_channels: channelSealBinding,
}

/** `npm run rotate-key` seals all stored secrets with the first master key, while the service runs. */
async function main(): Promise<void> {
  const options = process.argv.slice(2)
  if (options.some((option) => option !== RENEW))
    throw new EnvironmentError(`the only option is ${RENEW}: npm run rotate-key -- ${RENEW}`)
  const environment = readEnvironment(undefined, [])
  const keys = await loadExistingKeys(environment.dataDir, environment.masterKeys)
  const columns = sealedColumns.map((column) => ({ ...column, bind: bindings[column.table] }))
  const renewSecrets = options.includes(RENEW)
  await withServiceDatabase(environment, { name: 'rotate-key' }, async (db) => {
    const rotation = { keys, columns, renewSecrets, report: (line: string) => console.log(line) }
    const result = await rotateMasterKey(db, rotation).catch(explainMissingTable)
    console.log(ending(result, renewSecrets))
  })
}

function ending({ current, unused, unreadable }: RotationResult, renewed: boolean): string {
  const lines = [`All stored secrets are sealed with the master key "${current}".`]
  if (unreadable.length > 0)
    lines.push(
      `No listed key opens ${unreadable.length} of them; enter these secrets again: ${unreadable.join(', ')}.`,
    )
  if (unused.length > 0)
    lines.push(
      `No longer used: ${unused.map((id) => `the key ${id}`).join(', ')}. Remove from MILLRACE_MASTER_KEY or the key file, and restart all processes. Backups made so far still need the old key.`,
    )
  if (renewed) lines.push('Restart all processes now: sessions end, and sandboxes get new passwords.')
  return lines.join('\n')
}

await runOperatorCommand(main)
