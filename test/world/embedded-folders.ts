import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { AppError } from '../../src/errors.ts'
import { installedPackage } from '../../src/store/embedded/binaries.ts'
import { type EmbeddedOptions, startEmbeddedPostgres } from '../../src/store/embedded/start.ts'
import { commandsNaming, gone, isAlive } from './processes.ts'

/** Processes with an embedded PostgreSQL, each test's in its own folder, which is deleted after it. */
type Launch = Partial<EmbeddedOptions> & { dataDir: string; detached?: boolean; uid?: number }
type Launched = {
  child: ChildProcess
  url: string
  pid: number
  adopted: boolean
  /** Sends the signal and waits for the exit code. */
  end(name: NodeJS.Signals): Promise<number | null>
}

const log = pino({ level: 'silent' })
const program = join(import.meta.dirname, 'embedded-process.ts')

let world: string
let room: string
let rooms = 0
const children = new Set<ChildProcess>()
const servers = new Set<number>()

/** Call once, before any test. */
export function prepareFolders(): void {
  before(async () => {
    world = await realpath(await mkdtemp(join(tmpdir(), 'millrace-embedded-')))
    await chmod(world, 0o711)
    // Creating a cluster takes over a second; tests of other things start from a copy of this one.
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
}

/** A path in the folder of this test. */
export function inFolder(...path: string[]): string {
  return join(room, ...path)
}

export async function newFolder(): Promise<string> {
  room = join(world, `room-${++rooms}`)
  await mkdir(room)
  await chmod(room, 0o711)
  return room
}

export async function seeded(): Promise<{ dataDir: string }> {
  const dataDir = join(room && (await exists(room)) ? room : await newFolder(), 'data')
  await once(spawn('cp', ['-R', join(world, 'pristine'), dataDir]), 'exit') // four times as fast as Node's
  return { dataDir } // as root it now belongs to root, like a restored backup
}

export async function packageWithoutLinks(): Promise<string> {
  const packageDir = join(await newFolder(), 'package')
  await cp(await installedPackage(), packageDir, {
    recursive: true,
    filter: async (source) => !(await stat(source)).isFile() || (await realpath(source)) === source,
  })
  return packageDir
}

export async function launch(options: Launch): Promise<Launched> {
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

export function spawnProgram({
  dataDir,
  sharedDir,
  packageDir,
  detached = false,
  uid,
}: Launch): ChildProcess {
  const args = [program, '--dataDir', dataDir, '--sharedDir', sharedDir ?? join(room ?? world, 'shared')]
  if (packageDir) args.push('--packageDir', packageDir)
  const child = spawn(process.execPath, args, { detached, cwd: '/', ...(uid && { uid, gid: uid }) })
  children.add(child)
  return child
}

/** In this process. */
export async function startHere(dataDir: string): ReturnType<typeof startEmbeddedPostgres> {
  const started = await startEmbeddedPostgres({ dataDir, sharedDir: inFolder('shared'), log })
  servers.add(started.pid)
  return started
}

export async function refuses(options: Launch, message: RegExp): Promise<void> {
  const started = startEmbeddedPostgres({ sharedDir: inFolder('shared'), log, ...options })
  await assert.rejects(started, (error) => {
    assert.ok(error instanceof AppError && error.fix)
    assert.match(error.message, message)
    return true
  })
}

export async function isCleanlyDown(dataDir: string, pid: number): Promise<void> {
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

export function serverLog(dataDir: string): Promise<string> {
  return readFile(join(dataDir, 'postgres', 'postgres.log'), 'utf8')
}

export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** The name of the first matching entry, once it exists. */
export async function appears(directory: string, pattern: RegExp): Promise<string> {
  for (;;) {
    const found = (await readdir(directory).catch(() => [])).find((name) => pattern.test(name))
    if (found) return found
    await sleep(2)
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
