import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFile,
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import {
  assertCleanShutdown,
  assertStartRefused,
  copyOfCluster,
  inFolder,
  launch,
  newFolder,
  packageWithoutLinks,
  prepareFolders,
  query,
  serverLog,
  spawnProgram,
  startInThisProcess,
  waitForEntry,
} from '../../../test/world/embedded-folders.ts'
import {
  commandOf,
  commandsContaining,
  groupOf,
  isAlive,
  ownerOf,
  waitUntilGone,
} from '../../../test/world/processes.ts'
import { settles } from '../../../test/world/settled.ts'

// With real processes. As root, PostgreSQL runs as another account; otherwise nothing is copied or moved.
const isRoot = process.getuid?.() === 0
const nobody = 65534

async function uidOf(name: string): Promise<number> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n')
  return Number(lines.find((line) => line.startsWith(`${name}:`))?.split(':')[2])
}

prepareFolders()

describe('a first start', () => {
  test('creates a durable, private database in a directory whose path is too long for a socket', async () => {
    const dataDir = join(await newFolder(), 'd'.repeat(120))
    const server = await launch({ dataDir })
    assert.equal(server.adopted, false)

    const uid = await ownerOf(server.pid)
    // An account that no other service has.
    assert.equal(uid, isRoot ? await uidOf('millrace') : process.getuid?.())
    const data = await stat(join(dataDir, 'postgres', 'data'))
    assert.deepEqual([data.uid, data.mode & 0o777], [uid, 0o700])
    const password = await stat(join(dataDir, 'postgres', 'password'))
    assert.deepEqual([password.uid, password.mode & 0o777], [process.getuid?.(), 0o600])

    const [row] = await query(
      server.url,
      `select current_setting('fsync') as fsync, current_user as role,
      (select array[rolsuper, rolcreaterole] from pg_roles where rolname = current_user) as rights,
      lower('ÄÉ') as lower,
      current_setting('listen_addresses') as address`,
    )
    assert.deepEqual(row, {
      fsync: 'on',
      role: 'millrace',
      rights: [false, true],
      lower: 'äé',
      address: '127.0.0.1',
    })
    await assert.rejects(query(server.url, 'grant pg_read_server_files to millrace'), { code: '42501' })
    assert.doesNotMatch(await serverLog(dataDir), /Unix socket/)
    const wrong = new URL(server.url)
    wrong.password = 'wrong'
    await assert.rejects(query(wrong.href, 'select 1'), { code: '28P01' })
    wrong.username = 'postgres'
    await assert.rejects(query(wrong.href, 'select 1'), { code: '28P01' })
  })

  test('that is killed inside initdb does not stop the next one', async () => {
    const dataDir = join(await newFolder(), 'data')
    const home = join(dataDir, 'postgres')
    await mkdir(home, { recursive: true })
    await chmod(dataDir, 0o711)
    await chmod(home, 0o711)
    const child = spawnProgram({ dataDir })
    const half = await waitForEntry(home, /^data\.init-\w+$/)
    await waitForEntry(join(home, half), /^PG_VERSION$/)
    child.kill('SIGKILL')
    await once(child, 'exit')

    const server = await launch({ dataDir })
    assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }])
    await server.end('SIGTERM')
    await rm(join(home, 'data'), { recursive: true }) // a next first start sweeps what the orphan still wrote
    await (await launch({ dataDir })).end('SIGTERM')
    assert.deepEqual(
      (await readdir(home)).filter((name) => name.startsWith('data.init-')),
      [],
    )
  })

  test('that is interrupted leaves no process and no half cluster', async () => {
    const dataDir = join(await newFolder(), 'data')
    const child = spawnProgram({ dataDir })
    const half = await waitForEntry(join(dataDir, 'postgres'), /^data\.init-\w+$/)
    child.kill('SIGINT')
    assert.deepEqual(await once(child, 'exit'), [3, null])
    assert.deepEqual(await commandsContaining(half), [])
    const left = await readdir(join(dataDir, 'postgres'))
    assert.deepEqual(
      left.filter((name) => name.startsWith('data')),
      [],
    )
  })

  test('by an ordinary user works in the data directory alone', async () => {
    const dataDir = join(await newFolder(), 'data')
    await mkdir(dataDir, { mode: 0o700 })
    if (isRoot) await chown(dataDir, nobody, nobody)
    const server = await launch({ dataDir, sharedDir: '/nonexistent', ...(isRoot && { uid: nobody }) })
    assert.equal(await ownerOf(server.pid), isRoot ? nobody : process.getuid?.())
    await server.end('SIGTERM')
    assert.deepEqual(await readdir(dataDir), ['postgres'])
  })
})

