import { closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** A file lock that ends with its holder. Node has no flock; SQLite uses the system's locks. */
export type FileLock = { release(): void }

// Keeps handles referenced: collecting one would release its lock.
const held = new Set<DatabaseSync>()

export function tryShared(path: string): FileLock | undefined {
  return tryLock(path, 'BEGIN; SELECT count(*) FROM sqlite_master')
}

export function tryExclusive(path: string): FileLock | undefined {
  return tryLock(path, 'BEGIN EXCLUSIVE')
}

/** Waits for the lock; a holder that creates a cluster takes seconds. */
export async function lockExclusive(path: string, signal?: AbortSignal): Promise<FileLock> {
  for (;;) {
    signal?.throwIfAborted()
    const hold = tryExclusive(path)
    if (hold) return hold
    await sleep(20, undefined, { signal })
  }
}

function tryLock(path: string, statement: string): FileLock | undefined {
  // Private, because any reader can lock it. Created only if missing, because closing a handle drops all its locks.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const handle = new DatabaseSync(path, { timeout: 0 })
  try {
    handle.exec(statement)
  } catch (error) {
    handle.close()
    if (isBusy(error)) return undefined
    throw error
  }
  held.add(handle)
  return {
    release() {
      if (held.delete(handle)) handle.close()
    },
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5 // SQLITE_BUSY
}
