import { AppError } from '../../../errors.ts'
import type { ContentClient, PageIncludes, PageInfo, PageKind, Space, StorageBody } from '../client.ts'
import { toLabels } from '../listing/labels.ts'
import * as shared from '../responses.ts'
import { metadataFields } from '../restrictions-client.ts'
import { listReaders } from '../transport/lists.ts'
import { nullIfMissing, type WikiTransport } from '../transport/transport.ts'
import type { ContentByIds } from './content-by-ids.ts'
import { readWindows } from './offsets.ts'
import { createPageParser, INFO_FIELDS, PAGES_PER_REQUEST, pageLists } from './page-lists.ts'
import * as wire from './responses.ts'

/** The server's maximum with bodies; it silently lowers larger values. */
const MAX_WITH_BODIES = 50

export type DataCenterOptions = { version: string | null; includes: PageIncludes }
type ContentOptions = DataCenterOptions & { byIds: ContentByIds }
type PagesLookup = { ids: string[]; kind: PageKind; expand: string; lookUp: ContentByIds['found'] }

export function dataCenterContent(transport: WikiTransport, contentOptions: ContentOptions): ContentClient {
  const { version, includes, byIds } = contentOptions
  const { site } = transport
  const { byOffset } = listReaders(transport)

  async function node(
    id: string,
    { kind, expand = `space,${INFO_FIELDS}` }: { kind: PageKind; expand?: string },
    signal: AbortSignal,
  ): Promise<PageInfo> {
    const row = await readOne(transport, { id, doing: `looking up ${kind} ${id}`, expand }, signal)
    return createPageParser(site.home, row.space?.id ?? null, kind)(row, row._links?.base)
  }

  /** Pages that the list lacks are read one by one. */
  async function pagesWith(
    { ids, kind, expand, lookUp }: PagesLookup,
    signal: AbortSignal,
  ): Promise<PageInfo[]> {
    const input = { doing: `looking up ${kind}s by id`, ids, expand, limit: PAGES_PER_REQUEST }
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

  return {
    spaces: (keys, signal) => listSpaces(transport, keys, signal),

    pagesIn: pageLists(transport, { version, includes }),

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

    ...pageBodies(transport, byIds),
  }
}

function pageBodies(
  transport: WikiTransport,
  byIds: ContentByIds,
): Pick<ContentClient, 'bodies' | 'bodiesPerRequest' | 'body' | 'bodyOfVersion'> {
  return {
    bodies: async (ids, _kind, signal) => {
      const options = { doing: 'reading pages', ids, expand: 'body.storage,version', limit: MAX_WITH_BODIES }
      return (await byIds.found(options, signal)).flatMap(({ id, status, version: pageVersion, body }) => {
        const storage = body?.storage?.value
        if (typeof storage !== 'string' || typeof pageVersion?.number !== 'number') return []
        return [{ id, status: status ?? 'current', version: String(pageVersion.number), storage }]
      })
    },
    bodiesPerRequest: MAX_WITH_BODIES,

    body: ({ id, type }, signal) => readBody(transport, { id, doing: `reading ${type} ${id}` }, signal),

    bodyOfVersion: async ({ id, type }, number, signal) => {
      const doing = `reading version ${number} of ${type} ${id}`
      // The newest version is not historical.
      const earlier = await readBody(transport, { id, doing, version: number }, signal).catch(nullIfMissing)
      if (earlier) return earlier
      const current = await readBody(transport, { id, doing }, signal)
      if (current.version === number) return current
      throw new AppError('source_not_found', `${doing}: the wiki does not have it`)
    },
  }
}

async function readBody(
  transport: WikiTransport,
  { id, doing, version }: Omit<ReadOne, 'expand'>,
  signal: AbortSignal,
): Promise<StorageBody> {
  const row = await readOne(transport, { id, doing, version, expand: 'body.storage,version' }, signal)
  const storage = row.body?.storage?.value
  if (typeof storage !== 'string') throw new AppError('source_misread', `${doing}: the response has no body`)
  return { id, status: row.status ?? 'current', version: String(row.version?.number ?? 0), storage }
}

type ReadOne = { id: string; doing: string; expand: string; version?: string | undefined }

async function readOne(
  { send }: WikiTransport,
  { id, doing, expand, version }: ReadOne,
  signal: AbortSignal,
) {
  const path = `/rest/api/content/${encodeURIComponent(id)}`
  const query = { ...(version ? { status: 'historical', version } : { status: 'any' }), expand }
  return send({ doing, path, query, response: wire.contentResponse }, signal)
}

/** Older versions omit a space's status, so each status is requested. */
async function* listSpaces(
  transport: WikiTransport,
  keys: string[] | null,
  signal: AbortSignal,
): AsyncGenerator<Space[]> {
  const seen = new Set<string>()
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
}

function toSpace({ id, key, name, status }: wire.ServerSpaceResponse, requestedStatus: string): Space {
  const archived = (status ?? requestedStatus).toLowerCase() === 'archived'
  return { id, key, alias: null, name: name ?? key, archived, homepageId: null }
}
