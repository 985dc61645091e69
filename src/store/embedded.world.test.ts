import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { pino } from 'pino'
import { AppError } from '../errors.ts'
import { installedPackage } from './embedded/binaries.ts'
import { type EmbeddedOptions, startEmbeddedPostgres } from './embedded.ts'

// Every test uses real processes. As root, PostgreSQL runs as another account and the tests prove the drop;
// as anybody else the same tests prove that nothing is dropped, copied or moved without need.
const isRoot = process.getuid?.() === 0
const nobody = 65534
const program = fileURLToPath(new URL('../../test/world/embedded-process.ts', import.meta.url))
const log = pino({ level: 'silent' })

let world: string
let room: string
let rooms = 0
const children = new Set<ChildProcess>()
const servers = new Set<number>()

before(async () => {
  world = await realpath(await mkdtemp(join(tmpdir(), 'millrace-embedded-')))
  await chmod(world, 0o711)
  // Making a cluster takes over a second; tests that are not about that start from a copy of this one.
  const first = await launch({ dataDir: join(world, 'pristine') })
  await first.end('SIGTERM')
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const pid of servers) if (await isAlive(pid)) process.kill(pid, 'SIGQUIT')
  for (const pid of servers) await gone(pid)
  children.clear()
  servers.clear()
  if (room) await rm(room, { recursive: true, force: true })
})

after(() => rm(world, { recursive: true, force: true, maxRetries: 5 }))

describe('a first start', () => {
  test('makes a durable, closed database in a directory whose path is too long for a socket', async () => {
    const dataDir = join(await newRoom(), 'd'.repeat(120))
    const server = await launch({ dataDir })
    assert.equal(server.adopted, false)

    const uid = await ownerOf(server.pid)
    assert.equal(uid === 0, false, 'PostgreSQL runs as root')
    if (!isRoot) assert.equal(uid, process.getuid?.())
    const data = await stat(join(dataDir, 'postgres', 'data'))
    assert.deepEqual([data.uid, data.mode & 0o777], [uid, 0o700])
    const password = await stat(join(dataDir, 'postgres', 'password'))
    assert.deepEqual([password.uid, password.mode & 0o777], [process.getuid?.(), 0o600])

    const [row] = await query(
      server.url,
      `select current_setting('fsync') as fsync, current_user as role,
      (select rolsuper from pg_roles where rolname = current_user) as super, lower('ÄÉ') as lower,
      current_setting('listen_addresses') as address`,
    )
    assert.deepEqual(row, {
      fsync: 'on',
      role: 'millrace',
      super: false,
      lower: 'äé',
      address: '127.0.0.1',
    })
    assert.doesNotMatch(await serverLog(dataDir), /Unix socket/)
    const wrong = new URL(server.url)
    wrong.password = 'wrong'
    await assert.rejects(query(wrong.href, 'select 1'), { code: '28P01' })
    wrong.username = 'postgres'
    await assert.rejects(query(wrong.href, 'select 1'), { code: '28P01' })
  })

  test('that is killed inside initdb does not stop the next one', async () => {
    const dataDir = join(await newRoom(), 'data')
    const home = join(dataDir, 'postgres')
    await mkdir(home, { recursive: true })
    await chmod(dataDir, 0o711)
    await chmod(home, 0o711)
    const child = spawnProgram({ dataDir })
    const half = await appears(home, /^data\.init-\w+$/)
    await appears(join(home, half), /^PG_VERSION$/)
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
    const dataDir = join(await newRoom(), 'data')
    const child = spawnProgram({ dataDir })
    const half = await appears(join(dataDir, 'postgres'), /^data\.init-\w+$/)
    child.kill('SIGINT')
    assert.deepEqual(await once(child, 'exit'), [3, null])
    assert.deepEqual(await commandsNaming(half), [])
    const left = await readdir(join(dataDir, 'postgres'))
    assert.deepEqual(
      left.filter((name) => name.startsWith('data')),
      [],
    )
  })

  test('by an ordinary user works in the data directory alone', async () => {
    const dataDir = join(await newRoom(), 'data')
    await mkdir(dataDir, { mode: 0o700 })
    if (isRoot) await chown(dataDir, nobody, nobody)
    const server = await launch({ dataDir, sharedDir: '/nonexistent', ...(isRoot && { uid: nobody }) })
    assert.equal(await ownerOf(server.pid), isRoot ? nobody : process.getuid?.())
    await server.end('SIGTERM')
    assert.deepEqual(await readdir(dataDir), ['postgres'])
  })
})

