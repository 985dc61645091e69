import { lstat, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** No upload takes as long, so an older folder of another host, whose process cannot be checked, is abandoned. */
const ABANDONED_MS = 24 * 3600_000
const NAME = /^millrace-uploads-(.+)-(\d+)-[A-Za-z0-9]{6}$/

/** Folders that this process uses; a container gives the same id to its next process. */
const own = new Set<string>()

export function keepFolder(path: string): void {
  own.add(path)
}

/** Removes upload folders of killed processes. Ignores folders of other users and links. */
export async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, host, pid] = NAME.exec(name) ?? []
    const path = join(parent, name)
    if (pid === undefined || own.has(path)) continue
    const found = await lstat(path).catch(() => null)
    if (!found?.isDirectory() || found.uid !== process.getuid?.()) continue
    // An idle process does not change its folder, so age says nothing about processes of this host.
    const isAbandoned =
      host === hostLabel() ? !isRunning(Number(pid)) : Date.now() - found.mtimeMs > ABANDONED_MS
    if (isAbandoned) await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

/** The host is part of the name, because containers may share a folder and reuse process ids. */
export function folderPrefix(): string {
  return `millrace-uploads-${hostLabel()}-${process.pid}-`
}

function hostLabel(): string {
  return hostname().replaceAll(/[^A-Za-z0-9.]/g, '_')
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
