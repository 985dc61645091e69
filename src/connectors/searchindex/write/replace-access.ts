import { runWorkers } from '../../../concurrency.ts'
import { AppError } from '../../../errors.ts'
import type { AccessItem, DataSource, Rejection } from '../../connector.ts'
import type { SearchClient } from '../client.ts'
import type { Bulk, Unit } from './bulk.ts'
import { indexing, searchId } from './documents.ts'
import type { Located } from './locate.ts'
import { createReadElements, TOO_LONG } from './read-elements.ts'

/** Elements read at once: about 10 KB each with their vectors. */
const BATCH = 250
/** Two: one is read while the other is written. */
const AT_ONCE = 2

export type ReplaceAccess = (
  what: { items: AccessItem[]; fence: number },
  located: Located,
  signal: AbortSignal,
) => Promise<Rejection[]>

type Wanted = { recordId: string; elementId: string; dataSource: DataSource }

/**
 * Reads elements and writes them again with `data_source` replaced whole. An update of the cluster's own would merge
 * objects, so that a clause that is no longer there would stay, and takes no version, so that a late one would win.
 */
export function createReplaceAccess(client: SearchClient, bulk: Bulk): ReplaceAccess {
  const read = createReadElements(client)

  return async ({ items, fence }, located, signal) => {
    const rejections: Rejection[] = []
    const waiting = batches(items)

    const replace = async (batch: Wanted[], either: AbortSignal): Promise<void> => {
      const ids = batch.map(({ recordId, elementId }) => searchId(recordId, elementId))
      const sources = await read(ids, located, either)
      if (sources === TOO_LONG) {
        if (batch.length === 1) return void rejections.push(...batch.map((one) => tooLong(one, client)))
        const half = Math.ceil(batch.length / 2)
        await replace(batch.slice(0, half), either)
        return replace(batch.slice(half), either)
      }
      const units: Unit[] = []
      for (const wanted of batch) {
        const source = sources.get(searchId(wanted.recordId, wanted.elementId))
        if (!source) {
          rejections.push(missing(wanted, client))
          continue
        }
        const document = { ...source, metadata: { ...source.metadata, data_source: wanted.dataSource } }
        units.push(indexing({ ...wanted, document }, { fence, engine: located.engine }))
      }
      rejections.push(...(await bulk(units, { doing: 'updating', located }, either)))
    }

    const worker = async (either: AbortSignal) => {
      for (let next = waiting.next(); !next.done; next = waiting.next()) await replace(next.value, either)
    }
    await runWorkers(AT_ONCE, worker, signal)
    return rejections
  }
}

function* batches(items: AccessItem[]): Generator<Wanted[]> {
  let batch: Wanted[] = []
  for (const { recordId, elementIds, dataSource } of items) {
    for (const elementId of elementIds) {
      batch.push({ recordId, elementId, dataSource })
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

function missing({ recordId, elementId }: Wanted, { place }: SearchClient): Rejection {
  const what = `index ${place.index} does not hold element ${elementId}: document_missing`
  return { recordId, elementId, error: new AppError('destination_rejected', what) }
}

function tooLong({ recordId, elementId }: Wanted, { place }: SearchClient): Rejection {
  const what = `element ${elementId} of index ${place.index} is too large to be read back`
  return { recordId, elementId, error: new AppError('destination_rejected', what) }
}