describe('binaries that cannot be used where they lie', () => {
  test('get their missing links in place', async () => {
    const packageDir = await packageWithoutLinks()
    const server = await launch({ ...(await seeded()), packageDir })
    assert.match(String((await query(server.url, 'select version()'))[0]?.version), /^PostgreSQL 18/)
    assert.ok((await readdir(join(packageDir, 'native', 'lib'))).includes('libpq.so.5'))
    assert.equal((await commandOf(server.pid))[0], join(packageDir, 'native', 'bin', 'postgres'))
  })

  test('are copied with links where the package is read-only', async () => {
    const packageDir = await packageWithoutLinks()
    await chmod(join(packageDir, 'native', 'lib'), 0o555)
    const dataDir = join(room, 'own')
    await mkdir(dataDir, { mode: 0o700 })
    if (isRoot) await chown(dataDir, nobody, nobody) // root itself could write anywhere
    const server = await launch({ dataDir, packageDir, ...(isRoot && { uid: nobody }) })
    assert.ok((await commandOf(server.pid))[0]?.startsWith(join(dataDir, 'postgresql-')))
    assert.ok(!(await readdir(join(packageDir, 'native', 'lib'))).includes('libpq.so.5'))
    await chmod(join(packageDir, 'native', 'lib'), 0o755)
  })

  test('are copied once for root where only root may enter, and used in place by their owner', async () => {
    const packageDir = await packageWithoutLinks()
    const closed = join(room, 'closed')
    await mkdir(closed, { mode: 0o700 })
    await rename(packageDir, join(closed, 'package'))
    const options = { ...(await seeded()), packageDir: join(closed, 'package') }

    const server = await launch(options)
    const file = (await commandOf(server.pid))[0] ?? ''
    assert.ok(file.startsWith(isRoot ? join(room, 'shared', 'postgresql-18.') : closed), file)
    await server.end('SIGTERM')
    if (!isRoot) return
    const copiedAt = (await stat(file)).ctimeMs
    await (await launch(options)).end('SIGTERM')
    assert.equal((await stat(file)).ctimeMs, copiedAt)

    // A copy that lost a library is made again.
    await rm(
      join(
        room,
        'shared',
        (await readdir(join(room, 'shared'))).find((n) => n.startsWith('postgresql-')) ?? '',
        'native',
        'lib',
        'libicuuc.so.60',
      ),
    )
    await (await launch(options)).end('SIGTERM')
    assert.notEqual((await stat(file)).ctimeMs, copiedAt)
  })
})

