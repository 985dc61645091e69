import { undefinedUnlessFatal, type WikiDirectory } from '../access/directory.ts'
import type { Restriction } from '../access/permissions.ts'
import type { NodeRef, TreeNode } from '../access/tree.ts'
import { inBatches } from '../batches.ts'
import type { FileInfo, PageInfo, PageMetadata, Space, WikiClient } from '../client.ts'
import { byId } from '../ids.ts'

/** What the plain listing lacks; only pages with values have entries. */
export type SpaceMetadata = {
  restrictions: Map<string, Restriction>
  unread: Map<string, string>
  labels: Map<string, string[]>
  files: Map<string, FileInfo[]>
  /** Pages whose labels could not be read. */
  unlabelled: Set<string>
  /** Pages whose files could not be listed. */
  unlisted: string[]
}

const BATCH = 250

/**
 * Reads missing data from the search, 250 pages at a time, and the rest with single requests.
 * Unreadable restrictions are recorded as unread, never as open.
 */
export async function loadMetadata(
  from: { client: WikiClient; directory: WikiDirectory; files: boolean },
  nodes: { pages: PageInfo[]; above: TreeNode[] },
  signal: AbortSignal,
): Promise<SpaceMetadata> {
  const { client, directory } = from
  const ids = [...nodes.pages, ...nodes.above].map(({ id }) => id)
  const metadata: SpaceMetadata = {
    restrictions: new Map(),
    unread: new Map(),
    labels: new Map(),
    files: new Map(),
    unlabelled: new Set(),
    unlisted: [],
  }
  const settled = new Set<string>()
  const withMetadata = new Set<string>()
  const labelled = new Set<string>()
  const withFiles = new Set<string>()
  const note = (id: string, restriction: Restriction) => {
    settled.add(id)
    if (restriction.read || restriction.update) metadata.restrictions.set(id, restriction)
  }

  const noteLabels = (id: string, labels: string[]) => {
    labelled.add(id)
    if (labels.length > 0) metadata.labels.set(id, labels)
  }
  const noteFiles = (id: string, files: FileInfo[]) => {
    withFiles.add(id)
    if (files.length > 0) metadata.files.set(id, files.toSorted(byId))
  }
  const take = ({ id, restrictions, labels, files }: PageMetadata) => {
    withMetadata.add(id)
    if (labels) noteLabels(id, labels)
    if (files) noteFiles(id, files)
    if (!restrictions?.complete) return
    directory.learn(restrictions.accounts)
    note(id, restrictions.restriction)
  }

  for (const { metadata } of nodes.pages) if (metadata) take(metadata)
  // The search would return the same incomplete lists.
  const withoutMetadata = ids.filter((id) => !withMetadata.has(id))
  // For one or two pages the search is not cheaper, and it may lag.
  await inBatches(withoutMetadata.length > 2 ? withoutMetadata : [], {
    size: BATCH,
    smallest: 25,
    fetch: async (batch) => {
      for (const metadata of await client.metadata(batch, signal)) take(metadata)
      return []
    },
  })

  const unsettled = ids.filter((id) => !settled.has(id))
  await Promise.all(
    unsettled.map(async (id) => {
      const restrictions = await client.restriction(id, signal).catch(undefinedUnlessFatal)
      if (restrictions) {
        directory.learn(restrictions.accounts)
        note(id, restrictions.restriction)
      } else metadata.unread.set(id, `the restrictions of ${id} could not be read`)
    }),
  )
  await Promise.all(
    nodes.pages
      .filter(({ id }) => !labelled.has(id))
      .map(async ({ id, kind }) => {
        const labels = await client.labels({ id, type: kind }, signal).catch(undefinedUnlessFatal)
        if (labels) noteLabels(id, labels)
        else metadata.unlabelled.add(id)
      }),
  )
  const withoutFiles = from.files ? nodes.pages.filter(({ id }) => !withFiles.has(id)) : []
  await Promise.all(
    withoutFiles.map(async ({ id, kind }) => {
      const files = await client.files({ id, type: kind }, signal).catch(undefinedUnlessFatal)
      if (files) noteFiles(id, files)
      else metadata.unlisted.push(id)
    }),
  )
  return metadata
}

/** Ancestors outside the listing: folders, and pages that a limit or status excludes. */
export async function loadAncestors(
  client: WikiClient,
  { space, rows }: { space: Space; rows: PageInfo[] },
  signal: AbortSignal,
): Promise<TreeNode[]> {
  const known = new Set(rows.map(({ id }) => id))
  const above = includedAncestors(rows, known)
  let missing = parentsOf(rows, known)
  const folders = missing.filter(({ type }) => type !== 'page').length
  // A folder costs one request; the whole tree one per 250 pages.
  const treeIsCheaper = folders > rows.length / BATCH + 1
  const below = treeIsCheaper ? await belowHome(client, space, signal) : new Map<string, TreeNode>()
  while (missing.length > 0) {
    const listed = missing.flatMap(({ id }) => below.get(id) ?? [])
    const rest = missing.filter(({ id }) => !below.has(id))
    const found = [...listed, ...(await loadNodes(client, rest, signal))]
    for (const { id } of missing) known.add(id)
    above.push(...found)
    missing = parentsOf(found, known)
  }
  return above
}

/** Ancestors that came with the pages; listed pages are newer. */
function includedAncestors(rows: PageInfo[], known: Set<string>): TreeNode[] {
  const above: TreeNode[] = []
  for (const node of rows.flatMap((row) => row.above ?? [])) {
    if (!known.has(node.id)) above.push(node)
    known.add(node.id)
  }
  return above
}

/** Folders and other non-pages below the home page whose parent type is known. */
async function belowHome(
  client: WikiClient,
  space: Space,
  signal: AbortSignal,
): Promise<Map<string, TreeNode>> {
  const home = space.homepageId
  const rows = home ? await client.descendants(home, signal).catch(undefinedUnlessFatal) : undefined
  const types = new Map((rows ?? []).map(({ id, type }) => [id, type]))
  if (home) types.set(home, 'page')
  const nodes = new Map<string, TreeNode>()
  for (const { id, type, title, parentId } of rows ?? []) {
    const parentType = parentId ? types.get(parentId) : undefined
    if (type !== 'page' && parentId && parentType)
      nodes.set(id, { id, title, parent: { id: parentId, type: parentType } })
  }
  return nodes
}

function parentsOf(nodes: { parent: NodeRef | null }[], known: Set<string>): NodeRef[] {
  const parents = nodes.flatMap(({ parent }) => (parent && !known.has(parent.id) ? [parent] : []))
  return [...new Map(parents.map((place) => [place.id, place])).values()]
}

async function loadNodes(client: WikiClient, places: NodeRef[], signal: AbortSignal): Promise<TreeNode[]> {
  const pages = places.filter(({ type }) => type === 'page').map(({ id }) => id)
  const many = pages.length > 1 ? pages : []
  const rows = await inBatches(many, {
    size: BATCH,
    smallest: 25,
    fetch: (batch) => client.pagesById(batch, 'page', signal),
  })
  const found = new Map(rows.map((row) => [row.id, row]))
  return Promise.all(
    places.map(async ({ id, type }): Promise<TreeNode> => {
      const row = found.get(id) ?? (await client.node({ id, type }, signal).catch(undefinedUnlessFatal))
      if (row)
        return {
          id,
          title: row.title,
          parent: row.parent,
          ...(row.unreadable ? { unreadable: row.unreadable } : {}),
        }
      return { id, title: '', parent: null, unreadable: `the ${type} ${id} above it could not be read` }
    }),
  )
}
