import { createHash } from 'node:crypto'
import type { WriteItem } from '../../connector.ts'
import type { SearchEngine } from '../engines/engine.ts'
import type { Unit } from './bulk.ts'

/** The `_id` of an element: the same in every index, unique per record. */
export function searchId(recordId: string, elementId: string): string {
  return createHash('sha256').update(`${recordId}\n${elementId}`).digest('hex').slice(0, 32)
}

export type WriteMark = { fence: number; engine: SearchEngine }

export function* writing(items: WriteItem[], mark: WriteMark): Iterable<Unit> {
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
    yield indexing({ recordId, elementId: element_id, document }, mark)
  }
}

type Document = { recordId: string; elementId: string; document: object }

/** The fence is the version, so the cluster refuses late writes. */
export function indexing({ recordId, elementId, document }: Document, { fence, engine }: WriteMark): Unit {
  const action = {
    index: {
      _id: searchId(recordId, elementId),
      version: fence,
      version_type: 'external_gte',
      ...engine.guard,
    },
  }
  return unit(recordId, elementId, [action, document])
}

export function* removing(
  elements: { recordId: string; elementIds: string[] }[],
  fence: number,
): Iterable<Unit> {
  for (const { recordId, elementIds } of elements) {
    for (const elementId of elementIds) {
      const action = { _id: searchId(recordId, elementId), version: fence, version_type: 'external_gte' }
      yield unit(recordId, elementId, [{ delete: action }])
    }
  }
}

function unit(recordId: string, elementId: string, lines: object[]): Unit {
  return { recordId, elementId, lines: lines.map((line) => JSON.stringify(line)) }
}
