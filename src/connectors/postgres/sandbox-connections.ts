import { createSharedLimiter, type Limiter } from '../../concurrency.ts'

/** Open connections of this process to one sandbox, and to all of them. */
const SANDBOX_CONNECTIONS = 3
const ALL_SANDBOXES = 8

const limit = createSharedLimiter({ total: ALL_SANDBOXES, each: SANDBOX_CONNECTIONS })

/**
 * Shared by all clients of a sandbox, because each job slice and each search opens one. Sandboxes are in the service's own
 * database, which has few connections.
 */
export function sandboxLimiter(role: string): Limiter {
  return (work, signal) => limit(role, work, signal)
}
