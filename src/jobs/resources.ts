import type { SharedEgress } from '../connectors/egress/egress.ts'
import type { Registry } from '../connectors/registry.ts'
import type { Log } from '../connectors/type.ts'
import type { Release } from '../log/redaction.ts'
import type { TokenMeter } from '../pipeline/models/token-meter.ts'
import type { RunnerFactory } from '../pipeline/runner-factory.ts'
import type { Database } from '../store/database.ts'
import type { Vault } from '../store/vault.ts'
import type { UploadQuotas } from './upload-quotas.ts'

/** What a process keeps open until it stops; `start.ts` closes it in reverse order. */
export type Resources = {
  db: Database
  vault: Vault
  egress: SharedEgress
  registry: Registry
  log: Log
  runners: RunnerFactory
  /** Counts the model tokens of a workspace. */
  meter(workspaceId: string): TokenMeter
  /** Keeps a secret out of log lines until it is released. */
  hide(secret: string): Release
  uploadQuotas: UploadQuotas
}
