import { runWorkers } from '../../../concurrency.ts'
import { AppError } from '../../../errors.ts'
import type { AccessItem, DataSource, Rejection } from '../../destination.ts'
import { inParts } from '../../kit/batches.ts'
import { elementKey } from '../../kit/stored-element.ts'
import type { SearchClient } from '../client.ts'
import type { Bulk, BulkOperation } from './bulk.ts'
import { createIndexOperation } from './documents.ts'
import type { LocatedIndex } from './locate.ts'
import { createReadElements, TOO_LONG } from './read-elements.ts'

/** Elements read at once: about 10 KB each with their vectors. */
const BATCH_SIZE = 250
/** Two: one batch is read while the other is written. */
const CONCURRENCY = 2

export type ReplaceAccess = (
  what: { items: AccessItem[]; fence: number },
  located: LocatedIndex,
  signal: AbortSignal,
) => Promise<Rejection[]>

type AccessUpdate = { recordId: string; elementId: string; dataSource: DataSource }

/** The cluster's own update merges objects, which keeps removed clauses, and takes no version. */
export function createReplaceAccess(client: SearchClient, bulk: Bulk): ReplaceAccess {
  const read = createReadElements(client)

  return async ({ items, fence }, located, signal) => {
    const rejections: Rejection[] = []
    const waiting = inParts(items.flatMap(toUpdates), BATCH_SIZE).values()

    const replace = async (batch: AccessUpdate[], workerSignal: AbortSignal): Promise<void> => {
      const ids = batch.map(({ recordId, elementId }) => elementKey(recordId, elementId))
      const sources = await read(ids, located, workerSignal)
      if (sources === TOO_LONG) {
        if (batch.length === 1) return void rejections.push(...batch.map((one) => tooLong(one, client)))
        const half = Math.ceil(batch.length / 2)
        await replace(batch.slice(0, half), workerSignal)
        return replace(batch.slice(half), workerSignal)
      }
      const operations: BulkOperation[] = []
      const toOperation = createIndexOperation({ fence, engine: located.engine })
      for (const update of batch) {
        const source = sources.get(elementKey(update.recordId, update.elementId))
        if (!source) {
          rejections.push(missing(update, client))
          continue
        }
        const { metadata: { data_source: _, ...metadata } = {}, ...document } = source
        operations.push(toOperation({ ...update, document, metadata }))
      }
      rejections.push(...(await bulk(operations, { doing: 'updating', located }, workerSignal)))
    }

    const worker = async (workerSignal: AbortSignal) => {
      for (let next = waiting.next(); !next.done; next = waiting.next())
        await replace(next.value, workerSignal)
    }
    await runWorkers(CONCURRENCY, worker, signal)
    return rejections
  }
}

function toUpdates({ elementIds, ...document }: AccessItem): AccessUpdate[] {
  return elementIds.map((elementId) => ({ ...document, elementId }))
}

function missing({ recordId, elementId }: AccessUpdate, { address }: SearchClient): Rejection {
  const what = `index ${address.index} does not hold element ${elementId}: document_missing`
  return { recordId, elementId, kind: 'missing', error: new AppError('destination_rejected', what) }
}

function tooLong({ recordId, elementId }: AccessUpdate, { address }: SearchClient): Rejection {
  const what = `element ${elementId} of index ${address.index} is too large to be read`
  return { recordId, elementId, kind: 'refused', error: new AppError('destination_rejected', what) }
}