describe('binaries that cannot be used in place', () => {
  test('get their missing links', async () => {
    const packageDir = await packageWithoutLinks()
    const server = await launch({ ...(await copyOfCluster()), packageDir })
    assert.match(String((await query(server.url, 'select version()'))[0]?.version), /^PostgreSQL 18/)
    assert.ok((await readdir(join(packageDir, 'native', 'lib'))).includes('libpq.so.5'))
    assert.equal((await commandOf(server.pid))[0], join(packageDir, 'native', 'bin', 'postgres'))
  })

  test('are copied with links where the package is read-only', async () => {
    const packageDir = await packageWithoutLinks()
    await chmod(join(packageDir, 'native', 'lib'), 0o555)
    const dataDir = inFolder('own')
    await mkdir(dataDir, { mode: 0o700 })
    if (isRoot) await chown(dataDir, nobody, nobody) // root itself could write anywhere
    const server = await launch({ dataDir, packageDir, ...(isRoot && { uid: nobody }) })
    assert.ok((await commandOf(server.pid))[0]?.startsWith(join(dataDir, 'postgresql-')))
    assert.ok(!(await readdir(join(packageDir, 'native', 'lib'))).includes('libpq.so.5'))
    await chmod(join(packageDir, 'native', 'lib'), 0o755)
  })

  test('are copied once for root where only root may enter, and used in place by their owner', async () => {
    const packageDir = await packageWithoutLinks()
    const closed = inFolder('closed')
    await mkdir(closed, { mode: 0o700 })
    await rename(packageDir, join(closed, 'package'))
    const options = { ...(await copyOfCluster()), packageDir: join(closed, 'package') }

    const server = await launch(options)
    const file = (await commandOf(server.pid))[0] ?? ''
    assert.ok(file.startsWith(isRoot ? inFolder('shared', 'postgresql-18.') : closed), file)
    await server.end('SIGTERM')
    if (!isRoot) return
    const copiedAt = (await stat(file)).ctimeMs
    await (await launch(options)).end('SIGTERM')
    assert.equal((await stat(file)).ctimeMs, copiedAt)

    // A copy that lost a library is replaced.
    const copy = (await readdir(inFolder('shared'))).find((name) => name.startsWith('postgresql-')) ?? ''
    await rm(inFolder('shared', copy, 'native', 'lib', 'libicuuc.so.60'))
    await (await launch(options)).end('SIGTERM')
    assert.notEqual((await stat(file)).ctimeMs, copiedAt)
  })
})

test('a data directory that only root may enter keeps its database in the same place outside it', async () => {
  const closed = join(await newFolder(), 'closed')
  await mkdir(closed, { mode: 0o700 })
  const dataDir = join(closed, 'data')
  const server = await launch({ dataDir })
  await query(server.url, 'create table kept (id int)')
  await server.end('SIGTERM')
  if (!isRoot) return assert.deepEqual(await readdir(dataDir), ['postgres'])

  const note = await readFile(join(dataDir, 'postgres-is-elsewhere.txt'), 'utf8')
  const cluster = note.split('\n')[0] ?? ''
  assert.ok(cluster.startsWith(inFolder('shared', 'clusters')))
  assert.equal(await readFile(join(cluster, 'data-directory.txt'), 'utf8'), `${dataDir}\n`)

  await chmod(closed, 0o711) // it stays outside although it could move back
  const again = await launch({ dataDir })
  assert.deepEqual(await query(again.url, 'select * from kept'), [])
  await again.end('SIGTERM')

  await rename(dataDir, join(closed, 'moved'))
  await assertStartRefused({ dataDir: join(closed, 'moved') }, /is in .* under the name of another path/)
})

