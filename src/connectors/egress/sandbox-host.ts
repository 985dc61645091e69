import type { ConnectionOptions } from 'node:tls'
import { bareHost } from './address.ts'

/** The host of the sandbox, a part of the service's own database. It is never resolved. */
export const SANDBOX_HOST = 'sandbox.millrace.internal'
export const SANDBOX_MAX_DOCUMENTS = 5_000

/** The address of the service's own database. */
export type SandboxDatabase = {
  host: string
  port: number
  database: string
  ssl: boolean | ConnectionOptions
  /** What one sandbox may hold. */
  maxMb: number
}

/** The sandbox host and names below it. */
export function isSandboxHost(hostname: string): boolean {
  const host = bareHost(hostname)
  return host === SANDBOX_HOST || host.endsWith(`.${SANDBOX_HOST}`)
}
