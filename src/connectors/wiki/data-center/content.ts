import { AppError } from '../../../errors.ts'
import type { TreeNode } from '../access/tree.ts'
import type { ContentClient, ListedPages, ListOptions, PageInfo, PageKind, Space, Wants } from '../client.ts'
import { toLabels } from '../listing/labels.ts'
import * as shared from '../responses.ts'
import { toIso } from '../times.ts'
import { listReaders } from '../transport/lists.ts'
import { isNotFound, type WikiTransport } from '../transport/transport.ts'
import { readWindows } from './offsets.ts'
import * as wire from './responses.ts'
import { metadataFields, toMetadata } from './restrictions.ts'
import { searchContentByIds } from './search.ts'
import { atLeast } from './version.ts'

/** The server's maximum with bodies; it silently lowers larger values. */
const BODIES = 50
/** The server's maximum with other expansions. */
const PAGES = 200
const INFO = 'version,ancestors,history'

export type ContentFields = { version: string | null; wants: Wants }

export function dataCenterContent(transport: WikiTransport, fields: ContentFields): ContentClient {
  const { version, wants } = fields
  const { ask, site } = transport
  const { byOffset } = listReaders(transport)

  /** Pages by cursor in id order, since 7.18. */
  async function* scan(space: Space, asked: ListOptions, signal: AbortSignal): AsyncGenerator<ListedPages> {
    const { doing, query } = listing(space, asked)
    const toPage = createPageParser(site.home, space.id, asked.kind)
    const passed = new Set<string>()
    for (let cursor = ''; !passed.has(cursor); ) {
      passed.add(cursor)
      const from = { limit: String(Math.min(PAGES, asked.pageSize)), ...(cursor ? { cursor } : {}) }
      const path = '/rest/api/content/scan'
      const question = { doing, path, query: { ...query, ...from }, response: wire.scanAnswer }
      const { results, nextCursor, _links } = await ask(question, signal)
      yield { pages: results.map((row) => toPage(row, _links?.base)), inOrder: true }
      const next = nextCursor || cursorIn(_links?.next)
      if (!next) return
      cursor = next
    }
    throw new AppError('source_misread', `${doing}: the list of ${site.name} repeats itself`)
  }

  /** Before 7.18, in no guaranteed order. */
  async function* list(space: Space, asked: ListOptions, signal: AbortSignal): AsyncGenerator<ListedPages> {
    const question = { ...listing(space, asked), path: '/rest/api/content', item: wire.contentAnswer }
    const toPage = createPageParser(site.home, space.id, asked.kind)
    for await (const { rows, base } of readWindows(transport, question, signal))
      yield { pages: rows.map((row) => toPage(row, base)), inOrder: false }
  }

  async function one(id: string, { doing, expand }: { doing: string; expand: string }, signal: AbortSignal) {
    const path = `/rest/api/content/${encodeURIComponent(id)}`
    const query = { status: 'any', expand }
    return ask({ doing, path, query, response: wire.contentAnswer }, signal)
  }

  async function node(id: string, kind: PageKind, signal: AbortSignal): Promise<PageInfo> {
    const row = await one(id, { doing: `looking up ${kind} ${id}`, expand: `space,${INFO}` }, signal)
    return createPageParser(site.home, row.space?.id ?? null, kind)(row, row._links?.base)
  }

  function listing({ key }: Space, { kind, status }: ListOptions) {
    const query = { type: kind, spaceKey: key, status, expand: `${INFO},${metadataFields(wants)}` }
    return { doing: `listing the ${kind}s of space ${key}`, query }
  }

  return {
    spaces: async function* (keys, signal) {
      const seen = new Set<string>()
      // Older versions omit a space's status, so each status is requested.
      for (const status of ['current', 'archived']) {
        const query = { status, ...(keys ? { spaceKey: keys } : {}) }
        const question = { doing: 'listing the spaces', path: '/rest/api/space', query }
        const answers = readWindows(transport, { ...question, item: wire.serverSpaceAnswer }, signal)
        for await (const { rows } of answers) {
          const fresh = rows.filter(({ id }) => !seen.has(id))
          for (const { id } of fresh) seen.add(id)
          yield fresh.map((row) => toSpace(row, status))
        }
      }
    },

    pagesIn: async function* (space, asked, signal) {
      if (atLeast(version, '7.18')) {
        let begun = false
        try {
          for await (const pages of scan(space, asked, signal)) {
            begun = true
            yield pages
          }
          return
        } catch (error) {
          // Servers without `scan` read the name as a page id, which does not exist.
          if (begun || !isNotFound(error)) throw error
        }
      }
      yield* list(space, asked, signal)
    },

    // The only list by ids is the search, which lags.
    pagesById: async (ids, kind, signal) => {
      const rows = ids.map((id) => node(id, kind, signal).catch(nullIfMissing))
      return (await Promise.all(rows)).filter((row) => row !== null)
    },

    node: ({ id, type }, signal) => node(id, type === 'blogpost' ? 'blogpost' : 'page', signal),

    // Pages come with their ancestors, which are pages only.
    descendants: async () => [],

    labels: async ({ id }, signal) => {
      const path = `/rest/api/content/${encodeURIComponent(id)}/label`
      const question = { doing: `reading the labels of ${id}`, path }
      return toLabels(await byOffset(question, shared.labelAnswer, signal))
    },

    bodies: async (ids, signal) => {
      const asked = { doing: 'reading pages', ids, expand: 'body.storage,version', limit: BODIES }
      return (await searchContentByIds(transport, asked, signal)).flatMap(
        ({ id, status, version: at, body }) => {
          const storage = body?.storage?.value
          if (typeof storage !== 'string' || typeof at?.number !== 'number') return []
          return [{ id, status: status ?? 'current', version: String(at.number), storage }]
        },
      )
    },

    body: async ({ id, type }, signal) => {
      const doing = `reading ${type} ${id}`
      const row = await one(id, { doing, expand: 'body.storage,version' }, signal)
      const storage = row.body?.storage?.value
      if (typeof storage !== 'string')
        throw new AppError('source_misread', `${doing}: the response has no body`)
      return { id, status: row.status ?? 'current', version: String(row.version?.number ?? 0), storage }
    },
  }
}

