import type { Log } from '../connectors/connector.ts'
import type { Egress } from '../connectors/egress/egress.ts'
import type { Registry } from '../connectors/registry.ts'
import type { RunnerFactory } from '../pipeline/runner-factory.ts'
import type { Database } from '../store/database.ts'
import type { Vault } from '../store/vault.ts'

/** What a process has open for as long as it lives; made in main, closed there in reverse order. */
export type Resources = {
  db: Database
  vault: Vault
  egress: Egress
  registry: Registry
  log: Log
  workshop: RunnerFactory
  /** A secret that is about to be used; from then on no log line can hold it. */
  hide(secret: string): void
}
