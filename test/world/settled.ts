import { deepStrictEqual } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

const LIMIT_MS = 60_000
const PAUSE_MS = 50

/** Reads until the value is as expected; after the limit it fails with the last difference. */
export async function settles<T>(read: () => Promise<T> | T, expected: T, message?: string): Promise<void> {
  await holds(async () => deepStrictEqual(await read(), expected, message))
}

/** Repeats a check until it passes; after the limit it fails as the check does. */
export async function holds(check: () => Promise<void> | void): Promise<void> {
  const end = Date.now() + LIMIT_MS
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > end) throw error
      await sleep(PAUSE_MS)
    }
  }
}
