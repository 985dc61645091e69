import { setTimeout as sleep } from 'node:timers/promises'
import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import { stateOf } from './data-source.ts'
import type { Ledger } from './ledger.ts'
import { intended, revokeAccess } from './revoke-access.ts'
import type { SliceContext } from './slice-context.ts'
import { writePermissions } from './write-permissions.ts'

/** Documents opened for one write: their entries and refs as they are now. */
export type OpenedWrite = { ledger: Ledger; entries: Map<string, Entry>; refs: Map<string, DocumentRef> }

/** For a permission write of the same documents. */
const WAIT_MS = 250
const MAX_WAITS = 20

/** How often a permission write may come first before a write gives up. */
const MAX_INTENTS = 10

/** The writes of a slice. Each has its own fence, and the entries and permissions of its moment. */
export class FencedWrites {
  readonly #context: Pick<SliceContext, 'openLedger' | 'wanted' | 'destination'>
  readonly #signal: AbortSignal

  constructor(context: Pick<SliceContext, 'openLedger' | 'wanted' | 'destination'>, signal: AbortSignal) {
    this.#context = context
    this.#signal = signal
  }

  /** Records in the ledger, before a write, which elements the index may hold after it. */
  async intend(
    documents: { ref: DocumentRef; elementIds: string[] }[],
    needsIntent: (entry: Entry) => boolean = () => true,
  ): Promise<OpenedWrite> {
    const listed = documents.map(({ ref }) => ref)
    return this.#tryOpened(listed, async (opened) => {
      const { ledger, entries, refs } = opened
      const written = documents.flatMap(({ ref, elementIds }): Entry[] => {
        const before = entries.get(ref.recordId)
        const ids = new Set([...(before?.elementIds ?? []), ...elementIds])
        const current = refs.get(ref.recordId) ?? ref
        const entry = entryOf(current, before?.version ?? '', before?.settingsHash ?? '', [...ids])
        return needsIntent(entry) ? [intended(entry)] : []
      })
      await ledger.intend(written)
      for (const entry of written) entries.set(entry.recordId, entry)
      return opened
    })
  }

  /** Returns the entries before the write, and the documents whose elements are all in the index. */
  async writePermissions(
    listed: DocumentRef[],
  ): Promise<{ entries: Map<string, Entry>; settled: Set<string>; taken: Set<string> }> {
    return this.#tryOpened(listed, async ({ ledger, entries, refs }) => {
      const changes = listed.flatMap(({ recordId }) => {
        const entry = entries.get(recordId)
        const ref = refs.get(recordId)
        if (!entry || entry.elementIds.length === 0 || !ref) return []
        return [{ entry, ref }]
      })
      const { destination } = this.#context
      const taken = await writePermissions(changes, { ledger, destination }, this.#signal)
      const after = await ledger.find(changes.map(({ entry }) => entry.recordId))
      const settled = [...after.values()].filter((entry) => entry.settled)
      const settledIds = new Set(settled.map(({ recordId }) => recordId))
      return { entries, settled: settledIds, taken: new Set(taken) }
    })
  }

  async hide(ref: DocumentRef): Promise<void> {
    await this.#tryOpened([ref], ({ ledger, entries }) =>
      revokeAccess([...entries.values()], { ...this.#context, ledger }, this.#signal),
    )
  }

  /** The permission writer took them; it writes the same permissions. */
  async writtenByOthers(refs: DocumentRef[]): Promise<string[]> {
    if (refs.length === 0) return []
    await this.waitForPermissionWrites(refs)
    const { entries } = await this.#open(refs)
    return [...entries.values()].flatMap(({ recordId, settled }) => (settled ? [recordId] : []))
  }

  /** The permission writer may be writing the same documents; they were settled when they were listed. */
  async waitForPermissionWrites(refs: DocumentRef[]): Promise<void> {
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      const { entries } = await this.#open(refs)
      if ([...entries.values()].every(({ settled }) => settled)) return
      await sleep(WAIT_MS, undefined, { signal: this.#signal })
    }
  }

  /** A ledger with a new fence, with entries and permissions as they are now. */
  async #open(listed: DocumentRef[]): Promise<OpenedWrite> {
    const recordIds = listed.map(({ recordId }) => recordId)
    const ledger = await this.#context.openLedger(recordIds)
    const entries = await ledger.find(recordIds)
    return { ledger, entries, refs: await this.#context.wanted(listed) }
  }

  /** A permission write may come between opening and the intent; then both start again. */
  async #tryOpened<T>(listed: DocumentRef[], write: (opened: OpenedWrite) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const opened = await this.#open(listed)
      try {
        return await write(opened)
      } catch (error) {
        const isTaken = error instanceof AppError && error.code === 'taken_over'
        if (!isTaken || attempt === MAX_INTENTS || this.#signal.aborted) throw error
      }
    }
  }
}

export function entryOf(
  ref: DocumentRef,
  version: string,
  settingsHash: string,
  elementIds: string[],
): Entry {
  return {
    recordId: ref.recordId,
    scope: ref.scope,
    position: ref.position,
    locator: ref.locator,
    version,
    ...stateOf(ref),
    settingsHash,
    elementIds,
    settled: true,
  }
}
