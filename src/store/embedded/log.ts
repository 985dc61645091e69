import { copyFile, open, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { tryExclusive } from './lock.ts'

const MAX_BYTES = 10_000_000
const CHECK_MS = 60_000

export type ServerLog = { file: Awaited<ReturnType<typeof open>>; path: string; start: number }

/** A file, not a pipe, because the server outlives a killed parent. */
export async function openLog(directory: string): Promise<ServerLog> {
  const path = join(directory, 'postgres.log')
  await rotate(path)
  const file = await open(path, 'a', 0o600)
  return { file, path, start: await sizeOf(path) }
}

/** Checks the log while the server runs; returns how to end that. */
export function keepLogSmall(directory: string): () => void {
  const timer = setInterval(async () => {
    // A process that arrives or leaves, or another that checks, holds it only for a moment.
    const gate = tryExclusive(join(directory, 'gate.lock'))
    if (!gate) return
    await rotate(join(directory, 'postgres.log'))
      .catch(() => {}) // a full disk; the next check tries again
      .finally(() => gate.release())
  }, CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Empties the file in place: the server keeps it open, and appends. */
async function rotate(path: string): Promise<void> {
  if ((await sizeOf(path)) <= MAX_BYTES) return
  await copyFile(path, `${path}.1`)
  await truncate(path)
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
