import { createHash } from 'node:crypto'
import type { WriteItem } from '../../connector.ts'
import type { SearchEngine } from '../engines/engine.ts'
import type { BulkOperation } from './bulk.ts'

/** The `_id` of an element: the same in every index, unique per record. */
export function searchId(recordId: string, elementId: string): string {
  return createHash('sha256').update(`${recordId}\n${elementId}`).digest('hex').slice(0, 32)
}

export type WriteOptions = { fence: number; engine: SearchEngine }

export function* writeOperations(items: WriteItem[], options: WriteOptions): Iterable<BulkOperation> {
  for (const { recordId, element, dataSource } of items) {
    const { element_id, type, text, embeddings, metadata } = element
    const document = {
      record_id: recordId,
      element_id,
      type,
      text,
      ...(embeddings ? { embeddings } : {}),
      metadata: { ...metadata, data_source: dataSource },
    }
    yield indexOperation({ recordId, elementId: element_id, document }, options)
  }
}

type Document = { recordId: string; elementId: string; document: object }

/** The fence is the version, so the cluster refuses late writes. */
export function indexOperation(
  { recordId, elementId, document }: Document,
  { fence, engine }: WriteOptions,
): BulkOperation {
  const action = {
    index: {
      _id: searchId(recordId, elementId),
      version: fence,
      version_type: 'external_gte',
      ...engine.writeGuard,
    },
  }
  return toOperation(recordId, elementId, [action, document])
}

export function* removeOperations(
  elements: { recordId: string; elementIds: string[] }[],
  fence: number,
): Iterable<BulkOperation> {
  for (const { recordId, elementIds } of elements) {
    for (const elementId of elementIds) {
      const action = { _id: searchId(recordId, elementId), version: fence, version_type: 'external_gte' }
      yield toOperation(recordId, elementId, [{ delete: action }])
    }
  }
}

function toOperation(recordId: string, elementId: string, lines: object[]): BulkOperation {
  return { recordId, elementId, lines: lines.map((line) => JSON.stringify(line)) }
}
