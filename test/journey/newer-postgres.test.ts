import assert from 'node:assert/strict'
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { pino } from 'pino'
import { startEmbeddedPostgres } from '../../src/store/embedded/start.ts'
import { apiOf } from '../world/api.ts'
import { OLDER_MAJOR, olderPostgres } from '../world/older-postgres.ts'
import { operatorCommand } from '../world/operator-command.ts'
import { temporaryFolder } from '../world/postgres.ts'
import { MASTER_KEY, startMillrace } from '../world/service.ts'
import { steps } from '../world/steps.ts'

const SOURCE = {
  name: 'kept',
  type: 'wiki',
  config: { url: 'https://wiki.acme.example', token: 'some-token-1' },
}

/** The steps of docs/upgrade.md, on one data directory. */
describe('a data directory of an older PostgreSQL', () => {
  const step = steps()
  let folder: string
  let dataDir: string
  let file: string
  let packageDir: string
  const command = (name: 'backup' | 'restore', more: Record<string, string> = {}) =>
    operatorCommand(name, [file], {
      MILLRACE_DATA_DIR: dataDir,
      MILLRACE_MASTER_KEY: MASTER_KEY.toString('base64'),
      ...more,
    })
  /** As the release does that has these binaries. */
  const withOlderServer = async <T>(work: (url: string) => Promise<T>): Promise<T> => {
    const { url, stop } = await startEmbeddedPostgres({ dataDir, packageDir, log: pino({ level: 'silent' }) })
    return work(url).finally(stop)
  }

  before(async () => {
    folder = await temporaryFolder('millrace-majors-', tmpdir())
    dataDir = join(folder, 'data')
    file = join(folder, 'millrace.backup')
    packageDir = await olderPostgres()
    await withOlderServer(async (databaseUrl) => {
      const millrace = await startMillrace({ databaseUrl })
      const { status, text } = await apiOf(millrace.url ?? '').post('/sources', SOURCE)
      assert.equal(status, 200, text)
      await millrace.end('SIGTERM')
    })
  })
  after(() => rm(folder, { recursive: true, force: true }))

  step('it is refused with the steps, and nothing changes', async () => {
    assert.equal(await versionOf(join(dataDir, 'postgres')), OLDER_MAJOR)
    const before = await filesOf(folder)
    const { code, text } = await command('backup')
    assert.equal(code, 1, text)
    assert.match(text, /created by PostgreSQL 17, and this release has PostgreSQL 18\. Nothing was changed/)
    assert.match(
      text,
      /1\. .*millrace backup FILE.* 2\. mv \S+\/postgres \S+\/postgres-17.* 3\. .*restore FILE/,
    )
    assert.deepEqual(await filesOf(folder), before)
  })

  step('it moves to the newer one by backup and restore', async () => {
    const backup = await withOlderServer((url) => command('backup', { DATABASE_URL: url }))
    assert.equal(backup.code, 0, backup.text)
    await rename(join(dataDir, 'postgres'), join(dataDir, 'postgres-17'))
    const { code, text } = await command('restore')
    assert.equal(code, 0, text)
    assert.equal(await versionOf(join(dataDir, 'postgres')), '18')
    const millrace = await startMillrace({ env: { MILLRACE_DATA_DIR: dataDir } })
    try {
      const { body } = await apiOf(millrace.url ?? '').get<{ name: string }[]>('/sources')
      assert.deepEqual(
        body.map(({ name }) => name),
        ['kept'],
      )
    } finally {
      await millrace.end('SIGTERM')
    }
  })
})

async function versionOf(home: string): Promise<string> {
  return (await readFile(join(home, 'data', 'PG_VERSION'), 'utf8')).trim()
}

/** Every file with its size, owner and time of change. */
async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const all = names.map(async (name) => {
    const found = await stat(join(folder, name))
    // Taking a lock creates and removes a file, which changes the time of its directory.
    return [name, found.size, found.uid, found.mode, found.isFile() && found.ctimeMs].join(' ')
  })
  return (await Promise.all(all)).sort()
}
