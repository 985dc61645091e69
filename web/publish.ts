import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

// Open pages of an older build still load their chunks.
const ASSET_RETENTION_MS = 24 * 60 * 60 * 1000

/**
 * Moves a build to the served directory. Asset names contain hashes and HTML files are moved last, so concurrent
 * builds never break an open page.
 */
export async function publish(buildDirectory: string, dist: string): Promise<void> {
  const names = await filesIn(buildDirectory)
  names.sort((one, other) => Number(one.endsWith('.html')) - Number(other.endsWith('.html')))
  for (const name of names) {
    await mkdir(dirname(join(dist, name)), { recursive: true })
    await rename(join(buildDirectory, name), join(dist, name))
  }
  const published = new Set(names)
  for (const name of await filesIn(join(dist, 'assets'))) {
    if (!published.has(join('assets', name))) await removeOld(join(dist, 'assets', name))
  }
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
}

async function removeOld(path: string): Promise<void> {
  // Another build may have removed it.
  const file = await stat(path).catch(() => null)
  if (file && Date.now() - file.mtimeMs > ASSET_RETENTION_MS) await rm(path, { force: true })
}