function cursorIn(link: string | null | undefined): string | null {
  return link ? new URLSearchParams(link.slice(link.indexOf('?') + 1)).get('cursor') : null
}

function toSpace({ id, key, name, status }: wire.ServerSpaceResponse, asked: string): Space {
  const archived = (status ?? asked).toLowerCase() === 'archived'
  return { id, key, alias: null, name: name ?? key, archived, homepageId: null }
}

/** Pages share ancestor nodes, so a thousand pages below one parent need one node. */
function createPageParser(home: string, spaceId: string | null, kind: PageKind) {
  const nodes = new Map<string, TreeNode>()
  const nodeOf = (id: string, title: string, above: TreeNode | undefined): TreeNode => {
    const known = nodes.get(id)
    if (known && known.parent?.id === above?.id) return known
    const node = { id, title, parent: above ? { id: above.id, type: 'page' } : null }
    nodes.set(id, node)
    return node
  }

  return (row: wire.ContentResponse, base: string | null | undefined): PageInfo => {
    const above: TreeNode[] = []
    for (const { id, title } of row.ancestors ?? []) above.push(nodeOf(id, title ?? '', above.at(-1)))
    const parent = above.at(-1)
    const webBase = base && /^https?:\/\//.test(base) ? base : home
    return {
      id: row.id,
      kind,
      status: row.status ?? 'current',
      spaceId,
      title: row.title ?? '',
      parent: parent ? { id: parent.id, type: 'page' } : null,
      version: String(row.version?.number ?? 0),
      author: row.history?.createdBy?.accountId ?? null,
      createdAt: toIso(row.history?.createdDate),
      modifiedAt: toIso(row.version?.when),
      url: `${webBase}${row._links?.webui ?? `/pages/viewpage.action?pageId=${row.id}`}`,
      ...(row.ancestors
        ? { above }
        : { unreadable: `the wiki did not return the ancestors of page ${row.id}` }),
      metadata: toMetadata(row),
    }
  }
}

function nullIfMissing(error: unknown): null {
  if (isNotFound(error)) return null
  throw error
}
