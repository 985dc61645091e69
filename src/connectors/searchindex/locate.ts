import { AppError } from '../../errors.ts'
import type { SearchClient } from './client.ts'
import type { Mapping } from './schema.ts'
import { indexMissing, indexReplaced } from './translate.ts'

/**
 * Where documents go. A cluster makes an index that a write does not find (`action.auto_create_index`), guesses
 * its schema from the first document, and permissions become analysed text. Three things keep that from
 * happening, none of them an extra request in a bulk:
 *  - an alias is written with `require_alias`, which is exact;
 *  - every index action names a template that exists nowhere for the field `access.c0`. It is looked up only
 *    when that field has no mapping, so never in a prepared index; in one made by accident each document is
 *    refused, and the index stays empty and without a schema;
 *  - failures carry the id of the index they come from, which is compared with the one that was prepared.
 */
export type Located = {
  name: string
  isAlias: boolean
  /** Its own name where an alias stands for several: those are not read by id. */
  readFrom: string
  uuid: string
}
export type FoundIndex = Located & { mapping: Mapping }

type Answer = Record<
  string,
  {
    mappings?: Mapping
    settings?: { index?: { uuid?: string } }
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
  const answer: Answer = await client[how](
    'reading',
    (es, options) => es.indices.get({ index: place.index }, options),
    signal,
  )
  const found = Object.entries(answer)
  const writable = found.filter(([, index]) => index.aliases?.[place.index]?.is_write_index === true)
  const [concrete, index] = (found.length === 1 ? found : writable)[0] ?? []
  if (found.length === 0) throw indexMissing('reading', place)
  if (!concrete || !index) {
    throw new AppError(
      'destination_schema',
      `${place.index} at ${place.hosts} stands for ${found.length} indexes`,
      {
        fix: 'Name one index, or give the alias a write index',
      },
    )
  }
  if (index.data_stream) {
    throw new AppError(
      'destination_schema',
      `${place.index} at ${place.hosts} is a data stream, which keeps no updates`,
      {
        fix: 'Name an index',
      },
    )
  }
  return {
    name: place.index,
    isAlias: concrete !== place.index,
    readFrom: found.length === 1 ? place.index : concrete,
    uuid: index.settings?.index?.uuid ?? '',
    mapping: index.mappings ?? {},
  }
}

/** Cheap enough before every slice: another index under the same name has lost what was written before. */
export async function confirmSame(client: SearchClient, known: Located, signal: AbortSignal): Promise<void> {
  if (known.isAlias) return
  const answer: Answer = await client.call(
    'reading',
    (es, options) =>
      es.indices.get(
        { index: client.place.index, features: ['settings'], filter_path: ['*.settings.index.uuid'] },
        options,
      ),
    signal,
  )
  const [index] = Object.values(answer)
  if (index?.settings?.index?.uuid === known.uuid) return
  throw indexReplaced('reading', client.place)
}
