import { AppError } from '../../errors.ts'
import type { Rejection, WriteItem } from '../destination.ts'
import { elementKey } from '../kit/stored-element.ts'
import type { LocatedTable } from './prepare.ts'
import type { TableAddress } from './translate.ts'

/** One element; `json` is for `json_to_recordset`, without the vector. */
export type ElementRow = {
  id: string
  recordId: string
  elementId: string
  json: string
  embeddings: number[] | undefined
}

/** Rows in the order of ids, so that concurrent writers lock in one order; the last of equal ids wins. */
export function elementRows(
  items: WriteItem[],
  { vectors }: LocatedTable,
  address: TableAddress,
): { rows: ElementRow[]; rejections: Rejection[] } {
  const rows = new Map<string, ElementRow>()
  const rejections: Rejection[] = []
  for (const { recordId, element, dataSource } of items) {
    const { element_id: elementId, type, text, embeddings, metadata } = element
    const problem = embeddings && vectorProblem(embeddings, vectors)
    if (problem) {
      rejections.push(refusal({ recordId, elementId }, problem, address))
      continue
    }
    const id = elementKey(recordId, elementId)
    const json = storableText({
      id,
      record_id: recordId,
      element_id: elementId,
      type,
      text,
      metadata,
      data_source: dataSource,
    })
    rows.set(id, { id, recordId, elementId, json, embeddings })
  }
  const ordered = [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  return { rows: ordered, rejections }
}

type RowKey = Pick<ElementRow, 'recordId' | 'elementId'>

export function refusal(key: RowKey, why: string, address: TableAddress): Rejection {
  return rejection(key, { kind: 'refused', why }, address)
}

/** A later task has already written the element. */
export function superseded(key: RowKey, address: TableAddress): Rejection {
  return rejection(key, { kind: 'superseded', why: 'a newer version is already in the table' }, address)
}

export function missing(key: RowKey, address: TableAddress): Rejection {
  return rejection(key, { kind: 'missing', why: 'document_missing' }, address)
}

function rejection(
  { recordId, elementId }: RowKey,
  { kind, why }: { kind: Rejection['kind']; why: string },
  { name }: TableAddress,
): Rejection {
  const what = `table ${name} refused element ${elementId}: ${why}`
  return { recordId, elementId, kind, error: new AppError('destination_rejected', what) }
}

function vectorProblem(embeddings: number[], vectors: LocatedTable['vectors']): string | null {
  if (!vectors) return 'it has a vector, and the table has no column embeddings'
  if (embeddings.length !== vectors.dims)
    return `its vector has ${embeddings.length} dimensions, and the table ${vectors.dims}`
  // A double that is too large for 32 bits becomes infinite.
  return embeddings.every((each) => Number.isFinite(Math.fround(each)))
    ? null
    : 'its vector has a value that is not a number'
}

/** JSON that PostgreSQL accepts: without NUL and lone surrogates, which texts from files may hold. */
export function storableText(value: unknown): string {
  const json = JSON.stringify(value)
  return REFUSED.test(json) ? JSON.stringify(cleaned(value)) : json
}

/** JSON.stringify escapes both; a match may also be plain text after a backslash. */
const REFUSED = /\\u(0000|d[89a-f])/

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanedText(value)
  if (Array.isArray(value)) return value.map(cleaned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [cleanedText(name), cleaned(each)]))
}

function cleanedText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}
