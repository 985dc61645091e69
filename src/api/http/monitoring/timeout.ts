import { setTimeout as sleep } from 'node:timers/promises'

// Monitoring gives up after 10 s by default.
const TIMEOUT_MS = 3_000

export async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const cancel = new AbortController()
  const timeout = sleep(TIMEOUT_MS, undefined, { signal: cancel.signal, ref: false }).then(() => {
    throw new Error(`no response within ${TIMEOUT_MS} ms`)
  })
  timeout.catch(() => {}) // `Promise.race` reports it
  try {
    return await Promise.race([work, timeout])
  } finally {
    cancel.abort()
  }
}
