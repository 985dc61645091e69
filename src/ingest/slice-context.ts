import type { Destination, Source } from '../connectors/connector.ts'
import type { DocumentRef, DocumentWarning } from '../document.ts'
import type { Runner } from '../pipeline/runner.ts'
import type { Ledger } from './ledger.ts'

/** `until`: after this time the rights of the ref are too old to be written, and it has to be listed again. */
export type DocumentTask = { ref: DocumentRef; kind: 'new' | 'changed' | 'permissions_only'; until?: Date }

export type DocumentOutcome =
  | {
      recordId: string
      state: 'new' | 'changed' | 'permissions_only'
      elements: number
      warnings?: DocumentWarning[]
    }
  | { recordId: string; state: 'skipped' | 'failed'; error: { code: string; message: string } }
  /** It changed after it was listed, and its rights may have too: it has to be listed again before it is written. */
  | { recordId: string; state: 'again' }

/** Everything a slice works with; `beforeWrite` throws where the run was cancelled meanwhile. */
export type SliceContext = {
  source: Source
  destination: Destination
  ledger: Ledger
  settingsHash: string
  bench: Runner
  beforeWrite(): Promise<void>
  report(outcomes: DocumentOutcome[]): Promise<void>
  /** Where the time of a slice goes; stages overlap between slices, so shares add up and seconds do not. */
  measure?(stage: Stage, ms: number): void
}

export type Stage = 'read' | 'work' | 'embed' | 'write'
