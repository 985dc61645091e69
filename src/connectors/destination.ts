import type { Element } from '../document.ts'
import type { AppError } from '../errors.ts'
import type { CheckReport, CheckStep, OnSteps } from '../report.ts'
import type { Search } from './search.ts'

/** Properties with a question mark are capabilities: the type declares the ones that it has. */
export interface Destination {
  check(signal: AbortSignal, onSteps?: OnSteps): Promise<CheckReport>
  /**
   * Idempotent. Creates a missing schema and refuses one that cannot fit. `identity` changes when an index is created
   * again under the same name; `indexBehindAlias` is set if the name is an alias.
   */
  prepare(shape: VectorShape, signal: AbortSignal): Promise<{ identity: string; indexBehindAlias?: string }>
  /** Upserts by id. Rejects an element that has a higher `fence`: fences grow with every task. */
  write(items: WriteItem[], fence: number, signal: AbortSignal): Promise<Rejection[]>
  /** Replaces `data_source` alone: text and vectors stay. A missing element is a rejection, and so is one with a higher `fence`. */
  updateAccess(items: AccessItem[], fence: number, signal: AbortSignal): Promise<Rejection[]>
  /** Missing elements are no error. */
  remove(elements: DocumentElements[], fence: number, signal: AbortSignal): Promise<void>
  search?: Search
  inspect?: ElementReader
  swap?: Swap
  control?: Control
  create?: IndexCreation
  close(): Promise<void>
}

/** The dimension of the vectors that the pipeline sends, or null. */
export type VectorShape = { dims: number | null }

/** Metadata about an element's source, written as `metadata.data_source`. */
export type DataSource = Record<string, unknown>

export type DocumentElements = { recordId: string; elementIds: string[] }

export type WriteItem = { recordId: string; element: Element; dataSource: DataSource }

export type AccessItem = DocumentElements & { dataSource: DataSource }

/** `superseded`: the stored element has a higher fence. `missing`: there is no such element. `refused`: anything else. */
export type Rejection = {
  recordId: string
  elementId: string
  kind: 'superseded' | 'missing' | 'refused'
  error: AppError
}

/** `fence` is that of the last write; null if the destination keeps none. */
export type StoredElement = {
  recordId: string
  elementId: string
  fence: number | null
  dataSource: DataSource
}

/** `recordId` is empty if Millrace did not write it; `scopeKey` is `space_key` of its locator. */
export type StoredRecord = { recordId: string; elementId: string; scopeKey: string }

/** `next` is null after the last page. */
export type InventoryPage = { listed: StoredRecord[]; next: string | null }

/** Creates a missing index with its whole schema. Writes never do. */
export interface IndexCreation {
  /** `exists` and `allowed` are null if the system does not say; `command` creates the index by hand. */
  plan(
    shape: VectorShape,
    signal: AbortSignal,
  ): Promise<{
    name: string
    exists: boolean | null
    allowed: boolean | null
    request: { method: string; path: string; body: Record<string, unknown> }
    command: string
  }>
  /** Leaves an existing index unchanged. */
  run(shape: VectorShape, signal: AbortSignal): Promise<{ created: boolean }>
}

/**
 * Of a workflow, `epoch` names the database that wrote the elements, and `fence` is its highest so far. Of a site,
 * `epoch` is the workflow that copies it.
 */
export type ControlRecord = { epoch: string; fence: number }

/**
 * One record per workflow and one per site among the elements; searches, inventories and counts leave them out. `key` is
 * the id of a workflow, or `site/` and a name. `read` returns what was written last. Needs `inspect`.
 */
export interface Control {
  read(key: string, signal: AbortSignal): Promise<ControlRecord | null>
  /** False if the stored record has a higher fence. */
  write(key: string, record: ControlRecord, signal: AbortSignal): Promise<boolean>
  remove(key: string, fence: number, signal: AbortSignal): Promise<void>
}

/** Reads stored elements, for verifications and audits. */
export interface ElementReader {
  /** The requested elements that exist, as they are now. */
  stored(elements: DocumentElements[], signal: AbortSignal): Promise<StoredElement[]>
  /** All elements of any writer, in pages, in any order. */
  inventory(signal: AbortSignal): AsyncIterable<StoredRecord[]>
  /**
   * The inventory from a cursor on, which stays valid across processes and days. Elements written meanwhile may be
   * listed twice. Without it, an interrupted verification reads the inventory from its beginning.
   */
  inventoryPage?(cursor: string | null, signal: AbortSignal): Promise<InventoryPage>
}

export type IndexId = { name: string; uuid: string }

/** Fills a new index and moves the alias to it in one step. Needs `inspect`. */
export interface Swap {
  /** Identifies the written index, whatever alias points to it. */
  identity(signal: AbortSignal): Promise<string>
  /** The one index behind the alias. Throws if moving the alias would lose something. */
  searched(signal: AbortSignal): Promise<IndexId>
  nameFor(suffix: string): string
  /** Creates an empty index like the searched one. Idempotent by name. */
  stage(name: string, shape: VectorShape, signal: AbortSignal): Promise<{ uuid: string }>
  /** This destination, writing into a staged index. */
  destinationFor(name: string): Destination
  /** Moves the alias. Idempotent. Awaits `beforeSend` before the request. */
  promote(
    move: { staged: IndexId; old: IndexId; beforeSend?: () => Promise<void> },
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Removes the index, after making sure that no pending request gives it the alias. `uuid` is null if its creation is not
   * confirmed. `searched`: it already has the alias. `left`: it could not be removed, which is harmless.
   */
  withdraw(
    staged: { name: string; uuid: string | null },
    signal: AbortSignal,
  ): Promise<'searched' | 'removed' | 'left'>
  /** The indexes that still exist. */
  existing(
    indexes: IndexId[],
    signal: AbortSignal,
  ): Promise<(IndexId & { elements: number; aliases: string[] })[]>
  /** Refuses an index that an alias points to; false if it no longer exists. */
  drop(index: IndexId, signal: AbortSignal): Promise<boolean>
  /** One more step for a check of a workflow that swaps. */
  check(signal: AbortSignal): Promise<CheckStep>
}
