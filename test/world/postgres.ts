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

/** Fills an empty database once per process; databases with the same function are copies of it. */
export type Template = (url: string) => Promise<void>

/**
 * A new database on the server of MILLRACE_TEST_PG_URL, whose role may create databases, else on an embedded one that
 * ends with this process.
 */
export async function freshDatabase({ template }: { template?: Template } = {}): Promise<FreshDatabase> {
  const source = template && (await prepared(template))
  return create(source)
}

let server: Promise<string> | undefined

/** The address of that server, for other processes that share it. */
export function testServer(): Promise<string> {
  server ??= process.env.MILLRACE_TEST_PG_URL
    ? Promise.resolve(process.env.MILLRACE_TEST_PG_URL)
    : startForThisProcess()
  return server
}

async function startForThisProcess(): Promise<string> {
  const directory = await mkdtemp(join(await quickest(), 'millrace-postgres-'))
  await chmod(directory, 0o711) // for the account that PostgreSQL runs as if we are root
  const { url, pid } = await startEmbeddedPostgres({
    dataDir: join(directory, 'data'),
    log: pino({ level: 'silent' }),
    // Nothing here outlives the process.
    settings: {
      fsync: 'off',
      full_page_writes: 'off',
      synchronous_commit: 'off',
      wal_level: 'minimal',
      max_wal_senders: '0',
      wal_init_zero: 'off',
    },
  })
  clearUpAfterUs(pid, directory)
  return url
}

/** In memory if there is enough: a database is about 300 files, 100 ms on a disk and 10 ms in memory. */
async function quickest(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined)
  const free = memory ? memory.bavail * memory.bsize : 0
  return free > 1_000_000_000 ? '/dev/shm' : tmpdir()
}

/** A killed process runs no hooks. A shell that reads from us notices every kind of end. */
function clearUpAfterUs(pid: number, directory: string): void {
  // Its pid file is deleted last; a zombie would keep its number. It never takes 10 s.
  const script = 'cat; kill -QUIT $1; for i in $(seq 200); do [ -e "$3" ] && sleep 0.05; done; rm -rf "$2"'
  const pidFile = join(directory, 'data', 'postgres', 'data', 'postmaster.pid')
  const shell = spawn('/bin/sh', ['-c', script, 'sh', String(pid), directory, pidFile], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.unref()
  const ourEnd = shell.stdin as Socket // a pipe; Writable has no unref
  ourEnd.unref()
}

const templates = new Map<Template, Promise<string>>()

function prepared(template: Template): Promise<string> {
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
  await administer(`create database ${name} template ${source} ${await strategy()}`)
  const url = new URL(await testServer())
  url.pathname = name
  return { url: url.href, drop: () => drop(name) }
}

/** A running vacuum belongs to the server: it cannot be ended, and ends by itself. */
async function drop(name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await administer(`drop database if exists ${name} with (force)`)
    } catch (error) {
      if ((error as { code?: string }).code !== '42501' || tries === 40) throw error
      await sleep(250)
    }
  }
}

/** Copying files forces checkpoints, which cost nothing without fsync. */
async function strategy(): Promise<string> {
  const { rows } = await (await administration()).query('show fsync')
  return rows[0].fsync === 'off' ? 'strategy file_copy' : ''
}

async function administer(statement: string): Promise<void> {
  await (await administration()).query(statement)
}

let pool: Promise<pg.Pool> | undefined

function administration(): Promise<pg.Pool> {
  pool ??= testServer().then((url) => {
    // One connection, which does not keep the process alive. Parallel copies of one template are no faster.
    const made = new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true })
    made.on('error', () => {})
    return made
  })
  return pool
}

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1)
}
