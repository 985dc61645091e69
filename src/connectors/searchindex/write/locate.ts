import { AppError } from '../../../errors.ts'
import type { SearchClient } from '../client.ts'
import type { IndexSettings, SearchEngine } from '../engines/engine.ts'
import { opensearch } from '../engines/opensearch.ts'
import { createdBy, namedBy } from '../schema/recognise-engine.ts'
import type { Mapping } from '../schema/schema.ts'
import { indexMissing, indexReplaced, notACluster } from '../translate.ts'
import { ClusterError, type NoResponse } from '../transport.ts'

/**
 * Where documents go. A cluster makes an index that a write does not find (`action.auto_create_index`), guesses
 * its schema from the first document, and permissions become analysed text. These keep that from happening:
 *  - an alias is written with `require_alias`, which is exact;
 *  - on Elasticsearch every index action names a template that exists nowhere for the field `access.c0`. It is
 *    looked up only when that field has no mapping, so never in a prepared index; in one made by accident each
 *    document is refused, and the index stays empty and without a schema;
 *  - OpenSearch knows no such thing. There credentials that may not create indexes, as documented, are exact;
 *    with others, and with no security at all, the index is looked at after every write (`destination.ts`), and
 *    what went into another is taken out of it again;
 *  - failures carry the id of the index they come from, which is compared with the one that was prepared;
 *  - a removal makes an index too, since it carries a version (one without would not, and could not keep a late write
 *    from bringing back what it removed). It is looked at after every removal: the run then ends and says so.
 * What is left is an empty index without a schema, where somebody deleted theirs between two requests and the
 * credentials may create indexes. It is never deleted: nobody here can know that it is not theirs.
 */
export type Located = {
  name: string
  isAlias: boolean
  /** The index itself; the same as `name` where that is no alias. */
  concrete: string
  /** Its own name where an alias stands for several: those are not read by id. */
  readFrom: string
  uuid: string
  engine: SearchEngine
}
export type FoundIndex = Located & { mapping: Mapping; settings: IndexSettings }

export type IndexResponse = Record<
  string,
  {
    mappings?: Mapping
    settings?: { index?: IndexSettings }
    aliases?: Record<string, { is_write_index?: boolean }>
    data_stream?: string
  }
>

/** `once` is for a check, where a person waits; a job has the patience to ask again. */
export async function findIndex(
  client: SearchClient,
  how: 'once' | 'call',
  signal: AbortSignal,
): Promise<FoundIndex> {
  const { place } = client
  const answer = await client[how]<IndexResponse>(
    'reading',
    { method: 'GET', path: pathOf(place.index) },
    signal,
  )
  const found = Object.entries(answer)
  const engine = await engineOf(client, answer, signal)
  const writable = found.filter(([, index]) => index.aliases?.[place.index]?.is_write_index === true)
  const [concrete, index] = (found.length === 1 ? found : writable)[0] ?? []
  if (found.length === 0) throw indexMissing('reading', place)
  const stream = found.find(([, { data_stream }]) => data_stream)
  if (stream) {
    throw new AppError(
      'destination_schema',
      `${place.index} at ${place.hosts} is a data stream, which only takes documents that are never changed`,
      {
        fix: 'Name an index, or an alias of one',
      },
    )
  }
  if (!concrete || !index) {
    throw new AppError(
      'destination_schema',
      `${place.index} at ${place.hosts} stands for ${found.length} indexes`,
      {
        fix: 'Name one index, or give the alias a write index',
      },
    )
  }
  return {
    name: place.index,
    isAlias: concrete !== place.index,
    concrete,
    readFrom: found.length === 1 ? place.index : concrete,
    uuid: index.settings?.index?.uuid ?? '',
    engine,
    mapping: index.mappings ?? {},
    settings: index.settings?.index ?? {},
  }
}

/** Cheap enough before every slice: another index under the same name has lost what was written before. */
export async function confirmSame(client: SearchClient, known: Located, signal: AbortSignal): Promise<void> {
  const query = { filter_path: '*.settings.index.uuid,*.aliases' }
  // An alias may stand for several, and which of them is written is told with the aliases.
  const path = `${pathOf(client.place.index)}${known.isAlias ? '' : '/_settings'}`
  const answer = await client.call<IndexResponse>('reading', { method: 'GET', path, query }, signal)
  const found = Object.values(answer)
  const writable = found.filter((index) => index.aliases?.[client.place.index]?.is_write_index === true)
  const [index] = found.length === 1 ? found : writable
  if (index?.settings?.index?.uuid === known.uuid) return
  throw indexReplaced('reading', client.place)
}

export function pathOf(index: string): string {
  return `/${encodeURIComponent(index)}`
}

async function engineOf(
  client: SearchClient,
  answer: IndexResponse,
  signal: AbortSignal,
): Promise<SearchEngine> {
  const { place } = client
  if (place.engine) return place.engine
  const indexes = Object.values(answer)
  const settings = indexes.map((index) => index.settings?.index ?? {})
  const told = settings.map(createdBy).find(Boolean) ?? (await named(client, signal))
  // One that is neither signed nor says with what it was created is no index of a cluster that is known here.
  if (!told || settings.every(({ uuid }) => !uuid)) throw notACluster('it answers', 'reading', place)
  client.recognised(told)
  return told
}

/**
 * The last resort, for an index that was taken over from an old cluster. Where it is forbidden it is taken for the one
 * of the two that does not sign: what does not fit the other is then refused by it, not misunderstood.
 */
async function named(client: SearchClient, signal: AbortSignal): Promise<SearchEngine | undefined> {
  const root = await client.once<unknown>(
    'asking for the kind of cluster of',
    { method: 'GET', path: '/', settles: (failure) => (isForbidden(failure) ? FORBIDDEN : undefined) },
    signal,
  )
  return root === FORBIDDEN ? opensearch : namedBy(root)
}

const FORBIDDEN = Symbol('forbidden')

function isForbidden(failure: ClusterError | NoResponse): boolean {
  return failure instanceof ClusterError && failure.status === 403
}
