import { AppError } from '../../../errors.ts'
import type { NodeRef } from '../access/tree.ts'
import type { ContentClient, PageInfo, PageKind, Space } from '../client.ts'
import { toLabels } from '../listing/labels.ts'
import * as wire from '../responses.ts'
import { toIso } from '../times.ts'
import { listReaders, PAGE } from '../transport/lists.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { searchByIds } from './search.ts'

/** The search may return fewer; the rest follows. */
const BODIES = '50'
/** Blog posts cannot be archived; requesting archived ones is an error. */
const ANY_STATUS: Record<PageKind, string> = {
  page: 'current,archived,trashed,deleted',
  blogpost: 'current,trashed,deleted',
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
  const { ask, askAll } = transport
  const { all } = listReaders(transport)

  return {
    spaces: async function* (keys, signal) {
      const query: Record<string, string> = keys ? { limit: PAGE, keys: keys.join(',') } : { limit: PAGE }
      const question = { doing: 'listing the spaces', path: '/api/v2/spaces', query }
      const answers = askAll({ ...question, response: wire.listOf(wire.spaceAnswer) }, signal)
      for await (const { results } of answers) yield results.map(toSpace)
    },

    pagesIn: async function* (space, { kind, status, pageSize }, signal) {
      const path = `/api/v2/spaces/${encodeURIComponent(space.id)}/${NODE_PATHS[kind]}`
      const query = { limit: String(pageSize), status, sort: 'id' }
      const question = { doing: `listing the ${kind}s of space ${space.key}`, path, query }
      const answers = askAll({ ...question, response: wire.listOf(wire.pageAnswer) }, signal)
      for await (const { results, _links } of answers)
        yield { pages: results.map((page) => toPage(page, kind, _links?.base)), inOrder: true }
    },

    pagesById: async (ids, kind, signal) => {
      const query = { id: ids.join(','), status: ANY_STATUS[kind], limit: PAGE }
      const question = { doing: `looking up ${kind}s by id`, path: `/api/v2/${NODE_PATHS[kind]}`, query }
      return (await all(question, wire.pageAnswer, signal)).map((page) => toPage(page, kind))
    },

    node: async (node, signal) => {
      const doing = `looking up ${node.type} ${node.id}`
      const row = await ask({ doing, path: pathOf(node, doing), response: wire.pageAnswer }, signal)
      return toPage(row, node.type === 'blogpost' ? 'blogpost' : 'page')
    },

    descendants: async (id, signal) => {
      const path = `/api/v2/pages/${encodeURIComponent(id)}/descendants`
      const question = { doing: `listing what is below ${id}`, path, query: { limit: PAGE, depth: '10' } }
      return (await all(question, wire.descendantAnswer, signal)).map((row) => ({
        id: row.id,
        type: row.type ?? 'page',
        title: row.title ?? '',
        parentId: row.parentId ?? null,
      }))
    },

    labels: async (node, signal) => {
      const doing = `reading the labels of ${node.id}`
      const question = { doing, path: `${pathOf(node, doing)}/labels`, query: { limit: PAGE } }
      return toLabels(await all(question, wire.labelAnswer, signal))
    },

    bodies: async (ids, signal) => {
      const query = { expand: 'body.storage,version', limit: BODIES }
      const rows = await searchByIds(transport, { doing: 'reading pages', ids, query }, signal)
      return rows.flatMap(({ id, status, version, body }) => {
        const storage = body?.storage?.value
        if (typeof storage !== 'string' || typeof version?.number !== 'number') return []
        return [{ id, status: status ?? 'current', version: String(version.number), storage }]
      })
    },

    body: async (node, signal) => {
      const doing = `reading ${node.type} ${node.id}`
      const question = { doing, path: pathOf(node, doing), query: { 'body-format': 'storage' } }
      const page = await ask({ ...question, response: wire.pageAnswer }, signal)
      const storage = page.body?.storage?.value
      if (typeof storage !== 'string')
        throw new AppError('source_misread', `${doing}: the response has no body`)
      const { id, status, version } = toPage(page)
      return { id, status, version, storage }
    },
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
