import type { DataSource, HeldElement, HeldRecord } from '../connector.ts'
import type { SearchClient } from './client.ts'
import { failureError } from './translate.ts'
import { NoResponse } from './transport.ts'
import { searchId } from './write/documents.ts'
import { type Located, pathOf } from './write/locate.ts'
import { TOO_LONG } from './write/read-elements.ts'

/** About 2 KB each without text and vectors. */
const PAGE = 1000
const BATCH = 500
/** How long the cluster keeps the scroll between two pages. */
const KEEP = '2m'

type Document = {
  _id: string
  _version?: number
  _source?: { record_id?: string; element_id?: string; metadata?: { data_source?: DataSource } }
  error?: { type?: string; reason?: string }
}
type Hits = { _scroll_id?: string; hits: { hits: Document[] } }

type ElementKey = { id: string; recordId: string; elementId: string }

/** Reads by id, so it sees the latest write; without text and vectors. */
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
    held.push(...(await readBatch(client, { batch: wanted.slice(at, at + BATCH), located }, signal)))
  }
  return held
}

async function readBatch(
  client: SearchClient,
  { batch, located }: { batch: ElementKey[]; located: Located },
  signal: AbortSignal,
): Promise<HeldElement[]> {
  const response = await client.call<{ docs: Document[] } | typeof TOO_LONG>(
    'comparing',
    {
      method: 'POST',
      path: `${pathOf(located.readFrom)}/_mget`,
      query: { _source_includes: 'metadata.data_source' },
      body: { ids: batch.map(({ id }) => id) },
      // A single element cannot be split further.
      recover: (failure) =>
        failure instanceof NoResponse && failure.why === 'too long' && batch.length > 1
          ? TOO_LONG
          : undefined,
    },
    signal,
  )
  if (response === TOO_LONG) {
    const half = Math.ceil(batch.length / 2)
    const first = await readBatch(client, { batch: batch.slice(0, half), located }, signal)
    return [...first, ...(await readBatch(client, { batch: batch.slice(half), located }, signal))]
  }
  const found = new Map(response.docs.map((document) => [document._id, document]))
  return batch.flatMap(({ id, recordId, elementId }) => {
    const document = found.get(id)
    if (document?.error) {
      const { type = '', reason = '' } = document.error
      throw failureError({ status: 503, type, reason }, 'comparing', client.place)
    }
    if (!document?._source) return []
    const dataSource = document._source.metadata?.data_source ?? {}
    return [{ recordId, elementId, fence: document._version ?? null, dataSource }]
  })
}

/** The whole index; writes of the last second may be missing. */
export async function* listElements(client: SearchClient, signal: AbortSignal): AsyncGenerator<HeldRecord[]> {
  const fields = ['record_id', 'element_id', 'metadata.data_source.record_locator.space_key']
  let page = await client.call<Hits>(
    'listing',
    {
      method: 'POST',
      path: `${pathOf(client.place.index)}/_search`,
      query: { scroll: KEEP },
      body: { size: PAGE, sort: ['_doc'], _source: fields },
    },
    signal,
  )
  try {
    while (page.hits.hits.length > 0) {
      yield page.hits.hits.map(toHeldRecord)
      if (!page._scroll_id) return
      // No retry: it could skip a page of the scroll.
      page = await client.once<Hits>(
        'listing',
        { method: 'POST', path: '/_search/scroll', body: { scroll_id: page._scroll_id, scroll: KEEP } },
        signal,
      )
    }
  } finally {
    if (page._scroll_id) await closeScroll(client, page._scroll_id)
  }
}

/** The cluster drops the scroll by itself after two minutes. */
async function closeScroll(client: SearchClient, scrollId: string): Promise<void> {
  const request = { method: 'DELETE', path: '/_search/scroll', body: { scroll_id: scrollId } } as const
  await client.once('listing', request, AbortSignal.timeout(5000)).catch(() => {})
}

/** An element with another id was not written by Millrace. */
function toHeldRecord({ _id, _source }: Document): HeldRecord {
  const { record_id: recordId = '', element_id: elementId = '', metadata } = _source ?? {}
  const locator = metadata?.data_source?.record_locator as { space_key?: string } | undefined
  const isOurs = _id === searchId(recordId, elementId)
  return { recordId: isOurs ? recordId : '', elementId, scopeKey: locator?.space_key ?? '' }
}
