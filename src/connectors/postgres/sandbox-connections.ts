import { createLimiter, type Limiter } from '../../concurrency.ts'

/** Open connections of this process to one sandbox, and to all of them. */
export const SANDBOX_CONNECTIONS = 3
const ALL_SANDBOXES = 8

const inTotal = createLimiter(ALL_SANDBOXES)
const sandboxes = new Map<string, { limit: Limiter; users: number }>()

/**
 * Shared by all clients of a sandbox, because each job slice and each search opens one. Sandboxes are in the service's own
 * database, which has few connections.
 */
export function sandboxLimiter(role: string): Limiter {
  return async (work, signal) => {
    const sandbox = sandboxes.get(role) ?? { limit: createLimiter(SANDBOX_CONNECTIONS), users: 0 }
    sandboxes.set(role, sandbox)
    sandbox.users++
    try {
      return await sandbox.limit(() => inTotal(work, signal), signal)
    } finally {
      if (--sandbox.users === 0) sandboxes.delete(role)
    }
  }
}
