import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, statfs } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { startEmbeddedPostgres } from '../../src/store/embedded/start.ts'

export type FreshDatabase = { url: string; drop(): Promise<void> }

/** Fills a database once per process; databases with the same function are copies. */
export type Template = (url: string) => Promise<void>

/** A new database on the server of MILLRACE_TEST_PG_URL, else on an embedded one. */
export async function freshDatabase({ template }: { template?: Template } = {}): Promise<FreshDatabase> {
  const source = template && (await templateName(template))
  return create(source)
}

/** A new database with the tables of the service, if test/run.ts prepared them: its start takes 0.2 s less. */
export function migratedDatabase(): Promise<FreshDatabase> {
  return create(process.env.MILLRACE_TEST_PG_TEMPLATE)
}

let server: Promise<string> | undefined

/** The address of that server, for other processes that share it. */
export function testServer(): Promise<string> {
  server ??= process.env.MILLRACE_TEST_PG_URL
    ? Promise.resolve(process.env.MILLRACE_TEST_PG_URL)
    : temporaryFolder('millrace-postgres-').then((directory) => startTemporaryServer({ directory }))
  return server
}

/** For data that does not outlive the process. */
const FAST_SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_init_zero: 'off',
}

/** Starts a server that ends with this process, which deletes the folder. */
export async function startTemporaryServer({
  directory,
  isDurable = false,
  ...from
}: {
  directory: string
  isDurable?: boolean
  /** Other binaries than those of the npm package. */
  packageDir?: string
}): Promise<string> {
  const { url, pid } = await startEmbeddedPostgres({
    ...from,
    dataDir: join(directory, 'data'),
    log: pino({ level: 'silent' }),
    settings: isDurable ? {} : FAST_SETTINGS,
  })
  stopWithThisProcess(pid, directory)
  return url
}

/** In a folder that the account of PostgreSQL may enter if we are root. */
export async function temporaryFolder(prefix: string, within?: string): Promise<string> {
  const directory = await mkdtemp(join(within ?? (await fastestFolder()), prefix))
  await chmod(directory, 0o711)
  return directory
}

/** In memory if possible: creating a database takes 10 ms instead of 100 ms. */
async function fastestFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined)
  const free = memory ? memory.bavail * memory.bsize : 0
  return free > 1_000_000_000 ? '/dev/shm' : tmpdir()
}

/** A killed process runs no hooks; a shell that reads from us notices its end. */
function stopWithThisProcess(pid: number, directory: string): void {
  // Its pid file is deleted last; this never takes 10 s.
  const script = 'cat; kill -QUIT $1; for i in $(seq 200); do [ -e "$3" ] && sleep 0.05; done; rm -rf "$2"'
  const pidFile = join(directory, 'data', 'postgres', 'data', 'postmaster.pid')
  const shell = spawn('/bin/sh', ['-c', script, 'sh', String(pid), directory, pidFile], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.unref()
  const pipe = shell.stdin as Socket // a pipe; Writable has no unref
  pipe.unref()
}

const templates = new Map<Template, Promise<string>>()

function templateName(template: Template): Promise<string> {
  const known = templates.get(template)
  if (known) return known
  const made = create().then(async ({ url }) => {
    await template(url)
    return nameIn(url)
  })
  templates.set(template, made)
  return made
}

async function create(source = 'template0'): Promise<FreshDatabase> {
  const name = `millrace_test_${randomBytes(6).toString('hex')}`
  await runAsAdmin(`create database ${name} template ${source} ${await strategy()}`)
  const url = new URL(await testServer())
  url.pathname = name
  return { url: url.href, drop: () => dropDatabase(name) }
}

/** A running vacuum cannot be ended, but ends by itself. */
export async function dropDatabase(name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await runAsAdmin(`drop database if exists ${name} with (force)`)
    } catch (error) {
      if ((error as { code?: string }).code !== '42501' || tries === 40) throw error
      await sleep(250)
    }
  }
}

/** Copying files forces checkpoints, which cost nothing without fsync. */
async function strategy(): Promise<string> {
  const { rows } = await (await adminPool()).query('show fsync')
  return rows[0].fsync === 'off' ? 'strategy file_copy' : ''
}

async function runAsAdmin(statement: string): Promise<void> {
  await (await adminPool()).query(statement)
}

let pool: Promise<pg.Pool> | undefined

function adminPool(): Promise<pg.Pool> {
  pool ??= testServer().then((url) => {
    // One connection: parallel copies of a template are no faster.
    const made = new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true })
    made.on('error', () => {})
    return made
  })
  return pool
}

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1)
}
