import type { DocumentWarning } from '../document.ts'
import { type MissingParts, missingWarning, type Warning } from '../report.ts'
import type { DocumentOutcome } from './slice-context.ts'

/** After a run `discovered` is new + changed + unchanged + skipped + failed. */
export type Counts = {
  discovered: number
  new: number
  changed: number
  unchanged: number
  skipped: number
  failed: number
  removed: number
  permissions_only: number
  elements: number
}

export type DocumentFailure = { record_id: string; title: string; url: string; code: string; message: string }

/** The count that includes a document that may be in the index. */
export type CountedState = 'new' | 'changed' | 'permissions_only' | 'unchanged' | 'failed'

/** Counts the outcomes of the documents of a run. */
export class Tally {
  readonly counts: Counts = {
    discovered: 0,
    new: 0,
    changed: 0,
    unchanged: 0,
    skipped: 0,
    failed: 0,
    removed: 0,
    permissions_only: 0,
    elements: 0,
  }
  readonly #missing = new Map<string, Omit<MissingParts, 'code' | 'names'>>()
  /** By warning code: the number of documents per name. */
  readonly #names = new Map<string, Map<string, number>>()
  readonly #skips = new Map<string, { documents: number; message: string }>()

  done(): number {
    const { new: added, changed, unchanged, skipped, failed } = this.counts
    return added + changed + unchanged + skipped + failed
  }

  count(outcome: Exclude<DocumentOutcome, { state: 'relist' }>): void {
    const { counts } = this
    if ('elements' in outcome) {
      counts.elements += outcome.elements
      if (outcome.state === 'new') counts.new++
      else counts.changed++
      if (outcome.state === 'permissions_only') counts.permissions_only++
      for (const warning of outcome.warnings ?? []) this.#countMissing(warning)
    } else {
      counts[outcome.state]++
      if (outcome.state === 'skipped') this.countSkip(outcome.error)
    }
  }

  /** For a document that is processed again; its elements stay counted. */
  uncount(counted: CountedState): void {
    this.counts[counted]--
    if (counted === 'permissions_only') this.counts.changed--
  }

  /** Counts skipped documents by reason. */
  countSkip({ code, message }: { code: string; message: string }): void {
    const known = this.#skips.get(code) ?? { documents: 0, message }
    this.#skips.set(code, { ...known, documents: known.documents + 1 })
  }

  skips(): { code: string; documents: number; message: string }[] {
    return [...this.#skips].map(([code, skipped]) => ({ code, ...skipped }))
  }

  missingWarnings(): Warning[] {
    return [...this.#missing].map(([code, parts]) => {
      const names = [...(this.#names.get(code) ?? [])].map(([name, documents]) => ({ name, documents }))
      return missingWarning({ code, ...parts, ...(names.length > 0 ? { names } : {}) })
    })
  }

  #countMissing({ code, count, message, names = [] }: DocumentWarning): void {
    const known = this.#missing.get(code) ?? { count: 0, documents: 0, message }
    this.#missing.set(code, { ...known, count: known.count + count, documents: known.documents + 1 })
    const byName = this.#names.get(code) ?? new Map<string, number>()
    for (const name of names) byName.set(name, (byName.get(name) ?? 0) + 1)
    this.#names.set(code, byName)
  }
}
