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
  context: { client: WikiClient; directory: WikiDirectory; files: boolean },
  nodes: { pages: PageInfo[]; ancestors: TreeNode[] },
  signal: AbortSignal,
): Promise<SpaceMetadata> {
  const { client, directory } = context
  const ids = [...nodes.pages, ...nodes.ancestors].map(({ id }) => id)
  const metadata: SpaceMetadata = {
    restrictions: new Map(),
    unreadRestrictions: new Map(),
    labels: new Map(),
    files: new Map(),
    unreadableLabels: new Set(),
    unlistedFiles: [],
  }
  const withRestrictions = new Set<string>()
  const withMetadata = new Set<string>()
  const withLabels = new Set<string>()
  const withFiles = new Set<string>()
  const addRestriction = (id: string, restriction: Restriction) => {
    withRestrictions.add(id)
    if (restriction.read || restriction.update) metadata.restrictions.set(id, restriction)
  }

  const addLabels = (id: string, labels: string[]) => {
    withLabels.add(id)
    if (labels.length > 0) metadata.labels.set(id, labels)
  }
  const addFiles = (id: string, files: FileInfo[]) => {
    withFiles.add(id)
    if (files.length > 0) metadata.files.set(id, files.toSorted(byId))
  }
  const addMetadata = ({ id, restrictions, labels, files }: PageMetadata) => {
    withMetadata.add(id)
    if (labels) addLabels(id, labels)
    if (files) addFiles(id, files)
    addComplete(id, restrictions)
  }
  const addComplete = (id: string, restrictions: ParsedRestrictions | null | undefined) => {
    if (!restrictions?.complete) return
    directory.addAccounts(restrictions.accounts)
    addRestriction(id, restrictions.restriction)
  }

  for (const { metadata } of nodes.pages) if (metadata) addMetadata(metadata)
  for (const { id, restrictions } of nodes.ancestors) addComplete(id, restrictions)
  // The search would return the same incomplete lists.
  const withoutMetadata = ids.filter((id) => !withMetadata.has(id) && !withRestrictions.has(id))
  // For one or two pages the search is not cheaper, and it may lag.
  await fetchInBatches(withoutMetadata.length > 2 ? withoutMetadata : [], {
    size: BATCH_SIZE,
    minSize: 25,
    fetch: async (batch) => {
      for (const metadata of await client.metadata(batch, signal)) addMetadata(metadata)
      return []
    },
  })

  const withoutRestrictions = ids.filter((id) => !withRestrictions.has(id))
  await Promise.all(
    withoutRestrictions.map(async (id) => {
      const restrictions = await client.restriction(id, signal).catch(undefinedUnlessFatal)
      if (restrictions) addComplete(id, restrictions)
      else metadata.unreadRestrictions.set(id, unreadReason(id))
    }),
  )
  await Promise.all(
    nodes.pages
      .filter(({ id }) => !withLabels.has(id))
      .map(async ({ id, kind }) => {
        const labels = await client.labels({ id, type: kind }, signal).catch(undefinedUnlessFatal)
        if (labels) addLabels(id, labels)
        else metadata.unreadableLabels.add(id)
      }),
  )
  const withoutFiles = context.files ? nodes.pages.filter(({ id }) => !withFiles.has(id)) : []
  await Promise.all(
    withoutFiles.map(async ({ id, kind }) => {
      const files = await client.files({ id, type: kind }, signal).catch(undefinedUnlessFatal)
      if (files) addFiles(id, files)
      else metadata.unlistedFiles.push(id)
    }),
  )
  return metadata
}
