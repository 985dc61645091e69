import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

// A page that was opened from an older build asks for its parts when it first needs them.
const KEPT_MS = 24 * 60 * 60 * 1000

/**
 * Moves what was built to where it is served from, file by file. Names of assets hold a hash of what is in them, so
 * they can lie beside those of other builds, and index.html, which names them, comes last: whoever reads it finds
 * everything it names, also while several builds of one tree end at the same time.
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
  // Another build may have removed it already.
  const made = await stat(path).catch(() => null)
  if (made && Date.now() - made.mtimeMs > KEPT_MS) await rm(path, { force: true })
}
