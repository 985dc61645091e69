import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CACHE = join(import.meta.dirname, '../../node_modules/.cache')
const UNPACKED = join(CACHE, 'promtool')

/** The promtool of the PATH, else of Debian's package, which is unpacked and not installed: it would start a server. */
export async function findPromtool(): Promise<string> {
  if (await run('promtool', ['--version']).catch(() => null)) return 'promtool'
  const path = join(UNPACKED, 'usr/bin/promtool')
  if (!(await exists(path))) await unpack()
  return path
}

async function unpack(): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(join(CACHE, 'promtool-'))
  try {
    const download = () => run('apt-get', ['download', 'prometheus'], { cwd: folder, timeout: 300_000 })
    await download().catch(async () => {
      // A fresh machine has no package lists.
      await run('apt-get', ['update'], { timeout: 300_000 })
      await download()
    })
    const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'))
    if (!archive) throw new Error('apt-get downloaded no package')
    await run('dpkg', ['-x', join(folder, archive), folder])
    await rm(join(folder, archive))
    // Another process may have been faster.
    await rename(folder, UNPACKED).catch(() => {})
  } catch (error) {
    throw new Error('the test of the alerts needs promtool; on Debian: apt-get install prometheus', {
      cause: error,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
