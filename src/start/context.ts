import type { Logger } from 'pino'
import type { Monitoring } from '../api/http/monitoring/monitoring.ts'
import type { Registry } from '../connectors/registry.ts'
import type { TaskQueue } from '../jobs/queue/engine.ts'
import type { RedactionRegistry } from '../log/redaction.ts'
import type { PoolUse } from '../store/database.ts'

/** What each step of the start uses. */
export type StartContext = {
  log: Logger
  secrets: RedactionRegistry
  registry: Registry
  /** Called in reverse order. */
  closers: (() => Promise<unknown>)[]
  monitoring: Monitoring
  /** The use of each connection pool. */
  pools: Record<string, () => PoolUse>
  onBroken: (reason: string) => void
  onEngine: (engine: TaskQueue) => void
}
