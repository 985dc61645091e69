import { AppError } from '../../../errors.ts'
import type { TreeNode } from '../access/tree.ts'
import type {
  ContentClient,
  ListedPages,
  ListOptions,
  PageIncludes,
  PageInfo,
  PageKind,
  Space,
} from '../client.ts'
import { metadataFields, toMetadata } from '../restrictions-client.ts'
import { toIso } from '../times.ts'
import { isNotFound, type WikiTransport } from '../transport/transport.ts'
import { readWindows } from './offsets.ts'
import * as wire from './responses.ts'
import { atLeast } from './version.ts'

/** The server's maximum without bodies. */
export const PAGES_PER_REQUEST = 200
export const INFO_FIELDS = 'version,ancestors,history'

/** The pages of a space, in id order if the version can. */
export function pageLists(
  transport: WikiTransport,
  { version, includes }: { version: string | null; includes: PageIncludes },
): ContentClient['pagesIn'] {
  const { send, site } = transport

  return async function* pagesIn(space, options, signal) {
    if (atLeast(version, '7.18')) {
      let hasStarted = false
      try {
        for await (const pages of scan(space, options, signal)) {
          hasStarted = true
          yield pages
        }
        return
      } catch (error) {
        // Servers without `scan` read the name as a page id, which does not exist.
        if (hasStarted || !isNotFound(error)) throw error
      }
    }
    yield* list(space, options, signal)
  }

  /** Pages by cursor in id order, since 7.18. */
  async function* scan(space: Space, options: ListOptions, signal: AbortSignal): AsyncGenerator<ListedPages> {
    const { doing, query } = listing(space, options)
    const seenCursors = new Set<string>()
    for (let cursor = ''; !seenCursors.has(cursor); ) {
      seenCursors.add(cursor)
      const from = {
        limit: String(Math.min(PAGES_PER_REQUEST, options.pageSize)),
        ...(cursor ? { cursor } : {}),
      }
      const path = '/rest/api/content/scan'
      const request = { doing, path, query: { ...query, ...from }, response: wire.scanResponse }
      const { results, nextCursor, _links } = await send(request, signal)
      const toPage = createPageParser(site.home, space.id, options.kind)
      yield { pages: results.map((row) => toPage(row, _links?.base)), inOrder: true }
      const next = nextCursor || cursorIn(_links?.next)
      if (!next) return
      cursor = next
    }
    throw new AppError('source_misread', `${doing}: the list of ${site.name} repeats itself`)
  }

  /** Before 7.18, in no guaranteed order. */
  async function* list(space: Space, options: ListOptions, signal: AbortSignal): AsyncGenerator<ListedPages> {
    const request = { ...listing(space, options), path: '/rest/api/content', item: wire.contentResponse }
    for await (const { rows, base } of readWindows(transport, request, signal)) {
      const toPage = createPageParser(site.home, space.id, options.kind)
      yield { pages: rows.map((row) => toPage(row, base)), inOrder: false }
    }
  }

  function listing({ key }: Space, { kind, status }: ListOptions) {
    const query = { type: kind, spaceKey: key, status, expand: `${INFO_FIELDS},${metadataFields(includes)}` }
    return { doing: `listing the ${kind}s of space ${key}`, query }
  }
}

function cursorIn(link: string | null | undefined): string | null {
  return link ? new URLSearchParams(link.slice(link.indexOf('?') + 1)).get('cursor') : null
}

/** The pages of a response share ancestor nodes, so pages below one parent need one node. */
export function createPageParser(home: string, spaceId: string | null, kind: PageKind) {
  const nodes = new Map<string, TreeNode>()
  const nodeOf = (id: string, title: string, ancestors: TreeNode | undefined): TreeNode => {
    const known = nodes.get(id)
    if (known && known.parent?.id === ancestors?.id) return known
    const node = { id, title, parent: ancestors ? { id: ancestors.id, type: 'page' } : null }
    nodes.set(id, node)
    return node
  }

  return (row: wire.ContentResponse, base: string | null | undefined): PageInfo => {
    const ancestors: TreeNode[] = []
    for (const { id, title } of row.ancestors ?? []) ancestors.push(nodeOf(id, title ?? '', ancestors.at(-1)))
    const parent = ancestors.at(-1)
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
        ? { ancestors }
        : { unreadable: `the wiki did not return the ancestors of page ${row.id}` }),
      metadata: toMetadata(row),
    }
  }
}
