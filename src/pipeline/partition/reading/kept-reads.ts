import type { Element } from '../../../document.ts'
import { assignElementIds } from '../../element-id.ts'
import type { PartitionResult } from '../../partition-result.ts'
import type { FileToRead } from '../files/reading-file.ts'

/** Hashing more would cost more than it saves. */
const MAX_FILE_BYTES = 20_000_000
const MAX_CHARACTERS = 1_000_000
const MAX_READS = 1_000
const MAX_WORKSPACES = 20

/** What was read from pictures and PDFs, which may need OCR, by the hash of their bytes. */
class KeptReads {
  readonly #kept = new Map<string, Element[]>()
  #characters = 0

  canKeep({ bytes, filetype }: FileToRead): boolean {
    return /^image\/|^application\/pdf$/.test(filetype) && bytes.length <= MAX_FILE_BYTES
  }

  async keyOf({ bytes, filetype, strategy, languages }: FileToRead): Promise<string> {
    // Not in this thread.
    const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))
    return [Buffer.from(digest).toString('base64'), filetype, strategy, ...languages].join(' ')
  }

  /** The elements with the name of this file. */
  get(key: string, { filename }: FileToRead): PartitionResult | null {
    const elements = this.#kept.get(key)
    if (!elements) return null
    this.#kept.delete(key)
    this.#kept.set(key, elements)
    const renamed = elements.map((each) => ({ ...each, metadata: { ...each.metadata, filename } }))
    return { elements: assignElementIds(renamed), warnings: [] }
  }

  /** Warnings name the file, so a result with one is not kept. */
  set(key: string, { elements, warnings }: PartitionResult): void {
    if (warnings.length > 0 || this.#kept.has(key)) return
    this.#kept.set(key, elements)
    this.#characters += charactersOf(elements)
    for (const [oldest, each] of this.#kept) {
      if (this.#characters <= MAX_CHARACTERS && this.#kept.size <= MAX_READS) return
      this.#kept.delete(oldest)
      this.#characters -= charactersOf(each)
    }
  }
}

/** Separate for each workspace, so that none learns what another has read. */
export class WorkspaceReads {
  readonly #workspaces = new Map<string, KeptReads>()

  of(workspace: string): KeptReads {
    const kept = this.#workspaces.get(workspace) ?? new KeptReads()
    this.#workspaces.delete(workspace)
    this.#workspaces.set(workspace, kept)
    const [oldest] = this.#workspaces.keys()
    if (this.#workspaces.size > MAX_WORKSPACES && oldest !== undefined) this.#workspaces.delete(oldest)
    return kept
  }
}

function charactersOf(elements: Element[]): number {
  return elements.reduce(
    (sum, { text, metadata }) => sum + text.length + (metadata.text_as_html?.length ?? 0) + 500,
    500,
  )
}
