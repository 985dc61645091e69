import type { ListingStart } from '../../connectors/source.ts'
import type { DocumentRef } from '../../document.ts'
import type { Database } from '../../store/database.ts'
import type { JobScope } from '../../store/jobs/job-scopes.ts'
import { holdActive, type JobRow } from '../../store/jobs/jobs.ts'
import { deleteUnusedSets } from '../../store/ledger/permission-sets.ts'
import { forgetScopes, proveScope } from '../../store/ledger/scopes.ts'
import { hideOtherScopes, hideUnseen, unseenInRange } from '../../store/ledger/unlisted.ts'
import { applyInTransaction, type ListingMode, lockWanted } from '../../store/ledger/wanted.ts'
import { cancelled } from '../job-outcome.ts'
import type { ListingBatch } from './listing-batches.ts'

/** What a batch changed. */
export type AppliedBatch = {
  /** When reading of its permissions began. */
  asOf: Date
  /** Whether a later reading made a part of it useless. */
  isOutdated: boolean
  /** Documents of its range that it does not hold. */
  unseen: string[]
  /** How many of them it hid. */
  hidden: number
  /** Changed documents and permission sets. */
  changes: number
}

type ListingJob = Pick<JobRow, 'id' | 'workflow_id'>

/** When reading of a scope began, and whether a newer listing made it useless. */
type ScopeReading = { asOf: Date; isOutdated: boolean }

/**
 * Makes a listing the wanted state. Every listing does it this way, of jobs, retries, repairs, relists and passes: what a
 * listing did not show is hidden before the scope counts as proved.
 */
export class AppliedListing {
  /** Where the listing continues. */
  readonly start: ListingStart
  readonly #job: ListingJob
  readonly #began = new Date()
  readonly #scopes: Map<string, ScopeReading>
  readonly #ended: Set<string>

  /** `before`: what an interrupted attempt has recorded. */
  constructor(job: ListingJob, before: JobScope[] = []) {
    this.#job = job
    this.#scopes = new Map(before.map(({ scope, asOf, outdated }) => [scope, { asOf, isOutdated: outdated }]))
    this.#ended = new Set(before.filter(({ ended }) => ended).map(({ scope }) => scope))
    this.start = {
      ended: new Set(this.#ended),
      after: new Map(
        before.flatMap(({ scope, position, ended }) =>
          ended || position === null ? [] : [[scope, position]],
        ),
      ),
    }
  }

  /** Whether a newer listing made parts of this one useless. */
  get isOutdated(): boolean {
    return [...this.#scopes.values()].some(({ isOutdated }) => isOutdated)
  }

  /** Before a transaction reads or changes the wanted state. A job that has ended changes nothing. */
  async lock(transaction: Database): Promise<void> {
    await lockWanted(transaction, this.#job.workflow_id)
    if (!(await holdActive(transaction, this.#job.id))) throw cancelled(this.#job.id)
  }

  /** Call `lock` first. A scope that ends is proved if no batch of it came too late. */
  async apply(
    transaction: Database,
    { scope, refs, after, to, end, ...batch }: ListingBatch,
    modeOf: (ref: DocumentRef) => ListingMode,
  ): Promise<AppliedBatch> {
    const { workflow_id: workflowId } = this.#job
    const asOf = batch.asOf ?? this.#began
    const applied = await applyInTransaction(transaction, workflowId, { page: { scope, refs, asOf }, modeOf })
    const { isNewest } = applied
    const listed = refs.map(({ recordId }) => recordId)
    const unseen = await unseenInRange(transaction, workflowId, { scope, after, to, listed })
    const hidden = isNewest ? await hideUnseen(transaction, workflowId, { recordIds: unseen, asOf }) : 0
    const before = this.#scopes.get(scope)
    const reading = {
      asOf: before && before.asOf < asOf ? before.asOf : asOf,
      isOutdated: applied.isOutdated || (before?.isOutdated ?? false),
    }
    this.#scopes.set(scope, reading)
    if (end) this.#ended.add(scope)
    if (end && !reading.isOutdated) await proveScope(transaction, workflowId, { scope, asOf: reading.asOf })
    return {
      asOf,
      isOutdated: applied.isOutdated,
      unseen,
      hidden,
      changes: applied.documents + applied.sets + hidden,
    }
  }

  /**
   * After the listing. If it is complete, other scopes are no longer part of the source. Returns how many documents it
   * hid.
   */
  async end(transaction: Database, complete: boolean): Promise<number> {
    const { workflow_id: workflowId } = this.#job
    const [scopes, began] = [[...this.#ended], this.#began]
    await this.lock(transaction)
    const hidden = complete ? await hideOtherScopes(transaction, workflowId, { scopes, began }) : 0
    if (complete) await forgetScopes(transaction, workflowId, { except: scopes, began })
    await deleteUnusedSets(transaction, workflowId)
    return hidden
  }
}
