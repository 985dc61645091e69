import { execFile } from 'node:child_process'
import { access, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/debian')

/** Installs packages with their dependencies. */
export async function installPackages(packages: string[]): Promise<void> {
  const args = [...APT_OPTIONS, 'install', '-y', '--no-install-recommends', ...packages]
  await withLists(() => aptGet(args))
}

/** A program on the PATH, or of a package that is installed now. */
export async function provideInstalled(name: string, packageName: string): Promise<string> {
  const found = await onPath(name)
  if (found) return found
  await installPackages([packageName]).catch((error) => {
    throw missing(name, packageName, error)
  })
  return (await onPath(name)) ?? name
}

/** A program on the PATH, or unpacked from its package: installing it would start a server on its default port. */
export async function provideServer(name: string, packageName: string): Promise<string> {
  const unpacked = join(CACHE, packageName)
  const find = async () => {
    for (const folder of ['usr/sbin', 'usr/bin']) {
      const path = join(unpacked, folder, name)
      if (await isExecutable(path)) return path
    }
    return onPath(name)
  }
  const found = await find()
  if (found) return found
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(join(CACHE, '.new-'))
  try {
    await withLists(() => aptGet([...APT_OPTIONS, 'download', packageName], folder))
    const archive = (await readdir(folder)).find((file) => file.endsWith('.deb'))
    await run('dpkg-deb', ['-x', join(folder, archive ?? ''), join(folder, 'root')])
    // Another test file may have been faster.
    await rename(join(folder, 'root'), unpacked).catch(() => {})
  } catch (error) {
    throw missing(name, packageName, error)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return (await find()) ?? name
}

export function lastLine(error: unknown): string {
  return outputOf(error).trim().split('\n').at(-1) ?? ''
}

function missing(name: string, packageName: string, cause: unknown): Error {
  const advice = `install it (on Debian: apt-get install ${packageName})`
  return new Error(`this test needs ${name}; ${advice}; apt-get failed (${lastLine(cause)})`, { cause })
}

async function onPath(name: string): Promise<string | null> {
  // Servers are in sbin, which is not on the PATH of every user.
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']) {
    const path = join(folder, name)
    if (await isExecutable(path)) return path
  }
  return null
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

// Waits five minutes for another apt-get, and 20 s for a network.
const APT_OPTIONS = [
  '-o',
  'DPkg::Lock::Timeout=300',
  '-o',
  'Acquire::Retries=1',
  '-o',
  'Acquire::http::Timeout=20',
]

/** A fresh machine has no or old package lists. */
async function withLists(attempt: () => Promise<void>): Promise<void> {
  await attempt().catch(async () => {
    const updated = await updateLists().catch((error: Error) => error)
    await attempt().catch((error: unknown) => {
      throw updated ?? error
    })
  })
}

/** The lists have a separate lock, for which apt-get does not wait. */
async function updateLists(): Promise<void> {
  for (const end = Date.now() + 300_000; ; await sleep(1000)) {
    try {
      return await aptGet([...APT_OPTIONS, 'update'])
    } catch (error) {
      if (Date.now() > end || !/Could not get lock/.test(outputOf(error))) throw error
    }
  }
}

async function aptGet(args: string[], cwd?: string): Promise<void> {
  // The output is parsed, so it has to be in one language.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  await run('apt-get', args, { env, cwd, maxBuffer: 64 * 1024 * 1024, timeout: 15 * 60_000 })
}

/** The output of a command, or why it could not start. */
function outputOf(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  return stderr || String(error)
}
