import { fetchInBatches } from '../batches.ts'
import type { FileInfo, PageInfo, PageMetadata, WikiClient } from '../client.ts'
import { byId } from '../ids.ts'
import { undefinedUnlessFatal, type WikiDirectory } from './directory.ts'
import { unreadReason } from './known-nodes.ts'
import type { Restriction } from './permissions.ts'
import type { ParsedRestrictions } from './restrictions.ts'
import type { TreeNode } from './tree.ts'

/** What the plain listing lacks; only pages with values have entries. */
export type SpaceMetadata = {
  restrictions: Map<string, Restriction>
  unreadRestrictions: Map<string, string>
  labels: Map<string, string[]>
  files: Map<string, FileInfo[]>
  /** Pages whose labels could not be read. */
  unreadableLabels: Set<string>
  /** Pages whose files could not be listed. */
  unlistedFiles: string[]
}

const BATCH_SIZE = 250

/**
 * Reads missing data from the search, 250 pages at a time, and the rest with single requests.
 * Unreadable restrictions are recorded as unread, never as open.
 */
export async function loadMetadata(
  { client, directory, files }: { client: WikiClient; directory: WikiDirectory; files: boolean },
  nodes: { pages: PageInfo[]; ancestors: TreeNode[] },
  signal: AbortSignal,
): Promise<SpaceMetadata> {
  const ids = [...nodes.pages, ...nodes.ancestors].map(({ id }) => id)
  const found = new FoundMetadata(directory)
  for (const { metadata } of nodes.pages) if (metadata) found.addPage(metadata)
  for (const { id, restrictions } of nodes.ancestors) found.addRestrictions(id, restrictions)
  // The search would return the same incomplete lists.
  const missing = ids.filter((id) => !found.pages.has(id) && !found.restricted.has(id))
  // For one or two pages the search is not cheaper, and it may lag.
  await fetchInBatches(missing.length > 2 ? missing : [], {
    size: BATCH_SIZE,
    minSize: 25,
    fetch: async (batch) => {
      for (const metadata of await client.metadata(batch, signal)) found.addPage(metadata)
      return []
    },
  })
  const { metadata } = found
  await readEach(
    ids.filter((id) => !found.restricted.has(id)),
    (id) => client.restriction(id, signal),
    (id, restrictions) => {
      if (restrictions) found.addRestrictions(id, restrictions)
      else metadata.unreadRestrictions.set(id, unreadReason(id))
    },
  )
  await readEach(
    nodes.pages.filter(({ id }) => !found.labelled.has(id)),
    ({ id, kind }) => client.labels({ id, type: kind }, signal),
    ({ id }, labels) => {
      if (labels) found.addLabels(id, labels)
      else metadata.unreadableLabels.add(id)
    },
  )
  await readEach(
    files ? nodes.pages.filter(({ id }) => !found.listed.has(id)) : [],
    ({ id, kind }) => client.files({ id, type: kind }, signal),
    ({ id }, listed) => {
      if (listed) found.addFiles(id, listed)
      else metadata.unlistedFiles.push(id)
    },
  )
  return metadata
}

/** What was read so far, and of which pages. */
class FoundMetadata {
  readonly #directory: WikiDirectory
  readonly metadata: SpaceMetadata = {
    restrictions: new Map(),
    unreadRestrictions: new Map(),
    labels: new Map(),
    files: new Map(),
    unreadableLabels: new Set(),
    unlistedFiles: [],
  }
  readonly restricted = new Set<string>()
  readonly pages = new Set<string>()
  readonly labelled = new Set<string>()
  readonly listed = new Set<string>()

  constructor(directory: WikiDirectory) {
    this.#directory = directory
  }

  addPage({ id, restrictions, labels, files }: PageMetadata): void {
    this.pages.add(id)
    if (labels) this.addLabels(id, labels)
    if (files) this.addFiles(id, files)
    this.addRestrictions(id, restrictions)
  }

  /** Incomplete lists are read again. */
  addRestrictions(id: string, restrictions: ParsedRestrictions | null | undefined): void {
    if (!restrictions?.complete) return
    const { accounts, restriction } = restrictions
    this.#directory.addAccounts(accounts)
    this.restricted.add(id)
    if (restriction.read || restriction.update) this.metadata.restrictions.set(id, restriction)
  }

  addLabels(id: string, labels: string[]): void {
    this.labelled.add(id)
    if (labels.length > 0) this.metadata.labels.set(id, labels)
  }

  addFiles(id: string, files: FileInfo[]): void {
    this.listed.add(id)
    if (files.length > 0) this.metadata.files.set(id, files.toSorted(byId))
  }
}

/** Reads nodes one by one; `add` gets undefined for one that cannot be read. */
async function readEach<Node, Value>(
  nodes: Node[],
  read: (node: Node) => Promise<Value>,
  add: (node: Node, value: Value | undefined) => void,
): Promise<void> {
  await Promise.all(nodes.map(async (node) => add(node, await read(node).catch(undefinedUnlessFatal))))
}
