import { hash } from 'node:crypto'
import type { DataSource, DocumentElements, InventoryPage, StoredRecord } from '../destination.ts'

export type ElementKey = { id: string; recordId: string; elementId: string }

/** The id of an element in a destination: the same in every index, unique per record. */
export function elementKey(recordId: string, elementId: string): string {
  return hash('sha256', `${recordId}\n${elementId}`).slice(0, 32)
}

export function keysOf(documents: DocumentElements[]): ElementKey[] {
  return documents.flatMap(({ recordId, elementIds }) =>
    elementIds.map((elementId) => ({ id: elementKey(recordId, elementId), recordId, elementId })),
  )
}

/**
 * The element id of what is stored among the elements and is none. It has no access, so no filter matches it. One word,
 * so that a text field matches it too.
 */
export const CONTROL_ID = 'millrace_control'

/** The record id of a control record. */
export function controlRecord(key: string): string {
  return `${CONTROL_ID}/${key}`
}

export function scopeKeyOf({ record_locator: locator }: DataSource): string {
  return (locator as { space_key?: string } | undefined)?.space_key ?? ''
}

/** An element of an inventory; one with another id was not written by Millrace. */
export function listedRecord({ id, ...record }: StoredRecord & { id: string }): StoredRecord {
  const isOurs = id === elementKey(record.recordId, record.elementId)
  return isOurs ? record : { ...record, recordId: '' }
}

/** The pages of an inventory that have elements. */
export async function* inventoryPages(
  read: (cursor: string | null) => Promise<InventoryPage>,
): AsyncGenerator<StoredRecord[]> {
  let cursor: string | null = null
  do {
    const page: InventoryPage = await read(cursor)
    if (page.listed.length > 0) yield page.listed
    cursor = page.next
  } while (cursor !== null)
}
