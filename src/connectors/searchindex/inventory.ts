import type { DataSource, HeldElement, Listed } from '../connector.ts'
import type { SearchClient } from './client.ts'
import { searchId } from './documents.ts'
import type { Located } from './locate.ts'
import { ofFailure } from './translate.ts'

/** About 2 KB each without text and vectors. */
const PAGE = 1000
const BATCH = 500
/** For how long the cluster keeps the place between two pages. */
const KEEP = '2m'

type Document = {
  _id: string
  _version?: number
  _source?: { record_id?: string; element_id?: string; metadata?: { data_source?: DataSource } }
  error?: { type?: string; reason?: string }
}
type Hits = { _scroll_id?: string; hits: { hits: Document[] } }

/** By id, and so as they were last written; without text and vectors. */
export async function heldElements(
  client: SearchClient,
  { elements, located }: { elements: { recordId: string; elementIds: string[] }[]; located: Located },
  signal: AbortSignal,
): Promise<HeldElement[]> {
  const wanted = elements.flatMap(({ recordId, elementIds }) =>
    elementIds.map((elementId) => ({ id: searchId(recordId, elementId), recordId, elementId })),
  )
  const held: HeldElement[] = []
  for (let at = 0; at < wanted.length; at += BATCH) {
    const batch = wanted.slice(at, at + BATCH)
    const ids = batch.map(({ id }) => id)
    const found = await client.call(
      'comparing',
      async (es, options) => {
        const answer = await es.mget(
          { index: located.readFrom, ids, _source_includes: ['metadata.data_source'] },
          options,
        )
        return new Map((answer.docs as Document[]).map((document) => [document._id, document]))
      },
      signal,
    )
    for (const { id, recordId, elementId } of batch) {
      const document = found.get(id)
      if (document?.error) {
        const { type = '', reason = '' } = document.error
        throw ofFailure({ status: 503, type, reason }, 'comparing', client.place)
      }
      if (!document?._source) continue
      const dataSource = document._source.metadata?.data_source ?? {}
      held.push({ recordId, elementId, fence: document._version ?? null, dataSource })
    }
  }
  return held
}

/** The whole index, as searches saw it when the first page was asked for: writes of the last second may not be in it. */
export async function* listElements(client: SearchClient, signal: AbortSignal): AsyncGenerator<Listed[]> {
  const fields = ['record_id', 'element_id', 'metadata.data_source.record_locator.space_key']
  let page: Hits = await client.call(
    'listing',
    (es, options) =>
      es.search(
        { index: client.place.index, scroll: KEEP, size: PAGE, sort: ['_doc'], _source: fields },
        options,
      ) as Promise<Hits>,
    signal,
  )
  try {
    while (page.hits.hits.length > 0) {
      yield page.hits.hits.map(toListed)
      const { _scroll_id: place } = page
      if (!place) return
      page = await client.once(
        'listing',
        (es, options) => es.scroll({ scroll_id: place, scroll: KEEP }, options) as Promise<Hits>,
        signal,
      )
    }
  } finally {
    const { _scroll_id: place } = page
    // The cluster forgets it by itself after a while.
    if (place)
      await client
        .once(
          'listing',
          (es, options) => es.clearScroll({ scroll_id: place }, options),
          AbortSignal.timeout(5000),
        )
        .catch(() => {})
  }
}

function toListed({ _source }: Document): Listed {
  const locator = _source?.metadata?.data_source?.record_locator as { space_key?: string } | undefined
  return {
    recordId: _source?.record_id ?? '',
    elementId: _source?.element_id ?? '',
    space: locator?.space_key ?? '',
  }
}
