import { createHash } from 'node:crypto'
import { inspectOf } from '../connectors/capabilities.ts'
import type { Destination, HeldElement, HeldRecord, Inspect } from '../connectors/connector.ts'
import type { Entry, FencedEntry } from '../ledger-entry.ts'
import { writtenStateHash } from './data-source.ts'

/** What a ledger says of an index, for comparing. */
export interface Expected {
  /** All entries with their fences, some hundred at a time. */
  entries(): AsyncIterable<FencedEntry[]>
  find(recordIds: string[]): Promise<Map<string, FencedEntry>>
  /** Whether this ledger covers the site and scope of an element. */
  isOurs(listed: HeldRecord): boolean
}

export type Finding = {
  kind: 'missing' | 'different' | 'extra'
  recordId: string
  scopeKey: string
  elementIds: string[]
  why: string
}

/** Equal hashes mean equal elements, versions and permissions. */
export type ScopeView = {
  scopeKey: string
  documents: number
  elements: number
  ledgerHash: string
  indexHash: string
  missing: number
  different: number
  extra: number
}

export type VerifyResult = {
  scopes: ScopeView[]
  /** Elements of records that no ledger here speaks for. */
  foreign: number
}

/** Called for each finding, so that memory does not grow. */
export type Found = (finding: Finding) => Promise<void> | void

/** Compares ledger and index both ways: elements that are missing or changed, and extra ones. Reads only. */
export async function verify(
  { expected, destination, found }: { expected: Expected; destination: Destination; found: Found },
  signal: AbortSignal,
): Promise<VerifyResult> {
  const inspect = inspectOf(destination)
  const scopes = new Scopes()
  for await (const entries of expected.entries()) {
    signal.throwIfAborted()
    const held = Map.groupBy(await inspect.held(entries, signal), ({ recordId }) => recordId)
    for (const entry of entries) {
      const view = scopes.of(scopeKeyOf(entry))
      const elements = held.get(entry.recordId) ?? []
      view.take(entry, elements)
      for (const finding of compareOne(entry, elements)) {
        view.note(finding)
        await found(finding)
      }
    }
  }

  let foreign = 0
  for await (const listed of inspect.inventory(signal)) {
    signal.throwIfAborted()
    const ours = listed.filter((each) => expected.isOurs(each))
    foreign += listed.length - ours.length
    const known = await expected.find([...new Set(ours.map(({ recordId }) => recordId))])
    const beside = ours.filter(
      ({ recordId, elementId }) => !known.get(recordId)?.elementIds.includes(elementId),
    )
    for (const [recordId, elements] of await stillThere(beside, inspect, signal)) {
      const entry = known.get(recordId)
      const scopeKey = entry ? scopeKeyOf(entry) : (elements[0]?.scopeKey ?? '')
      const why = entry ? 'the document has no such elements' : 'no document is known to be here'
      const elementIds = elements.map(({ elementId }) => elementId)
      const finding: Finding = { kind: 'extra', recordId, scopeKey, elementIds, why }
      scopes.of(scopeKey).note(finding)
      await found(finding)
    }
  }
  return { scopes: scopes.views(), foreign }
}

/** By id: an inventory may still show removed elements. */
async function stillThere(
  listed: HeldRecord[],
  inspect: Inspect,
  signal: AbortSignal,
): Promise<Map<string, HeldRecord[]>> {
  const byRecord = Map.groupBy(listed, ({ recordId }) => recordId)
  const asked = [...byRecord].map(([recordId, each]) => ({
    recordId,
    elementIds: each.map(({ elementId }) => elementId),
  }))
  const held = new Set(
    (await inspect.held(asked, signal)).map((each) => `${each.recordId}\n${each.elementId}`),
  )
  const there = listed.filter((each) => held.has(`${each.recordId}\n${each.elementId}`))
  return Map.groupBy(there, ({ recordId }) => recordId)
}

function* compareOne(entry: FencedEntry, held: HeldElement[]): Iterable<Finding> {
  const { recordId } = entry
  const about = { recordId, scopeKey: scopeKeyOf(entry) }
  if (!entry.settled) {
    const why = 'a run that wrote it did not end; the next one does it again'
    yield { ...about, kind: 'different', elementIds: entry.elementIds, why }
    return
  }
  const there = new Set(held.map(({ elementId }) => elementId))
  const missing = entry.elementIds.filter((id) => !there.has(id))
  if (missing.length > 0)
    yield { ...about, kind: 'missing', elementIds: missing, why: 'they are not in the index' }
  for (const [why, elements] of Map.groupBy(held, (element) => difference(entry, element))) {
    if (why === null) continue
    yield { ...about, kind: 'different', elementIds: elements.map(({ elementId }) => elementId), why }
  }
}

/** Any other write leaves another fence. */
function difference(entry: FencedEntry, { fence, dataSource }: HeldElement): string | null {
  if (dataSource.version !== entry.version) return 'they are of another version'
  if (writtenStateHash(dataSource, entry.stateHash) !== entry.stateHash)
    return 'their rights or what they say of the page differ'
  if (fence !== null && fence !== entry.fence) return 'something else has written them since'
  return null
}

function scopeKeyOf({ locator, scope }: Entry): string {
  return locator.space_key ?? scope
}

class Scopes {
  readonly #views = new Map<string, View>()

  of(scopeKey: string): View {
    let view = this.#views.get(scopeKey)
    if (!view) {
      view = new View(scopeKey)
      this.#views.set(scopeKey, view)
    }
    return view
  }

  views(): ScopeView[] {
    return [...this.#views.values()]
      .map((view) => view.result())
      .sort((a, b) => (a.scopeKey < b.scopeKey ? -1 : 1))
  }
}

/** Sums of hashes need neither order nor memory. */
class View {
  readonly #scopeKey: string
  readonly #counts = { documents: 0, elements: 0, missing: 0, different: 0, extra: 0 }
  #ledger = 0n
  #index = 0n

  constructor(scopeKey: string) {
    this.#scopeKey = scopeKey
  }

  take(entry: FencedEntry, held: HeldElement[]): void {
    if (entry.elementIds.length > 0) this.#counts.documents++
    this.#counts.elements += held.length
    const { recordId, version, stateHash } = entry
    for (const id of entry.elementIds) this.#ledger += hash64([recordId, id, version, stateHash])
    for (const { elementId, dataSource } of held) {
      const state = writtenStateHash(dataSource, entry.stateHash)
      this.#index += hash64([entry.recordId, elementId, String(dataSource.version), state])
    }
  }

  note({ kind, recordId, elementIds }: Finding): void {
    this.#counts[kind] += elementIds.length
    if (kind !== 'extra') return
    this.#counts.elements += elementIds.length
    for (const id of elementIds) this.#index += hash64([recordId, id])
  }

  result(): ScopeView {
    const text = (sum: bigint) => BigInt.asUintN(64, sum).toString(16).padStart(16, '0')
    return {
      scopeKey: this.#scopeKey,
      ...this.#counts,
      ledgerHash: text(this.#ledger),
      indexHash: text(this.#index),
    }
  }
}

function hash64(parts: string[]): bigint {
  return createHash('sha256').update(parts.join('\n')).digest().readBigUInt64BE()
}
