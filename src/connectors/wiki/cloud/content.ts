import { AppError } from '../../../errors.ts'
import type { NodeRef } from '../access/tree.ts'
import type { ContentClient, PageInfo, PageKind, Space, StorageBody } from '../client.ts'
import { toLabels } from '../listing/labels.ts'
import * as wire from '../responses.ts'
import { toIso } from '../times.ts'
import { listReaders, PAGE_SIZE } from '../transport/lists.ts'
import type { WikiTransport } from '../transport/transport.ts'

/** Drafts and trashed pages have no text for readers. */
const READABLE_STATUS: Record<PageKind, string[]> = { page: ['current', 'archived'], blogpost: ['current'] }
/** Blog posts cannot be archived; requesting archived ones is an error. */
const ANY_STATUS: Record<PageKind, string[]> = {
  page: ['current', 'archived', 'trashed', 'deleted'],
  blogpost: ['current', 'trashed', 'deleted'],
}
const NODE_PATHS: Record<string, string> = {
  page: 'pages',
  blogpost: 'blogposts',
  folder: 'folders',
  whiteboard: 'whiteboards',
  database: 'databases',
  embed: 'embeds',
}

export function cloudContent(transport: WikiTransport): ContentClient {
  const { send, sendPaged } = transport
  const { all } = listReaders(transport)

  const pagesById: ContentClient['pagesById'] = async (ids, kind, signal) => {
    const query = { id: ids.join(','), status: ANY_STATUS[kind], limit: PAGE_SIZE }
    const request = { doing: `looking up ${kind}s by id`, path: `/api/v2/${NODE_PATHS[kind]}`, query }
    const pages: PageInfo[] = []
    const responses = sendPaged({ ...request, response: wire.listOf(wire.pageResponse) }, signal)
    for await (const { results, _links } of responses)
      pages.push(...results.map((page) => toPage(page, kind, _links?.base)))
    return pages
  }

  async function readBody(
    node: NodeRef,
    { doing, version }: { doing: string; version?: string },
    signal: AbortSignal,
  ): Promise<StorageBody> {
    const query = { 'body-format': 'storage', ...(version ? { version } : {}) }
    const request = { doing, path: pathOf(node, doing), query }
    const page = await send({ ...request, response: wire.pageResponse }, signal)
    const storage = page.body?.storage?.value
    if (typeof storage !== 'string')
      throw new AppError('source_misread', `${doing}: the response has no body`)
    const { id, status, version: number } = toPage(page)
    return { id, status, version: number, storage }
  }

  return {
    spaces: async function* (keys, signal) {
      const query: Record<string, string> = keys
        ? { limit: PAGE_SIZE, keys: keys.join(',') }
        : { limit: PAGE_SIZE }
      const request = { doing: 'listing the spaces', path: '/api/v2/spaces', query }
      const responses = sendPaged({ ...request, response: wire.listOf(wire.spaceResponse) }, signal)
      for await (const { results } of responses) yield results.map(toSpace)
    },

    pagesIn: async function* (space, { kind, status, pageSize }, signal) {
      const path = `/api/v2/spaces/${encodeURIComponent(space.id)}/${NODE_PATHS[kind]}`
      const query = { limit: String(pageSize), status, sort: 'id' }
      const request = { doing: `listing the ${kind}s of space ${space.key}`, path, query }
      const responses = sendPaged({ ...request, response: wire.listOf(wire.pageResponse) }, signal)
      for await (const { results, _links } of responses)
        yield { pages: results.map((page) => toPage(page, kind, _links?.base)), inOrder: true }
    },

    knownPages: pagesById,
    pagesById,

    node: async (node, signal) => {
      const doing = `looking up ${node.type} ${node.id}`
      const row = await send({ doing, path: pathOf(node, doing), response: wire.pageResponse }, signal)
      return toPage(row, node.type === 'blogpost' ? 'blogpost' : 'page')
    },

    labels: async (node, signal) => {
      const doing = `reading the labels of ${node.id}`
      const request = { doing, path: `${pathOf(node, doing)}/labels`, query: { limit: PAGE_SIZE } }
      return toLabels(await all(request, wire.labelResponse, signal))
    },

    // Unlike the search, this list does not lag; it may return fewer than the limit and a next page.
    bodies: async (ids, kind, signal) => {
      const query = { id: ids.join(','), status: READABLE_STATUS[kind], limit: PAGE_SIZE }
      const request = { doing: `reading ${kind}s`, path: `/api/v2/${NODE_PATHS[kind]}` }
      const withBodies = { ...request, query: { ...query, 'body-format': 'storage' } }
      return (await all(withBodies, wire.pageResponse, signal)).flatMap((page) => {
        const storage = page.body?.storage?.value
        if (typeof storage !== 'string' || typeof page.version?.number !== 'number') return []
        const { id, status, version } = toPage(page, kind)
        return [{ id, status, version, storage }]
      })
    },
    bodiesPerRequest: Number(PAGE_SIZE),

    body: (node, signal) => readBody(node, { doing: `reading ${node.type} ${node.id}` }, signal),

    bodyOfVersion: (node, version, signal) =>
      readBody(node, { doing: `reading version ${version} of ${node.type} ${node.id}`, version }, signal),
  }
}

function pathOf({ id, type }: NodeRef, doing: string): string {
  const list = NODE_PATHS[type]
  if (!list) throw new AppError('source_not_found', `${doing}: this type of content is not supported`)
  return `/api/v2/${list}/${encodeURIComponent(id)}`
}

function toSpace({ id, key, name, status, currentActiveAlias, homepageId }: wire.SpaceResponse): Space {
  return {
    id,
    key,
    alias: currentActiveAlias ?? null,
    name: name ?? key,
    archived: status === 'archived',
    homepageId: homepageId ?? null,
  }
}

function toPage(page: wire.PageResponse, kind: PageKind = 'page', listBase?: string | null): PageInfo {
  const base = page._links?.base ?? listBase
  const webui = page._links?.webui
  return {
    id: page.id,
    kind,
    status: page.status ?? 'current',
    spaceId: page.spaceId ?? null,
    title: page.title ?? '',
    parent: page.parentId ? { id: page.parentId, type: page.parentType ?? 'page' } : null,
    version: String(page.version?.number ?? 0),
    author: page.authorId ?? null,
    createdAt: toIso(page.createdAt),
    modifiedAt: toIso(page.version?.createdAt),
    url: base && webui && /^https?:\/\//.test(base) ? `${base}${webui}` : null,
  }
}
