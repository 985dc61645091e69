import { undefinedUnlessFatal, type WikiDirectory } from '../access/directory.ts'
import type { Restriction } from '../access/permissions.ts'
import type { NodeRef, TreeNode } from '../access/tree.ts'
import { inBatches } from '../batches.ts'
import type { FileInfo, PageInfo, PageMetadata, Space, WikiClient } from '../client.ts'
import { byId } from '../ids.ts'

/** What is known beside the plain listing; only pages that have something to say take room. */
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
 * Restrictions, labels and, where they are wanted, files of pages. Some wikis tell them with the page; for others the search answers for 250 at
 * once but lags behind. What either omits, or says only in part, is asked for one by one. What cannot be read is
 * noted as such, never as "not restricted".
 */
export async function loadMetadata(
  from: { client: WikiClient; directory: WikiDirectory; files: boolean },
  nodes: { pages: PageInfo[]; above: TreeNode[] },
  signal: AbortSignal,
): Promise<SpaceMetadata> {
  const { client, directory } = from
  const ids = [...nodes.pages, ...nodes.above].map(({ id }) => id)
  const marked: SpaceMetadata = {
    restrictions: new Map(),
    unread: new Map(),
    labels: new Map(),
    files: new Map(),
    unlabelled: new Set(),
    unlisted: [],
  }
  const settled = new Set<string>()
  const asked = new Set<string>()
  const labelled = new Set<string>()
  const filed = new Set<string>()
  const note = (id: string, restriction: Restriction) => {
    settled.add(id)
    if (restriction.read || restriction.update) marked.restrictions.set(id, restriction)
  }

  const noteLabels = (id: string, labels: string[]) => {
    labelled.add(id)
    if (labels.length > 0) marked.labels.set(id, labels)
  }
  const noteFiles = (id: string, files: FileInfo[]) => {
    filed.add(id)
    if (files.length > 0) marked.files.set(id, files.toSorted(byId))
  }
  const take = ({ id, told, labels, files }: PageMetadata) => {
    asked.add(id)
    if (labels) noteLabels(id, labels)
    if (files) noteFiles(id, files)
    if (!told?.whole) return
    directory.learn(told.accounts)
    note(id, told.restriction)
  }

  for (const { marks } of nodes.pages) if (marks) take(marks)
  // What came with its page but not whole the search would not tell any better.
  const unasked = ids.filter((id) => !asked.has(id))
  // For one or two the search is no cheaper than asking directly, and may lag.
  await inBatches(unasked.length > 2 ? unasked : [], {
    size: BATCH,
    smallest: 25,
    fetch: async (batch) => {
      for (const marks of await client.marks(batch, signal)) take(marks)
      return []
    },
  })

  const alone = ids.filter((id) => !settled.has(id))
  await Promise.all(
    alone.map(async (id) => {
      const told = await client.restriction(id, signal).catch(undefinedUnlessFatal)
      if (told) {
        directory.learn(told.accounts)
        note(id, told.restriction)
      } else marked.unread.set(id, `the restrictions of ${id} could not be read`)
    }),
  )
  await Promise.all(
    nodes.pages
      .filter(({ id }) => !labelled.has(id))
      .map(async ({ id, kind }) => {
        const labels = await client.labels({ id, type: kind }, signal).catch(undefinedUnlessFatal)
        if (labels) noteLabels(id, labels)
        else marked.unlabelled.add(id)
      }),
  )
  const unfiled = from.files ? nodes.pages.filter(({ id }) => !filed.has(id)) : []
  await Promise.all(
    unfiled.map(async ({ id, kind }) => {
      const files = await client.files({ id, type: kind }, signal).catch(undefinedUnlessFatal)
      if (files) noteFiles(id, files)
      else marked.unlisted.push(id)
    }),
  )
  return marked
}

/** Whatever stands above the pages and is not among them: folders, and pages that a limit or a status left out. */
export async function loadAncestors(
  client: WikiClient,
  { space, rows }: { space: Space; rows: PageInfo[] },
  signal: AbortSignal,
): Promise<TreeNode[]> {
  const known = new Set(rows.map(({ id }) => id))
  const above = toldAbove(rows, known)
  let edge = parentsOf(rows, known)
  const folders = edge.filter(({ type }) => type !== 'page').length
  // One by one a folder is a request; the whole tree is one for every 250 pages.
  const treeIsCheaper = folders > rows.length / BATCH + 1
  const below = treeIsCheaper ? await belowHome(client, space, signal) : new Map<string, TreeNode>()
  while (edge.length > 0) {
    const listed = edge.flatMap(({ id }) => below.get(id) ?? [])
    const rest = edge.filter(({ id }) => !below.has(id))
    const found = [...listed, ...(await lookUp(client, rest, signal))]
    for (const { id } of edge) known.add(id)
    above.push(...found)
    edge = parentsOf(found, known)
  }
  return above
}

/** What came along with the pages; where a page was listed itself, that is the newer word. */
function toldAbove(rows: PageInfo[], known: Set<string>): TreeNode[] {
  const above: TreeNode[] = []
  for (const node of rows.flatMap((row) => row.above ?? [])) {
    if (!known.has(node.id)) above.push(node)
    known.add(node.id)
  }
  return above
}

/** Folders and the like below the space's home page, with what they stand in; only where that is certain. */
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

async function lookUp(client: WikiClient, places: NodeRef[], signal: AbortSignal): Promise<TreeNode[]> {
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
      if (row) return { id, title: row.title, parent: row.parent, ...(row.lost ? { lost: row.lost } : {}) }
      return { id, title: '', parent: null, lost: `the ${type} ${id} above it could not be read` }
    }),
  )
}