test('a data directory that only root may enter keeps its database elsewhere, always in the same place', async () => {
  const closed = join(await newRoom(), 'closed')
  await mkdir(closed, { mode: 0o700 })
  const dataDir = join(closed, 'data')
  const server = await launch({ dataDir })
  await query(server.url, 'create table kept (id int)')
  await server.end('SIGTERM')
  if (!isRoot) return assert.deepEqual(await readdir(dataDir), ['postgres'])

  const note = await readFile(join(dataDir, 'postgres-is-elsewhere.txt'), 'utf8')
  const cluster = note.split('\n')[0] ?? ''
  assert.ok(cluster.startsWith(join(room, 'shared', 'clusters')))
  assert.equal(await readFile(join(cluster, 'data-directory.txt'), 'utf8'), `${dataDir}\n`)

  await chmod(closed, 0o711) // now it could live inside, but it does not
  const again = await launch({ dataDir })
  assert.deepEqual(await query(again.url, 'select * from kept'), [])
  await again.end('SIGTERM')

  await rename(dataDir, join(closed, 'moved'))
  await refuses({ dataDir: join(closed, 'moved') }, /lies in .* under another path's name/)
})

describe('after kill -9', () => {
  test('of its parent the running server is adopted, with everything in it, and stopped by the next to leave', async () => {
    const { dataDir } = await seeded()
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

  test('of everything, what was committed is there, whoever has the old process number now', async () => {
    const { dataDir } = await seeded()
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
    const { dataDir } = await seeded()
    const server = await launch({ dataDir, detached: true })
    assert.notEqual(Number(await ps('-o', 'pgid=', '-p', String(server.pid))), server.child.pid)
    process.kill(-server.child.pid!, 'SIGINT')
    assert.deepEqual(await once(server.child, 'exit'), [0, null])
    await isCleanlyDown(dataDir, server.pid)
  })

  test('comes with SIGTERM', async () => {
    const { dataDir } = await seeded()
    const server = await launch({ dataDir })
    assert.equal(await server.end('SIGTERM'), 0)
    await isCleanlyDown(dataDir, server.pid)
  })

  test('comes soon after a process that just exits', async () => {
    const { dataDir } = await seeded()
    const server = await launch({ dataDir })
    server.child.stdin?.write('exit\n')
    await once(server.child, 'exit')
    await gone(server.pid)
    await isCleanlyDown(dataDir, server.pid)
  })
})

describe('several processes on one data directory', () => {
  test('make one cluster and one server between them, and the last to leave stops it', async () => {
    const dataDir = join(await newRoom(), 'data')
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
    await isCleanlyDown(dataDir, starter.pid)
    const starts = (await serverLog(dataDir)).match(/starting PostgreSQL/g)
    assert.equal(starts?.length, 1)
  })

  test('count each start, also two in one process', async () => {
    const { dataDir } = await seeded()
    const options = { dataDir, sharedDir: join(room, 'shared'), log }
    const [first, second] = await Promise.all([
      startEmbeddedPostgres(options),
      startEmbeddedPostgres(options),
    ])
    servers.add(first.pid)
    assert.equal(first.pid, second.pid)
    await Promise.all([first.stop(), first.stop()])
    assert.ok(await isAlive(first.pid))
    await second.stop()
    await isCleanlyDown(dataDir, first.pid)
  })

  test('may replace a server that died, but not one that lives in another container', async () => {
    const { dataDir } = await seeded()
    const user = await launch({ dataDir })
    process.kill(user.pid, 'SIGKILL')
    await gone(user.pid)
    const namespace = join(dataDir, 'postgres', 'namespace')
    const ours = await readFile(namespace, 'utf8')
    await writeFile(namespace, 'pid:[1]')
    await refuses({ dataDir }, /another container is using/)

    await writeFile(namespace, ours)
    const replacement = await launch({ dataDir })
    assert.equal(replacement.adopted, false)
  })
})

describe('a directory that cannot be opened', () => {
  test('is refused by name when another PostgreSQL made it', async () => {
    const { dataDir } = await seeded()
    await writeFile(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '17\n')
    await refuses({ dataDir }, /made by PostgreSQL 17/)
  })

  test('is refused, and left alone, when it is not a cluster', async () => {
    const dataDir = join(await newRoom(), 'data')
    await mkdir(join(dataDir, 'postgres', 'data'), { recursive: true })
    await writeFile(join(dataDir, 'postgres', 'data', 'thesis.txt'), 'mine')
    await refuses({ dataDir }, /not a whole PostgreSQL cluster/)
    assert.deepEqual(await readdir(join(dataDir, 'postgres', 'data')), ['thesis.txt'])
  })

  test('is refused with what PostgreSQL said when it is damaged', async () => {
    const { dataDir } = await seeded()
    await rm(join(dataDir, 'postgres', 'data', 'global', 'pg_control'))
    await refuses({ dataDir }, /could not find the database system/i)
  })
})

type Launch = Partial<EmbeddedOptions> & { dataDir: string; detached?: boolean; uid?: number }
type Launched = {
  child: ChildProcess
  url: string
  pid: number
  adopted: boolean
  /** Sends the signal and waits for the process's end; resolves to its exit code. */
  end(name: NodeJS.Signals): Promise<number | null>
}

async function launch(options: Launch): Promise<Launched> {
  const child = spawnProgram(options)
  let said = ''
  child.stderr?.on('data', (text) => {
    said += text
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the process ended: ${said}`)
  })
  ended.catch(() => {})
  const [line] = await Promise.race([once(child.stdout!, 'data'), ended])
  const server = JSON.parse(String(line))
  servers.add(server.pid)
  const end = async (name: NodeJS.Signals) => {
    const exit = once(child, 'exit')
    child.kill(name)
    const [code] = await exit
    return code
  }
  return { child, ...server, end }
}

function spawnProgram({ dataDir, sharedDir, packageDir, detached = false, uid }: Launch): ChildProcess {
  const args = [program, '--dataDir', dataDir, '--sharedDir', sharedDir ?? join(room ?? world, 'shared')]
  if (packageDir) args.push('--packageDir', packageDir)
  const child = spawn(process.execPath, args, { detached, cwd: '/', ...(uid && { uid, gid: uid }) })
  children.add(child)
  return child
}

async function newRoom(): Promise<string> {
  room = join(world, `room-${++rooms}`)
  await mkdir(room)
  await chmod(room, 0o711)
  return room
}

async function seeded(): Promise<{ dataDir: string }> {
  const dataDir = join(room && (await exists(room)) ? room : await newRoom(), 'data')
  await once(spawn('cp', ['-R', join(world, 'pristine'), dataDir]), 'exit') // four times as fast as Node's
  return { dataDir } // if we are root, it is root's now, as a restored backup would be
}

async function packageWithoutLinks(): Promise<string> {
  const packageDir = join(await newRoom(), 'package')
  await cp(await installedPackage(), packageDir, {
    recursive: true,
    filter: async (source) => !(await stat(source)).isFile() || (await realpath(source)) === source,
  })
  return packageDir
}

async function refuses(options: Launch, message: RegExp): Promise<void> {
  const started = startEmbeddedPostgres({ sharedDir: join(room, 'shared'), log, ...options })
  await assert.rejects(started, (error) => {
    assert.ok(error instanceof AppError && error.fix)
    assert.match(error.message, message)
    return true
  })
}

async function isCleanlyDown(dataDir: string, pid: number): Promise<void> {
  assert.ok(!(await isAlive(pid)))
  assert.ok(!(await readdir(join(dataDir, 'postgres', 'data'))).includes('postmaster.pid'))
  const text = await serverLog(dataDir)
  assert.match(text, /database system is shut down\n$/)
  assert.equal(
    text.match(/received (fast|smart|immediate) shutdown request/g)?.at(-1),
    'received fast shutdown request',
  )
  assert.deepEqual(await commandsNaming(join(dataDir, 'postgres')), [])
}

function serverLog(dataDir: string): Promise<string> {
  return readFile(join(dataDir, 'postgres', 'postgres.log'), 'utf8')
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** The name of the first entry that matches, as soon as directory and entry are there. */
async function appears(directory: string, pattern: RegExp): Promise<string> {
  for (;;) {
    const found = (await readdir(directory).catch(() => [])).find((name) => pattern.test(name))
    if (found) return found
    await sleep(2)
  }
}

/** A zombie, which an init that is slow to reap leaves for a while, is not alive. */
async function isAlive(pid: number): Promise<boolean> {
  return /^[^Z]/.test(await ps('-o', 'stat=', '-p', String(pid)))
}

async function gone(pid: number): Promise<void> {
  while (await isAlive(pid)) await sleep(10)
}

async function ps(...args: string[]): Promise<string> {
  const child = spawn('ps', args)
  let text = ''
  for await (const part of child.stdout) text += part
  return text
}

async function ownerOf(pid: number): Promise<number> {
  return Number(await ps('-o', 'uid=', '-p', String(pid)))
}

async function commandOf(pid: number): Promise<string[]> {
  return (await ps('-ww', '-o', 'args=', '-p', String(pid))).split(' ')
}

async function commandsNaming(text: string): Promise<string[]> {
  return (await ps('-eww', '-o', 'args=')).split('\n').filter((line) => line.includes(text))
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
