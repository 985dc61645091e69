import { fetchInBatches } from '../batches.ts'
import type { ContainerInfo, PageInfo, WikiClient } from '../client.ts'
import type { Containers } from './containers.ts'
import { undefinedUnlessFatal } from './directory.ts'
import type { KnownNodes } from './known-nodes.ts'
import type { NodeRef, TreeNode } from './tree.ts'

const BATCH_SIZE = 250

/** `known` are nodes of earlier batches, `loaded` are new. */
type Ancestors = { known: TreeNode[]; loaded: TreeNode[] }

type LoaderInput = { client: WikiClient; containers: Containers; nodes: KnownNodes }

/** Finds the ancestors of a batch outside it: folders, and pages of other batches or outside the listing. */
export function createAncestorLoader({ client, containers, nodes }: LoaderInput) {
  return async (rows: PageInfo[], signal: AbortSignal): Promise<Ancestors> => {
    const seen = new Set(rows.map(({ id }) => id))
    const ancestors: Ancestors = { known: [], loaded: [] }
    const included = includedAncestors(rows, seen)
    for (const node of included) add(node)
    let missing = parentsOf([...rows, ...ancestors.known], seen)
    while (missing.length > 0) {
      const found = missing.flatMap(({ id }) => nodes.get(id) ?? [])
      found.push(...(await loadNodes(missing.filter(({ id }) => !nodes.get(id)))))
      for (const { id } of found) seen.add(id)
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

    /** Folders with the pages above them, and the rest one by one. */
    async function loadNodes(unknown: NodeRef[]): Promise<TreeNode[]> {
      const ids = unknown.filter(({ type }) => !isPageType(type)).map(({ id }) => id)
      const folders = [...(await containers.find(ids, signal)).values()].flatMap(withPagesAbove)
      const found = new Map(folders.filter(({ id }) => !seen.has(id)).map((node) => [node.id, node]))
      const rest = unknown.filter(({ id }) => !found.has(id))
      return [...found.values(), ...(await requestNodes(client, rest, signal))]
    }
  }
}

function isPageType(type: string): boolean {
  return type === 'page' || type === 'blogpost'
}

/** Folders above it are looked up themselves, for their restrictions. */
function withPagesAbove({ id, title, ancestors, restrictions }: ContainerInfo): TreeNode[] {
  const above = ancestors.flatMap((node, index): TreeNode[] =>
    isPageType(node.type) ? [{ id: node.id, title: node.title, parent: parentOf(ancestors[index - 1]) }] : [],
  )
  return [...above, { id, title, parent: parentOf(ancestors.at(-1)), restrictions }]
}

function parentOf(node: NodeRef | undefined): NodeRef | null {
  return node ? { id: node.id, type: node.type } : null
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

function parentsOf(nodes: { parent: NodeRef | null }[], seen: Set<string>): NodeRef[] {
  const parents = nodes.flatMap(({ parent }) => (parent && !seen.has(parent.id) ? [parent] : []))
  return [...new Map(parents.map((parent) => [parent.id, parent])).values()]
}

async function requestNodes(client: WikiClient, nodes: NodeRef[], signal: AbortSignal): Promise<TreeNode[]> {
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
