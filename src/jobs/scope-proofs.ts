import type { Database } from '../store/database.ts'
import type { JobRow } from '../store/jobs/jobs.ts'
import { proveScope } from '../store/ledger/scopes.ts'
import type { ListingBatch } from './listing-batches.ts'

/** Records when the permissions of each scope were read to the end; reading began with its first batch. */
export class ScopeProofs {
  readonly #db: Database
  readonly #job: Pick<JobRow, 'id' | 'workflow_id'>
  readonly #asOf = new Map<string, Date>()
  readonly #closed: string[] = []
  readonly #ignored = new Set<string>()

  constructor(db: Database, job: Pick<JobRow, 'id' | 'workflow_id'>) {
    this.#db = db
    this.#job = job
  }

  get closed(): string[] {
    return this.#closed
  }

  /** When reading of the scope began, given that of a batch. */
  asOf(scope: string, batchAsOf: Date): Date {
    const before = this.#asOf.get(scope)
    return before && before < batchAsOf ? before : batchAsOf
  }

  /** `isNewest`: whether the permissions of the batch were applied; a scope with an ignored batch is not proved. */
  async follow(
    { scope, end }: ListingBatch,
    { asOf, isNewest }: { asOf: Date; isNewest: boolean },
  ): Promise<void> {
    const began = this.asOf(scope, asOf)
    this.#asOf.set(scope, began)
    if (!isNewest) this.#ignored.add(scope)
    if (!end) return
    this.#closed.push(scope)
    if (this.#ignored.has(scope)) return
    const { id: jobId, workflow_id: workflowId } = this.#job
    await proveScope(this.#db, workflowId, { scope, asOf: began, jobId })
  }
}
