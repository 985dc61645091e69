import { undefinedUnlessFatal } from '../access/directory.ts'
import type { KnownNodes } from '../access/known-nodes.ts'
import type { NodeRef, TreeNode } from '../access/tree.ts'
import { fetchInBatches } from '../batches.ts'
import type { PageInfo, Space, WikiClient } from '../client.ts'
import { IdSet } from '../id-set.ts'

const BATCH_SIZE = 250

/** `known` are nodes of earlier batches, `loaded` are new. */
type Ancestors = { known: TreeNode[]; loaded: TreeNode[] }

/** Finds the ancestors of a batch outside it: folders, and pages of other batches or outside the listing. */
export type AncestorLoader = (rows: PageInfo[], signal: AbortSignal) => Promise<Ancestors>

type LoaderInput = { client: WikiClient; space: Space; nodes: KnownNodes; isPart?: true }

export function createAncestorLoader({ client, space, nodes, isPart }: LoaderInput): AncestorLoader {
  let pageCount = 0
  let folderCount = 0
  let folders: Map<string, TreeNode> | undefined

  return async (rows, signal) => {
    const seen = new Set(rows.map(({ id }) => id))
    const ancestors: Ancestors = { known: [], loaded: [] }
    const included = includedAncestors(rows, seen)
    for (const node of included) add(node)
    let missing = parentsOf([...rows, ...ancestors.known], seen)
    pageCount += rows.length
    folderCount += missing.filter(({ id, type }) => type !== 'page' && !nodes.get(id)).length
    // A folder costs one request; the whole tree one per 250 pages.
    const treeIsCheaper = !isPart && folderCount > pageCount / BATCH_SIZE + 1
    if (treeIsCheaper) folders ??= await foldersBelowHome(client, space, signal)
    while (missing.length > 0) {
      const found = missing.flatMap(({ id }) => nodes.get(id) ?? folders?.get(id) ?? [])
      const foundIds = new Set(found.map(({ id }) => id))
      const unknown = missing.filter(({ id }) => !foundIds.has(id))
      found.push(...(await loadNodes(client, unknown, signal)))
      for (const { id } of missing) seen.add(id)
      for (const node of found) add(node)
      missing = parentsOf(found, seen)
    }
    return ancestors

    /** Nodes of earlier batches were listed themselves, so they are preferred. */
    function add(node: TreeNode): void {
      const known = nodes.get(node.id)
      if (known) ancestors.known.push(known)
      else ancestors.loaded.push(node)
    }
  }
}

/** Ancestors that came with the pages; listed pages are newer. */
function includedAncestors(rows: PageInfo[], seen: Set<string>): TreeNode[] {
  const ancestors: TreeNode[] = []
  for (const node of rows.flatMap((row) => row.ancestors ?? [])) {
    if (!seen.has(node.id)) ancestors.push(node)
    seen.add(node.id)
  }
  return ancestors
}

/** Folders and other non-pages below the home page whose parent type is known. */
async function foldersBelowHome(
  client: WikiClient,
  space: Space,
  signal: AbortSignal,
): Promise<Map<string, TreeNode>> {
  const folders = new Map<string, { type: string; title: string; parentId: string | null }>()
  const pages = new IdSet()
  const home = space.homepageId
  if (home) pages.add(home)
  try {
    for await (const rows of home ? client.descendants(home, signal) : []) {
      for (const { id, type, title, parentId } of rows)
        if (type === 'page') pages.add(id)
        else folders.set(id, { type, title, parentId })
    }
  } catch (error) {
    undefinedUnlessFatal(error)
    return new Map()
  }
  const nodes = new Map<string, TreeNode>()
  for (const [id, { title, parentId }] of folders) {
    const parentType = parentId && (pages.has(parentId) ? 'page' : folders.get(parentId)?.type)
    if (parentId && parentType) nodes.set(id, { id, title, parent: { id: parentId, type: parentType } })
  }
  return nodes
}

function parentsOf(nodes: { parent: NodeRef | null }[], seen: Set<string>): NodeRef[] {
  const parents = nodes.flatMap(({ parent }) => (parent && !seen.has(parent.id) ? [parent] : []))
  return [...new Map(parents.map((parent) => [parent.id, parent])).values()]
}

async function loadNodes(client: WikiClient, nodes: NodeRef[], signal: AbortSignal): Promise<TreeNode[]> {
  const pages = nodes.filter(({ type }) => type === 'page').map(({ id }) => id)
  const many = pages.length > 1 ? pages : []
  const rows = await fetchInBatches(many, {
    size: BATCH_SIZE,
    minSize: 25,
    fetch: (batch) => client.pagesById(batch, 'page', signal),
  })
  const found = new Map(rows.map((row) => [row.id, row]))
  return Promise.all(
    nodes.map(async ({ id, type }): Promise<TreeNode> => {
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
