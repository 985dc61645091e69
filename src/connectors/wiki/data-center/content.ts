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
  StorageBody,
} from '../client.ts'
import { toLabels } from '../listing/labels.ts'
import * as shared from '../responses.ts'
import { toIso } from '../times.ts'
import { listReaders } from '../transport/lists.ts'
import { isNotFound, type WikiTransport } from '../transport/transport.ts'
import type { ContentByIds } from './content-by-ids.ts'
import { readWindows } from './offsets.ts'
import * as wire from './responses.ts'
import { metadataFields, toMetadata } from './restrictions.ts'
import { atLeast } from './version.ts'

/** The server's maximum with bodies; it silently lowers larger values. */
const MAX_WITH_BODIES = 50
/** The server's maximum without bodies. */
const MAX_PAGES = 200
const INFO_FIELDS = 'version,ancestors,history'

export type DataCenterOptions = { version: string | null; includes: PageIncludes }
type ContentOptions = DataCenterOptions & { byIds: ContentByIds }
type PagesLookup = { ids: string[]; kind: PageKind; expand: string; lookUp: ContentByIds['found'] }

export function dataCenterContent(transport: WikiTransport, contentOptions: ContentOptions): ContentClient {
  const { version, includes, byIds } = contentOptions
  const { send, site } = transport
  const { byOffset } = listReaders(transport)

  /** Pages by cursor in id order, since 7.18. */
  async function* scan(space: Space, options: ListOptions, signal: AbortSignal): AsyncGenerator<ListedPages> {
    const { doing, query } = listing(space, options)
    const seenCursors = new Set<string>()
    for (let cursor = ''; !seenCursors.has(cursor); ) {
      seenCursors.add(cursor)
      const from = { limit: String(Math.min(MAX_PAGES, options.pageSize)), ...(cursor ? { cursor } : {}) }
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

  async function readOne(
    id: string,
    { doing, expand, version }: { doing: string; expand: string; version?: string | undefined },
    signal: AbortSignal,
  ) {
    const path = `/rest/api/content/${encodeURIComponent(id)}`
    const query = { ...(version ? { status: 'historical', version } : { status: 'any' }), expand }
    return send({ doing, path, query, response: wire.contentResponse }, signal)
  }

  async function readBody(
    id: string,
    { doing, version }: { doing: string; version?: string },
    signal: AbortSignal,
  ): Promise<StorageBody> {
    const row = await readOne(id, { doing, version, expand: 'body.storage,version' }, signal)
    const storage = row.body?.storage?.value
    if (typeof storage !== 'string')
      throw new AppError('source_misread', `${doing}: the response has no body`)
    return { id, status: row.status ?? 'current', version: String(row.version?.number ?? 0), storage }
  }

  async function node(
    id: string,
    { kind, expand = `space,${INFO_FIELDS}` }: { kind: PageKind; expand?: string },
    signal: AbortSignal,
  ): Promise<PageInfo> {
    const row = await readOne(id, { doing: `looking up ${kind} ${id}`, expand }, signal)
    return createPageParser(site.home, row.space?.id ?? null, kind)(row, row._links?.base)
  }

  /** Pages that the list lacks are read one by one. */
  async function pagesWith(
    { ids, kind, expand, lookUp }: PagesLookup,
    signal: AbortSignal,
  ): Promise<PageInfo[]> {
    const input = { doing: `looking up ${kind}s by id`, ids, expand, limit: MAX_PAGES }
    const rows = ids.length > 1 ? await lookUp(input, signal) : []
    const found = new Set(rows.map(({ id }) => id))
    const missing = ids.filter((id) => !found.has(id))
    const others = await Promise.all(
      missing.map((id) => node(id, { kind, expand }, signal).catch(nullIfMissing)),
    )
    const bySpace = Map.groupBy(rows, ({ space }) => space?.id ?? null)
    const pages = [...bySpace].flatMap(([spaceId, inSpace]) => {
      const toPage = createPageParser(site.home, spaceId, kind)
      return inSpace.map((row) => toPage(row, row._links?.base))
    })
    return [...pages, ...others.filter((row) => row !== null)]
  }

  function listing({ key }: Space, { kind, status }: ListOptions) {
    const query = { type: kind, spaceKey: key, status, expand: `${INFO_FIELDS},${metadataFields(includes)}` }
    return { doing: `listing the ${kind}s of space ${key}`, query }
  }

  return {
    spaces: async function* (keys, signal) {
      const seen = new Set<string>()
      // Older versions omit a space's status, so each status is requested.
      for (const status of ['current', 'archived']) {
        const query = { status, ...(keys ? { spaceKey: keys } : {}) }
        const request = { doing: 'listing the spaces', path: '/rest/api/space', query }
        const windows = readWindows(transport, { ...request, item: wire.serverSpaceResponse }, signal)
        for await (const { rows } of windows) {
          const newRows = rows.filter(({ id }) => !seen.has(id))
          for (const { id } of newRows) seen.add(id)
          yield newRows.map((row) => toSpace(row, status))
        }
      }
    },

    pagesIn: async function* (space, options, signal) {
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
    },

    knownPages: (ids, kind, signal) => {
      const expand = `space,${INFO_FIELDS},${metadataFields(includes)}`
      return pagesWith({ ids, kind, expand, lookUp: byIds.found }, signal)
    },

    pagesById: (ids, kind, signal) =>
      pagesWith({ ids, kind, expand: `space,${INFO_FIELDS}`, lookUp: byIds.listed }, signal),

    node: ({ id, type }, signal) => node(id, { kind: type === 'blogpost' ? 'blogpost' : 'page' }, signal),

    // Pages come with their ancestors, which are pages only.

    labels: async ({ id }, signal) => {
      const path = `/rest/api/content/${encodeURIComponent(id)}/label`
      const request = { doing: `reading the labels of ${id}`, path }
      return toLabels(await byOffset(request, shared.labelResponse, signal))
    },

    bodies: async (ids, _kind, signal) => {
      const options = { doing: 'reading pages', ids, expand: 'body.storage,version', limit: MAX_WITH_BODIES }
      return (await byIds.found(options, signal)).flatMap(({ id, status, version: pageVersion, body }) => {
        const storage = body?.storage?.value
        if (typeof storage !== 'string' || typeof pageVersion?.number !== 'number') return []
        return [{ id, status: status ?? 'current', version: String(pageVersion.number), storage }]
      })
    },
    bodiesPerRequest: MAX_WITH_BODIES,

    body: ({ id, type }, signal) => readBody(id, { doing: `reading ${type} ${id}` }, signal),

    bodyOfVersion: async ({ id, type }, number, signal) => {
      const doing = `reading version ${number} of ${type} ${id}`
      // The newest version is not historical.
      const earlier = await readBody(id, { doing, version: number }, signal).catch(nullIfMissing)
      if (earlier) return earlier
      const current = await readBody(id, { doing }, signal)
      if (current.version === number) return current
      throw new AppError('source_not_found', `${doing}: the wiki does not have it`)
    },
  }
}

function cursorIn(link: string | null | undefined): string | null {
  return link ? new URLSearchParams(link.slice(link.indexOf('?') + 1)).get('cursor') : null
}

function toSpace({ id, key, name, status }: wire.ServerSpaceResponse, requestedStatus: string): Space {
  const archived = (status ?? requestedStatus).toLowerCase() === 'archived'
  return { id, key, alias: null, name: name ?? key, archived, homepageId: null }
}

/** The pages of a response share ancestor nodes, so pages below one parent need one node. */
function createPageParser(home: string, spaceId: string | null, kind: PageKind) {
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

function nullIfMissing(error: unknown): null {
  if (isNotFound(error)) return null
  throw error
}
