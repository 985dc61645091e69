import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Node arguments: a reader may read its code, use its temporary folder, and start no program. */
export function confinement(folder: string | null): string[] {
  const ownFolders = folder === null ? [] : [...new Set([folder, realPath(folder)])]
  return [
    '--permission',
    ...[...codeFolders(), ...ownFolders].map((path) => `--allow-fs-read=${path}`),
    ...ownFolders.map((path) => `--allow-fs-write=${path}`),
    '--allow-worker',
    '--allow-addons',
  ]
}

/** A folder that only the reader sees does not exist here. */
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder
}

/** The parent owns the folder, because a killed process cannot clean up. Null on failure. */
export function makeFolder(): string | null {
  try {
    return mkdtempSync(join(tmpdir(), 'millrace-reader-'))
  } catch {
    return null
  }
}

/** A path for a folder that the reader makes for itself. */
export function newFolder(): string {
  return join(tmpdir(), `millrace-reader-${randomUUID()}`)
}

/** Called when the parent may have ended. */
export function removeFolder(folder: string): void {
  if (folder === '') return
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {}
}

/** This source tree or its build, package.json, and every node_modules on the way up. */
export function codeFolders(): string[] {
  const code = fileURLToPath(new URL('../../..', import.meta.url))
  const found = [code, join(code, '..', 'package.json')]
  for (let at = code; at !== dirname(at); at = dirname(at)) found.push(join(at, 'node_modules'))
  const existing = found.filter((path) => existsSync(path))
  return [...new Set(existing.flatMap((path) => [path, realpathSync(path)]))]
}
