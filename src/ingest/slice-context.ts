import type { Destination } from '../connectors/destination.ts'
import type { Source } from '../connectors/source.ts'
import type { DocumentRef, DocumentWarning } from '../document.ts'
import type { DocumentStage } from '../document-stage.ts'
import type { Runner } from '../pipeline/runner.ts'
import type { MeasuredStage } from '../process-metrics.ts'
import type { Ledger } from './ledger.ts'

/**
 * After `expiresAt` its permissions are too old, and it is listed again. `asOf`: when the listing read them; text that is
 * newer needs newer ones.
 */
export type DocumentTask = {
  ref: DocumentRef
  kind: 'new' | 'changed' | 'permissions_only'
  expiresAt?: Date
  asOf?: Date
}

export type DocumentOutcome =
  | {
      recordId: string
      state: 'new' | 'changed' | 'permissions_only'
      elements: number
      warnings?: DocumentWarning[]
    }
  /** Without a `stage` it failed where it was. */
  | {
      recordId: string
      state: 'skipped' | 'failed'
      stage?: DocumentStage
      error: { code: string; message: string }
    }
  /** It changed after its listing: it has to be listed again. */
  | { recordId: string; state: 'relist' }

/** What a slice needs. */
export type SliceContext = {
  source: Source
  destination: Destination
  settingsHash: string
  runner: Runner
  /** The ledger with a new fence, for one write. Throws if the job was stopped or another task has the documents. */
  openLedger(recordIds: string[]): Promise<Ledger>
  /** The documents as they should be written now, after `openLedger`; absent documents are listed again. */
  wanted(refs: DocumentRef[]): Promise<Map<string, DocumentRef>>
  /** The documents as the source has them now; absent ones are listed again. Null if only a listing can tell. */
  relist: ((refs: DocumentRef[]) => Promise<Map<string, DocumentRef>>) | null
  report(outcomes: DocumentOutcome[]): Promise<void>
  /** When the slice stops waiting for documents, as `performance.now()` tells it. */
  endsAt?: number
  /** Documents reached a stage. */
  reach?(recordIds: string[], stage: DocumentStage): void
  /** Time by stage; stages of slices overlap, so compare shares. */
  measure?(stage: MeasuredStage, ms: number): void
}
