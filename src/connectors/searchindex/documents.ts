import { createHash } from 'node:crypto'
import type { AccessItem, WriteItem } from '../connector.ts'
import { GUARD_TEMPLATE, type Unit } from './bulk.ts'
import { ACCESS } from './schema.ts'

/** The `_id` of an element: the same in any index, and never that of another record's equal element. */
export function searchId(recordId: string, elementId: string): string {
  return createHash('sha256').update(`${recordId}\n${elementId}`).digest('hex').slice(0, 32)
}

export function* writing(items: WriteItem[]): Iterable<Unit> {
  for (const { recordId, element, dataSource } of items) {
    const { element_id, type, text, embeddings, metadata } = element
    const action = {
      index: { _id: searchId(recordId, element_id), dynamic_templates: { [`${ACCESS}.c0`]: GUARD_TEMPLATE } },
    }
    const document = {
      record_id: recordId,
      element_id,
      type,
      text,
      ...(embeddings ? { embeddings } : {}),
      metadata: { ...metadata, data_source: dataSource },
    }
    yield unit(recordId, element_id, [action, document])
  }
}

/**
 * An update merges objects, and a clause that is no longer there would stay. So the old data goes first and the
 * new comes second; a search in between does not see the element, which is the safe side.
 */
export function* replacingAccess(items: AccessItem[]): Iterable<Unit> {
  for (const { recordId, elementIds, dataSource } of items) {
    for (const elementId of elementIds) {
      const action = { update: { _id: searchId(recordId, elementId), retry_on_conflict: 3 } }
      const emptied = { doc: { metadata: { data_source: null } } }
      const replaced = { doc: { metadata: { data_source: dataSource } } }
      yield unit(recordId, elementId, [action, emptied, action, replaced], 2)
    }
  }
}

export function* removing(elements: { recordId: string; elementIds: string[] }[]): Iterable<Unit> {
  for (const { recordId, elementIds } of elements) {
    for (const elementId of elementIds) {
      yield unit(recordId, elementId, [{ delete: { _id: searchId(recordId, elementId) } }])
    }
  }
}

function unit(recordId: string, elementId: string, lines: object[], operations = 1): Unit {
  return { recordId, elementId, lines: lines.map((line) => JSON.stringify(line)), operations }
}
