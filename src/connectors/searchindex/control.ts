import { AppError } from '../../errors.ts'
import type { Control, ControlRecord } from '../destination.ts'
import { CONTROL_ID, controlRecord, elementKey } from '../kit/stored-element.ts'
import type { SearchClient } from './client.ts'
import { failureError } from './translate.ts'
import type { Bulk, BulkOperation } from './write/bulk.ts'
import { operation, removeOperations } from './write/documents.ts'
import { confirmSame, type LocatedIndex, pathOf } from './write/locate.ts'

/** For counts of elements. */
export const NOT_CONTROL = { bool: { must_not: { term: { element_id: CONTROL_ID } } } }

export function isControl({ _source }: { _source?: { element_id?: string } }): boolean {
  return _source?.element_id === CONTROL_ID
}

type ControlContext = {
  client: SearchClient
  bulk: Bulk
  located(signal: AbortSignal): Promise<LocatedIndex>
}

type Document = {
  _version?: number
  _source?: { metadata?: { data_source?: { version?: string } } }
  error?: { type?: string; reason?: string }
}

/**
 * The control document uses fields that every schema has, because a mapping may be strict: its version is the fence, and
 * `data_source.version` the epoch. Without clauses no permission filter matches it.
 */
export function createControl({ client, bulk, located }: ControlContext): Control {
  return {
    async read(key, signal) {
      const { readFrom } = await located(signal)
      const { docs } = await client.call<{ docs: Document[] }>(
        'reading the control document of',
        {
          method: 'POST',
          path: `${pathOf(readFrom)}/_mget`,
          body: { ids: [elementKey(controlRecord(key), CONTROL_ID)] },
        },
        signal,
      )
      const [found] = docs
      if (found?.error) {
        const { type = '', reason = '' } = found.error
        throw failureError({ status: 503, type, reason }, 'reading the control document of', client.address)
      }
      if (!found?._source) return null
      return { epoch: found._source.metadata?.data_source?.version ?? '', fence: found._version ?? 0 }
    },
    async write(key, record, signal) {
      const target = { doing: 'writing the control document of', located: await located(signal) }
      const [rejection] = await bulk([writeOperation(key, record)], target, signal)
      try {
        // Unlike elements it has no field that an index created by accident refuses.
        await confirmSame(client, target.located, signal)
      } catch (error) {
        if (error instanceof AppError && error.code === 'destination_index_missing')
          await bulk(removal(key, record.fence), target, signal).catch(() => {})
        throw error
      }
      if (rejection && rejection.kind !== 'superseded') throw rejection.error
      return rejection === undefined
    },
    async remove(key, fence, signal) {
      const target = { doing: 'removing the control document from', located: await located(signal) }
      await bulk(removal(key, fence), target, signal)
      await confirmSame(client, target.located, signal)
    },
  }
}

function writeOperation(key: string, { epoch, fence }: ControlRecord): BulkOperation {
  const recordId = controlRecord(key)
  const action = {
    index: { _id: elementKey(recordId, CONTROL_ID), version: fence, version_type: 'external_gte' },
  }
  const document = {
    record_id: recordId,
    element_id: CONTROL_ID,
    type: CONTROL_ID,
    metadata: { data_source: { version: epoch } },
  }
  return operation(
    recordId,
    CONTROL_ID,
    [action, document].map((line) => JSON.stringify(line)),
  )
}

function removal(key: string, fence: number): Iterable<BulkOperation> {
  return removeOperations([{ recordId: controlRecord(key), elementIds: [CONTROL_ID] }], fence)
}
