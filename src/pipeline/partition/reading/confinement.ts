import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * What Node keeps a reader from, as arguments of its process: it can read the code that it runs and its own folder for
 * what it writes in passing, and starts no program. A key, a setting or another document beside them is out of reach.
 */
export function confinement(folder: string | null): string[] {
  const own = folder === null ? [] : [...new Set([folder, realpathSync(folder)])]
  return [
    '--permission',
    ...[...codeFolders(), ...own].map((path) => `--allow-fs-read=${path}`),
    ...own.map((path) => `--allow-fs-write=${path}`),
    '--allow-worker',
    '--allow-addons',
  ]
}

/** Owned by whoever starts a reader, since a process that was killed clears nothing up; null where there is no room. */
export function makeFolder(): string | null {
  try {
    return mkdtempSync(join(tmpdir(), 'millrace-reader-'))
  } catch {
    return null
  }
}

/** Where the parent cannot any more. */
export function removeFolder(folder: string): void {
  if (folder === '') return
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {}
}

/** This tree, as it is here or built, the manifest that says how it is loaded, and packages wherever they are looked up. */
function codeFolders(): string[] {
  const code = fileURLToPath(new URL('../../..', import.meta.url))
  const found = [code, join(code, '..', 'package.json')]
  for (let at = code; at !== dirname(at); at = dirname(at)) found.push(join(at, 'node_modules'))
  const there = found.filter((path) => existsSync(path))
  return [...new Set(there.flatMap((path) => [path, realpathSync(path)]))]
}
