import { closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Locks between processes that die with their holder. Node has no flock, and a lock file with a pid in it
 * has to be judged stale by whoever comes next, which two processes can do at the same moment and a reused
 * pid can get wrong. SQLite, which is part of Node, takes the operating system's own file locks: after a
 * kill -9 they are simply gone. The files stay empty; nothing is ever written to them.
 */
export type Hold = { release(): void }

// A handle that nobody refers to would be collected, and its lock with it.
const held = new Set<DatabaseSync>()

export function tryShared(path: string): Hold | undefined {
  return tryLock(path, 'BEGIN; SELECT count(*) FROM sqlite_master')
}

export function tryExclusive(path: string): Hold | undefined {
  return tryLock(path, 'BEGIN EXCLUSIVE')
}

/** Waits for its turn; the holder before us may be making a new cluster, which takes seconds. */
export async function exclusive(path: string, signal?: AbortSignal): Promise<Hold> {
  for (;;) {
    signal?.throwIfAborted()
    const hold = tryExclusive(path)
    if (hold) return hold
    await sleep(20, undefined, { signal })
  }
}

function tryLock(path: string, statement: string): Hold | undefined {
  // Nobody else may open it: whoever can read a file can lock it, and keep us waiting for ever. Only where it
  // is missing, since closing any handle on a file drops every lock this process has on it.
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
