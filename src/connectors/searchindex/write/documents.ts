import type { DataSource, DocumentElements, WriteItem } from '../../destination.ts'
import { elementKey, keysOf } from '../../kit/stored-element.ts'
import type { SearchEngine } from '../engines/engine.ts'
import type { BulkOperation } from './bulk.ts'

export type WriteOptions = { fence: number; engine: SearchEngine }

export function* writeOperations(items: WriteItem[], options: WriteOptions): Iterable<BulkOperation> {
  const toOperation = createIndexOperation(options)
  for (const { recordId, element, dataSource } of items) {
    const { element_id: elementId, type, text, embeddings, metadata } = element
    const document = {
      record_id: recordId,
      element_id: elementId,
      type,
      text,
      ...(embeddings ? { embeddings } : {}),
    }
    yield toOperation({ recordId, elementId, document, metadata, dataSource })
  }
}

/** `document` and `metadata` without the parts that the other properties hold. */
type IndexedElement = {
  recordId: string
  elementId: string
  document: object
  metadata: object
  dataSource: DataSource
}

/** Elements of one document share their data source, half of an element; it is serialised once. */
export function createIndexOperation({
  fence,
  engine,
}: WriteOptions): (element: IndexedElement) => BulkOperation {
  // The fence is the version, so the cluster refuses late writes.
  const versioned = { version: fence, version_type: 'external_gte', ...engine.writeGuard }
  const actionEnd = JSON.stringify(versioned).slice(1)
  let last: { dataSource: DataSource; json: string } | undefined

  return ({ recordId, elementId, document, metadata, dataSource }) => {
    if (last?.dataSource !== dataSource) last = { dataSource, json: JSON.stringify(dataSource) }
    const action = `{"index":{"_id":"${elementKey(recordId, elementId)}",${actionEnd}}`
    const unfinished = JSON.stringify({ ...document, metadata }).slice(0, -2)
    const comma = unfinished.endsWith('{') ? '' : ','
    return operation(recordId, elementId, [action, `${unfinished}${comma}"data_source":${last.json}}}`])
  }
}

export function* removeOperations(elements: DocumentElements[], fence: number): Iterable<BulkOperation> {
  for (const { id, recordId, elementId } of keysOf(elements)) {
    const action = { _id: id, version: fence, version_type: 'external_gte' }
    yield operation(recordId, elementId, [JSON.stringify({ delete: action })])
  }
}

export function operation(recordId: string, elementId: string, lines: string[]): BulkOperation {
  return { recordId, elementId, lines: `${lines.join('\n')}\n` }
}
