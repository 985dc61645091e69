import type { Destination, Source } from '../connectors/connector.ts'
import type { DocumentRef, DocumentWarning } from '../document.ts'
import type { Runner } from '../pipeline/runner.ts'
import type { Ledger } from './ledger.ts'

/** After `until` its permissions are too old, and it is listed again. */
export type DocumentTask = { ref: DocumentRef; kind: 'new' | 'changed' | 'permissions_only'; until?: Date }

export type DocumentOutcome =
  | {
      recordId: string
      state: 'new' | 'changed' | 'permissions_only'
      elements: number
      warnings?: DocumentWarning[]
    }
  | { recordId: string; state: 'skipped' | 'failed'; error: { code: string; message: string } }
  /** It changed after its listing: it has to be listed again. */
  | { recordId: string; state: 'again' }

/** What a slice needs; `beforeWrite` throws if the run was cancelled. */
export type SliceContext = {
  source: Source
  destination: Destination
  ledger: Ledger
  settingsHash: string
  runner: Runner
  beforeWrite(): Promise<void>
  report(outcomes: DocumentOutcome[]): Promise<void>
  /** Time by stage; stages of slices overlap, so compare shares. */
  measure?(stage: Stage, ms: number): void
}

export type Stage = 'read' | 'work' | 'embed' | 'write'
