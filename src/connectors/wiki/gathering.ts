import { inBatches } from './batches.ts'
import type { PageInfo, Place, Space, WikiClient } from './client.ts'
import { unlessTheJobEnds, type WikiDirectory } from './directory.ts'
import type { Restriction } from './permissions.ts'
import type { Node } from './tree.ts'

/** What is known beside the plain listing; only pages that have something to say take room. */
export type Marked = {
  restrictions: Map<string, Restriction>
  unread: Map<string, string>
  labels: Map<string, string[]>
}

const BATCH = 250

/**
 * Restrictions and labels of pages. The search answers for 250 at once but lags behind; what it omits, or says
 * only in part, is asked for one by one. What cannot be read is noted as such, never as "not restricted".
 */
export async function gatherMarks(
  from: { client: WikiClient; directory: WikiDirectory },
  nodes: { pages: string[]; above: string[] },
  signal: AbortSignal,
): Promise<Marked> {
  const { client, directory } = from
  const ids = [...nodes.pages, ...nodes.above]
  const marked: Marked = { restrictions: new Map(), unread: new Map(), labels: new Map() }
  const settled = new Set<string>()
  const labelled = new Set<string>()
  const note = (id: string, restriction: Restriction) => {
    settled.add(id)
    if (restriction.read || restriction.update) marked.restrictions.set(id, restriction)
  }

  // For one or two the search is no cheaper than asking directly, and may lag.
  const searched = ids.length > 2 ? ids : []
  await inBatches(searched, {
    size: BATCH,
    smallest: 25,
    fetch: async (batch) => {
      for (const { id, told, labels } of await client.marks(batch, signal)) {
        labelled.add(id)
        if (labels.length > 0) marked.labels.set(id, labels)
        if (!told?.whole) continue
        directory.learn(told.accounts)
        note(id, told.restriction)
      }
      return []
    },
  })

  const alone = ids.filter((id) => !settled.has(id))
  await Promise.all(
    alone.map(async (id) => {
      const told = await client.restriction(id, signal).catch(unlessTheJobEnds)
      if (told) {
        directory.learn(told.accounts)
        note(id, told.restriction)
      } else marked.unread.set(id, `the restrictions of ${id} could not be read`)
    }),
  )
  await Promise.all(
    nodes.pages
      .filter((id) => !labelled.has(id))
      .map(async (id) => {
        const labels = await client.labels(id, signal).catch(unlessTheJobEnds)
        if (labels && labels.length > 0) marked.labels.set(id, labels)
      }),
  )
  return marked
}

/** Whatever stands above the pages and is not among them: folders, and pages that a limit or a status left out. */
export async function gatherAbove(
  client: WikiClient,
  { space, rows }: { space: Space; rows: PageInfo[] },
  signal: AbortSignal,
): Promise<Node[]> {
  const known = new Set(rows.map(({ id }) => id))
  const above: Node[] = []
  let edge = parentsOf(rows, known)
  const folders = edge.filter(({ type }) => type !== 'page').length
  // One by one a folder is a request; the whole tree is one for every 250 pages.
  const treeIsCheaper = folders > rows.length / BATCH + 1
  const below = treeIsCheaper ? await belowHome(client, space, signal) : new Map<string, Node>()
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

/** Folders and the like below the space's home page, with what they stand in; only where that is certain. */
async function belowHome(client: WikiClient, space: Space, signal: AbortSignal): Promise<Map<string, Node>> {
  const home = space.homepageId
  const rows = home ? await client.descendants(home, signal).catch(unlessTheJobEnds) : undefined
  const types = new Map((rows ?? []).map(({ id, type }) => [id, type]))
  if (home) types.set(home, 'page')
  const nodes = new Map<string, Node>()
  for (const { id, type, title, parentId } of rows ?? []) {
    const parentType = parentId ? types.get(parentId) : undefined
    if (type !== 'page' && parentId && parentType)
      nodes.set(id, { id, title, parent: { id: parentId, type: parentType } })
  }
  return nodes
}

function parentsOf(nodes: { parent: Place | null }[], known: Set<string>): Place[] {
  const parents = nodes.flatMap(({ parent }) => (parent && !known.has(parent.id) ? [parent] : []))
  return [...new Map(parents.map((place) => [place.id, place])).values()]
}

async function lookUp(client: WikiClient, places: Place[], signal: AbortSignal): Promise<Node[]> {
  const pages = places.filter(({ type }) => type === 'page').map(({ id }) => id)
  const many = pages.length > 1 ? pages : []
  const rows = await inBatches(many, {
    size: BATCH,
    smallest: 25,
    fetch: (batch) => client.pagesById(batch, signal),
  })
  const found = new Map(rows.map((row) => [row.id, row]))
  return Promise.all(
    places.map(async ({ id, type }): Promise<Node> => {
      const row = found.get(id) ?? (await client.node({ id, type }, signal).catch(unlessTheJobEnds))
      if (row) return { id, title: row.title, parent: row.parent }
      return { id, title: '', parent: null, lost: `the ${type} ${id} above it could not be read` }
    }),
  )
}
