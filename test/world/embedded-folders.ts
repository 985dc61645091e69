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
import { commandsContaining, isAlive, waitUntilGone } from './processes.ts'

/** Processes with an embedded PostgreSQL; each test has its own folder. */
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
let testFolder: string
let folderCount = 0
const children = new Set<ChildProcess>()
const servers = new Set<number>()

/** Call once, before any test. */
export function prepareFolders(): void {
  before(async () => {
    world = await realpath(await mkdtemp(join(tmpdir(), 'millrace-embedded-')))
    await chmod(world, 0o711)
    // Creating a cluster takes over a second; other tests copy this one.
    const first = await launch({ dataDir: join(world, 'pristine') })
    await first.end('SIGTERM')
  })
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL')
    for (const pid of servers) if (await isAlive(pid)) process.kill(pid, 'SIGQUIT')
    for (const pid of servers) await waitUntilGone(pid)
    children.clear()
    servers.clear()
    if (testFolder) await rm(testFolder, { recursive: true, force: true })
  })
  after(() => rm(world, { recursive: true, force: true, maxRetries: 5 }))
}

/** A path in the folder of this test. */
export function inFolder(...path: string[]): string {
  return join(testFolder, ...path)
}

export async function newFolder(): Promise<string> {
  testFolder = join(world, `room-${++folderCount}`)
  await mkdir(testFolder)
  await chmod(testFolder, 0o711)
  return testFolder
}

export async function copyOfCluster(): Promise<{ dataDir: string }> {
  const dataDir = join(testFolder && (await exists(testFolder)) ? testFolder : await newFolder(), 'data')
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
  let stderr = ''
  child.stderr?.on('data', (text) => {
    stderr += text
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the process ended: ${stderr}`)
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
  const args = [
    program,
    '--dataDir',
    dataDir,
    '--sharedDir',
    sharedDir ?? join(testFolder ?? world, 'shared'),
  ]
  if (packageDir) args.push('--packageDir', packageDir)
  const child = spawn(process.execPath, args, { detached, cwd: '/', ...(uid && { uid, gid: uid }) })
  children.add(child)
  return child
}

/** In this process. */
export async function startInThisProcess(dataDir: string): ReturnType<typeof startEmbeddedPostgres> {
  const started = await startEmbeddedPostgres({ dataDir, sharedDir: inFolder('shared'), log })
  servers.add(started.pid)
  return started
}

export async function assertStartRefused(
  { fix = /./, ...options }: Launch & { fix?: RegExp },
  message: RegExp,
): Promise<void> {
  const started = startEmbeddedPostgres({ sharedDir: inFolder('shared'), log, ...options })
  await assert.rejects(started, (error) => {
    assert.ok(error instanceof AppError)
    assert.match(error.message, message)
    assert.match(error.fix ?? '', fix)
    return true
  })
}

export async function assertCleanShutdown(dataDir: string, pid: number): Promise<void> {
  // An exiting process has no command line for a moment before it is gone.
  await waitUntilGone(pid)
  assert.ok(!(await readdir(join(dataDir, 'postgres', 'data'))).includes('postmaster.pid'))
  const text = await serverLog(dataDir)
  assert.match(text, /database system is shut down\n$/)
  assert.equal(
    text.match(/received (fast|smart|immediate) shutdown request/g)?.at(-1),
    'received fast shutdown request',
  )
  assert.deepEqual(await commandsContaining(join(dataDir, 'postgres')), [])
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
export async function waitForEntry(directory: string, pattern: RegExp): Promise<string> {
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
