import type {
  DataSource,
  DocumentElements,
  InventoryPage,
  StoredElement,
  StoredRecord,
} from '../destination.ts'
import { inParts } from '../kit/batches.ts'
import { type ElementKey, keysOf, listedRecord, scopeKeyOf } from '../kit/stored-element.ts'
import type { SearchClient } from './client.ts'
import { isControl } from './control.ts'
import { failureError } from './translate.ts'
import { NoResponse } from './transport.ts'
import { type LocatedIndex, pathOf } from './write/locate.ts'
import { TOO_LONG } from './write/read-elements.ts'

/** About 2 KB each without text and vectors. */
const PAGE_SIZE = 1000
const BATCH_SIZE = 500

type Document = {
  _id: string
  _version?: number
  _source?: { record_id?: string; element_id?: string; metadata?: { data_source?: DataSource } }
  error?: { type?: string; reason?: string }
  sort?: unknown[]
}
type Hits = { _shards: { total: number }; hits: { hits: Document[] } }

/** Reads by id, so it sees the latest write; without text and vectors. */
export async function heldElements(
  client: SearchClient,
  { elements, located }: { elements: DocumentElements[]; located: LocatedIndex },
  signal: AbortSignal,
): Promise<StoredElement[]> {
  const held: StoredElement[] = []
  for (const batch of inParts(keysOf(elements), BATCH_SIZE))
    held.push(...(await readBatch(client, { batch, located }, signal)))
  return held
}

async function readBatch(
  client: SearchClient,
  { batch, located }: { batch: ElementKey[]; located: LocatedIndex },
  signal: AbortSignal,
): Promise<StoredElement[]> {
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
      throw failureError({ status: 503, type, reason }, 'comparing', client.address)
    }
    if (!document?._source) return []
    const dataSource = document._source.metadata?.data_source ?? {}
    return [{ recordId, elementId, fence: document._version ?? null, dataSource }]
  })
}

/** `after` is the sort value of the last element; null before the first of the shard. */
type Cursor = { shard: number; after: unknown[] | null }

/**
 * A page of the whole index, without writes of the last second. Reads shard by shard in the order of writes. Needs nothing open in the cluster, unlike a scroll, and an element that
 * is written again comes once more at the end, so none is skipped.
 */
export async function listElementsPage(
  client: SearchClient,
  cursor: string | null,
  signal: AbortSignal,
): Promise<InventoryPage> {
  const { shard, after }: Cursor = cursor === null ? { shard: 0, after: null } : JSON.parse(cursor)
  const page = await client.call<Hits>(
    'listing',
    {
      method: 'POST',
      path: `${pathOf(client.address.index)}/_search`,
      query: { preference: `_shards:${shard}`, allow_partial_search_results: 'false' },
      body: {
        size: PAGE_SIZE,
        // An alias may cover several indexes, which count their writes separately.
        sort: ['_seq_no', '_index'],
        ...(after ? { search_after: after } : {}),
        _source: ['record_id', 'element_id', 'metadata.data_source.record_locator.space_key'],
        track_total_hits: false,
      },
    },
    signal,
  )
  const { hits } = page.hits
  const next = nextCursor({ shard, after }, page)
  return {
    listed: hits.filter((document) => !isControl(document)).map(toRecord),
    next: next && JSON.stringify(next),
  }
}

/** A number above the last shard finds no shard. */
function nextCursor({ shard }: Cursor, { hits: { hits }, _shards: shards }: Hits): Cursor | null {
  const last = hits.at(-1)
  if (last && hits.length === PAGE_SIZE) return { shard, after: last.sort ?? null }
  return shards.total > 0 ? { shard: shard + 1, after: null } : null
}

function toRecord({ _id: id, _source: source = {} }: Document): StoredRecord {
  const { record_id: recordId = '', element_id: elementId = '', metadata } = source
  return listedRecord({ id, recordId, elementId, scopeKey: scopeKeyOf(metadata?.data_source ?? {}) })
}