test('a database of an account that others use too moves to its own, also if that was interrupted', async () => {
  const { dataDir } = await copyOfCluster()
  const data = join(dataDir, 'postgres', 'data')
  const wanted = isRoot ? await uidOf('millrace') : process.getuid?.()
  const owners = async () => {
    const names = ['.', ...(await readdir(data, { recursive: true }))]
    return new Set(await Promise.all(names.map(async (name) => (await lstat(join(data, name))).uid)))
  }
  if (isRoot) await promisify(execFile)('chown', ['-R', `${nobody}:${nobody}`, data])
  if (isRoot) await promisify(execFile)('chown', ['-R', 'millrace', join(data, 'base')])
  const server = await launch({ dataDir })
  await query(server.url, 'create table kept (id int)')
  assert.equal(await ownerOf(server.pid), wanted)
  assert.deepEqual(await owners(), new Set([wanted]))
  await server.end('SIGTERM')
  const again = await launch({ dataDir })
  assert.deepEqual(await query(again.url, 'select * from kept'), [])
})

describe('after kill -9', () => {
  test('of its parent, the next start adopts the server with its data, and stops it when it leaves', async () => {
    const { dataDir } = await copyOfCluster()
    const first = await launch({ dataDir })
    await query(first.url, 'create table kept as select generate_series(1, 1000) as id')
    await first.end('SIGKILL')
    assert.ok(await isAlive(first.pid))

    const second = await launch({ dataDir })
    assert.deepEqual([second.adopted, second.pid, second.url], [true, first.pid, first.url])
    assert.deepEqual(await query(second.url, 'select count(*)::int from kept'), [{ count: 1000 }])
    await second.end('SIGTERM')
    assert.ok(!(await isAlive(first.pid)))
  })

  test('of everything, committed data is there, even if another process has the old pid', async () => {
    const { dataDir } = await copyOfCluster()
    const first = await launch({ dataDir })
    await query(first.url, 'create table kept as select generate_series(1, 1000) as id')
    process.kill(first.pid, 'SIGKILL')
    await first.end('SIGKILL')
    const pidFile = join(dataDir, 'postgres', 'data', 'postmaster.pid')
    const stale = await readFile(pidFile, 'utf8')
    await writeFile(pidFile, stale.replace(/^\d+/, String(process.pid)))

    const second = await launch({ dataDir })
    assert.equal(second.adopted, false)
    assert.deepEqual(await query(second.url, 'select count(*)::int from kept'), [{ count: 1000 }])
  })
})

describe('an orderly end', () => {
  test('comes with the Ctrl-C of a terminal, which reaches the whole process group', async () => {
    const { dataDir } = await copyOfCluster()
    const server = await launch({ dataDir, detached: true })
    assert.notEqual(await groupOf(server.pid), server.child.pid)
    process.kill(-server.child.pid!, 'SIGINT')
    assert.deepEqual(await once(server.child, 'exit'), [0, null])
    await assertCleanShutdown(dataDir, server.pid)
  })

  test('comes with SIGTERM', async () => {
    const { dataDir } = await copyOfCluster()
    const server = await launch({ dataDir })
    assert.equal(await server.end('SIGTERM'), 0)
    await assertCleanShutdown(dataDir, server.pid)
  })

  test('comes soon after a process that just exits', async () => {
    const { dataDir } = await copyOfCluster()
    const server = await launch({ dataDir })
    server.child.stdin?.write('exit\n')
    await once(server.child, 'exit')
    await waitUntilGone(server.pid)
    await assertCleanShutdown(dataDir, server.pid)
  })
})

