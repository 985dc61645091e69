import type { ListingPage, ListingStart } from '../../connectors/source.ts'
import type { DocumentRef } from '../../document.ts'

/** Every batch costs about ten statements, and memory in this process and in PostgreSQL. */
export const BATCH_SIZE = 500
/** A slow listing passes on what it has, so that workers can begin. */
const MAX_WAIT_MS = 1_000

/**
 * Consecutive documents of a scope. It holds all documents after position `after` (null: from the start) up to `to`
 * (null: up to the end). `asOf` is null if the scope has no documents.
 */
export type ListingBatch = {
  kind: 'batch'
  scope: string
  refs: DocumentRef[]
  asOf: Date | null
  after: string | null
  to: string | null
  /** Set if the scope has ended. */
  end?: { upTo: string | null }
}
export type ListingEvent = ListingBatch | Extract<ListingPage, { kind: 'warning' | 'complete' }>

const NOTHING_LISTED: ListingStart = { ended: new Set(), after: new Map() }

/** Joins the pages of a listing to batches. After an error the documents read so far come first. */
export async function* batchListing(
  pages: AsyncIterable<ListingPage>,
  before: ListingStart = NOTHING_LISTED,
): AsyncGenerator<ListingEvent> {
  const buffers = new Map<string, ScopeBuffer>()
  const bufferOf = (scope: string) => {
    const buffer = buffers.get(scope) ?? new ScopeBuffer(scope, before.after.get(scope) ?? null)
    buffers.set(scope, buffer)
    return buffer
  }
  let failure: { error: unknown } | null = null
  try {
    for await (const page of pages) {
      if (page.kind === 'warning' || page.kind === 'complete') yield page
      // The source may list these scopes again.
      else if (before.ended.has(page.scope)) continue
      else if (page.kind === 'refs') {
        const buffer = bufferOf(page.scope)
        buffer.add(page)
        if (buffer.isDue) yield* buffer.take()
      } else {
        yield bufferOf(page.scope).end(page.upTo ?? null)
        buffers.delete(page.scope)
      }
    }
  } catch (error) {
    failure = { error }
  }
  for (const buffer of buffers.values()) yield* buffer.take()
  if (failure) throw failure.error
}

class ScopeBuffer {
  readonly #scope: string
  #after: string | null
  #refs: DocumentRef[] = []
  #asOf: Date | null = null
  #since = 0

  constructor(scope: string, after: string | null) {
    this.#scope = scope
    this.#after = after
  }

  add({ refs, asOf }: Extract<ListingPage, { kind: 'refs' }>): void {
    if (this.#refs.length === 0) this.#since = Date.now()
    const after = this.#after
    const fresh = after === null ? refs : refs.filter(({ position }) => position > after)
    for (const ref of fresh) this.#refs.push(ref)
    if (this.#asOf === null || asOf < this.#asOf) this.#asOf = asOf
  }

  get isDue(): boolean {
    return this.#refs.length >= BATCH_SIZE || Date.now() - this.#since >= MAX_WAIT_MS
  }

  /** Documents of the last position stay, because more of them may follow. */
  *take(): Generator<ListingBatch> {
    const last = this.#refs.at(-1)?.position
    const kept = this.#refs.filter(({ position }) => position === last)
    const refs = this.#refs.filter(({ position }) => position !== last)
    const to = refs.at(-1)?.position
    if (to === undefined) return
    this.#refs = kept
    this.#since = Date.now()
    yield { kind: 'batch', scope: this.#scope, refs: unique(refs), asOf: this.#asOf, after: this.#after, to }
    this.#after = to
  }

  end(upTo: string | null): ListingBatch {
    const refs = unique(this.#refs)
    return {
      kind: 'batch',
      scope: this.#scope,
      refs,
      asOf: this.#asOf,
      after: this.#after,
      to: null,
      end: { upTo },
    }
  }
}

/** The last ref of each document. */
function unique(refs: DocumentRef[]): DocumentRef[] {
  return [...new Map(refs.map((ref) => [ref.recordId, ref])).values()]
}
