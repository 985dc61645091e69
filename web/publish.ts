import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

// A page of an older build still loads its chunks.
const KEPT_MS = 24 * 60 * 60 * 1000

/**
 * Moves a build to where it is served from. Asset names hold hashes, and index.html comes last, so concurrent
 * builds never break a reader.
 */
export async function publish(made: string, dist: string): Promise<void> {
  const names = await filesIn(made)
  names.sort((one, other) => Number(one === 'index.html') - Number(other === 'index.html'))
  for (const name of names) {
    await mkdir(dirname(join(dist, name)), { recursive: true })
    await rename(join(made, name), join(dist, name))
  }
  const ours = new Set(names)
  for (const name of await filesIn(join(dist, 'assets'))) {
    if (!ours.has(join('assets', name))) await removeOld(join(dist, 'assets', name))
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
  const made = await stat(path).catch(() => null)
  if (made && Date.now() - made.mtimeMs > KEPT_MS) await rm(path, { force: true })
}
