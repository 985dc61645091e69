import { AppError } from '../../../errors.ts'
import type { SearchClient } from '../client.ts'
import type { IndexSettings, SearchEngine } from '../engines/engine.ts'
import { opensearch } from '../engines/opensearch.ts'
import { engineFromIndex, engineFromRoot } from '../schema/recognise-engine.ts'
import type { Mapping } from '../schema/schema.ts'
import { indexMissing, indexReplaced, notACluster } from '../translate.ts'
import { ClusterError, type NoResponse } from '../transport.ts'

/**
 * Finds the index to write. Clusters create a missing index on write and guess its schema, which would analyse
 * permissions. These measures prevent it:
 * - An alias is written with `require_alias`.
 * - On Elasticsearch every write names a missing template for `access.c0`, looked up only if the field has
 *   no mapping: an accidental index refuses every document.
 * - OpenSearch needs credentials that may not create indexes; otherwise `destination.ts` checks after every
 *   write and removes elements written to another index.
 * - Failures carry the id of their index, which is compared.
 * - A removal with a version creates an index too, so the index is checked after it.
 *
 * An empty index may remain; it is never deleted, since it may be the owner's.
 */
export type LocatedIndex = {
  name: string
  isAlias: boolean
  /** The index itself; equal to `name` unless that is an alias. */
  concrete: string
  /** The write index of an alias with several indexes. */
  readFrom: string
  uuid: string
  engine: SearchEngine
}
export type FoundIndex = LocatedIndex & { mapping: Mapping; settings: IndexSettings }

type IndexResponse = Record<
  string,
  {
    mappings?: Mapping
    settings?: { index?: IndexSettings }
    aliases?: Record<string, { is_write_index?: boolean }>
    data_stream?: string
  }
>

/** `once` is for checks, because a person waits; `call` retries. */
export async function findIndex(
  client: SearchClient,
  method: 'once' | 'call',
  signal: AbortSignal,
): Promise<FoundIndex> {
  const { address } = client
  const response = await client[method]<IndexResponse>(
    'reading',
    { method: 'GET', path: pathOf(address.index) },
    signal,
  )
  const refuse = (what: string, fix: string) =>
    new AppError('destination_schema', `${address.index} at ${address.hosts} ${what}`, { fix })
  const found = Object.entries(response)
  const engine = await engineOf(client, response, signal)
  const writable = found.filter(([, index]) => index.aliases?.[address.index]?.is_write_index === true)
  const [concrete, index] = (found.length === 1 ? found : writable)[0] ?? []
  if (found.length === 0) throw indexMissing('reading', address)
  if (found.some(([, { data_stream }]) => data_stream)) {
    throw refuse('is a data stream, whose documents cannot be changed', 'Name an index, or an alias of one')
  }
  if (!concrete || !index) {
    throw refuse(`points to ${found.length} indexes`, 'Name one index, or give the alias a write index')
  }
  return {
    name: address.index,
    isAlias: concrete !== address.index,
    concrete,
    readFrom: found.length === 1 ? address.index : concrete,
    uuid: index.settings?.index?.uuid ?? '',
    engine,
    mapping: index.mappings ?? {},
    settings: index.settings?.index ?? {},
  }
}

/** Called before every slice, because a recreated index has lost its elements. */
export async function confirmSame(
  client: SearchClient,
  known: LocatedIndex,
  signal: AbortSignal,
): Promise<void> {
  const query = { filter_path: '*.settings.index.uuid,*.aliases' }
  // An alias may cover several indexes; the aliases name the write index.
  const path = `${pathOf(client.address.index)}${known.isAlias ? '' : '/_settings'}`
  const response = await client.call<IndexResponse>('reading', { method: 'GET', path, query }, signal)
  const found = Object.values(response)
  const writable = found.filter((index) => index.aliases?.[client.address.index]?.is_write_index === true)
  const [index] = found.length === 1 ? found : writable
  if (index?.settings?.index?.uuid === known.uuid) return
  throw indexReplaced('reading', client.address)
}

export function pathOf(index: string): string {
  return `/${encodeURIComponent(index)}`
}

async function engineOf(
  client: SearchClient,
  response: IndexResponse,
  signal: AbortSignal,
): Promise<SearchEngine> {
  const { address } = client
  if (address.engine) return address.engine
  const indexes = Object.values(response)
  const settings = indexes.map((index) => index.settings?.index ?? {})
  const engine = settings.map(engineFromIndex).find(Boolean) ?? (await readRootEngine(client, signal))
  // Without a signature and a known creation version it is not a supported cluster.
  if (!engine || settings.every(({ uuid }) => !uuid)) throw notACluster('reading', address)
  client.setEngine(engine)
  return engine
}

/** The last resort. If forbidden, assumes OpenSearch: Elasticsearch would refuse its requests. */
export async function readRootEngine(
  client: SearchClient,
  signal: AbortSignal,
): Promise<SearchEngine | undefined> {
  const root = await client.once<unknown>(
    'recognising the cluster of',
    { method: 'GET', path: '/', recover: (failure) => (isForbidden(failure) ? FORBIDDEN : undefined) },
    signal,
  )
  return root === FORBIDDEN ? opensearch : engineFromRoot(root)
}

const FORBIDDEN = Symbol('forbidden')

function isForbidden(failure: ClusterError | NoResponse): boolean {
  return failure instanceof ClusterError && failure.status === 403
}