test('the log of a running server stays small', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const { dataDir } = await copyOfCluster()
  const server = await startInThisProcess(dataDir)
  const log = join(dataDir, 'postgres', 'postgres.log')
  const line = `${'LOG:  something happened'.padEnd(999, '.')}\n`
  await appendFile(log, line.repeat(9_000))
  context.mock.timers.tick(60_000)
  assert.ok((await stat(log)).size > 9_000_000)
  await appendFile(log, line.repeat(2_000))
  context.mock.timers.tick(60_000)
  await settles(async () => (await stat(log)).size, 0)
  assert.equal((await stat(`${log}.1`)).mode & 0o777, 0o600)
  const admin = new URL(server.url)
  Object.assign(admin, { username: 'postgres', pathname: '/postgres' })
  await query(admin.href, 'select pg_reload_conf()')
  const written = async () => /^\S+ \S+ UTC \[\d+\] LOG: +received SIGHUP/.test(await serverLog(dataDir))
  await settles(written, true)
  await server.stop()
})

describe('several processes on one data directory', () => {
  test('share one cluster and one server, and the last to leave stops it', async () => {
    const dataDir = join(await newFolder(), 'data')
    const all = await Promise.all([launch({ dataDir }), launch({ dataDir }), launch({ dataDir })])
    assert.equal(new Set(all.map(({ url, pid }) => `${pid} ${url}`)).size, 1)
    const starter = all.find(({ adopted }) => !adopted)!
    const others = all.filter(({ adopted }) => adopted)
    assert.equal(others.length, 2)

    await starter.end('SIGTERM')
    assert.deepEqual(await query(starter.url, 'select 1 as one'), [{ one: 1 }])
    await others[0]!.end('SIGKILL') // who is killed no longer counts
    assert.deepEqual(await query(starter.url, 'select 1 as one'), [{ one: 1 }])
    await others[1]!.end('SIGTERM')
    await assertCleanShutdown(dataDir, starter.pid)
    const starts = (await serverLog(dataDir)).match(/starting PostgreSQL/g)
    assert.equal(starts?.length, 1)
  })

  test('count each start, even two in one process', async () => {
    const { dataDir } = await copyOfCluster()
    const [first, second] = await Promise.all([startInThisProcess(dataDir), startInThisProcess(dataDir)])
    assert.equal(first.pid, second.pid)
    await Promise.all([first.stop(), first.stop()])
    assert.ok(await isAlive(first.pid))
    await second.stop()
    await assertCleanShutdown(dataDir, first.pid)
  })

  test('replace a server that died, but not one that runs in another container', async () => {
    const { dataDir } = await copyOfCluster()
    const user = await launch({ dataDir })
    process.kill(user.pid, 'SIGKILL')
    await waitUntilGone(user.pid)
    const namespace = join(dataDir, 'postgres', 'namespace')
    const ours = await readFile(namespace, 'utf8')
    await writeFile(namespace, 'pid:[1]')
    await assertStartRefused({ dataDir }, /another container is using/)

    await writeFile(namespace, ours)
    const replacement = await launch({ dataDir })
    assert.equal(replacement.adopted, false)
  })
})

describe('a directory that cannot be opened', () => {
  test('is refused by name if another PostgreSQL version created it', async () => {
    const { dataDir } = await copyOfCluster()
    for (const [version, fix] of [
      ['17', /millrace backup FILE/],
      ['19', /Start the newest release/],
    ] as const) {
      await writeFile(join(dataDir, 'postgres', 'data', 'PG_VERSION'), `${version}\n`)
      await assertStartRefused({ dataDir, fix }, RegExp(`created by PostgreSQL ${version}`))
    }
  })

  test('is refused and not changed if it is not a cluster', async () => {
    const dataDir = join(await newFolder(), 'data')
    await mkdir(join(dataDir, 'postgres', 'data'), { recursive: true })
    await writeFile(join(dataDir, 'postgres', 'data', 'thesis.txt'), 'mine')
    await assertStartRefused({ dataDir }, /not a complete PostgreSQL cluster/)
    assert.deepEqual(await readdir(join(dataDir, 'postgres', 'data')), ['thesis.txt'])
  })

  test('is refused with the message of PostgreSQL if it is damaged', async () => {
    const { dataDir } = await copyOfCluster()
    await rm(join(dataDir, 'postgres', 'data', 'global', 'pg_control'))
    await assertStartRefused({ dataDir }, /could not find the database system/i)
  })
})
