import type { z } from 'zod'
import type { AnyOf, Naming } from '../access.ts'
import type { DocumentRef, Element, SourceDocument } from '../document.ts'
import type { AppError } from '../errors.ts'
import type { CheckReport, CheckStep, OnSteps, Warning } from '../report.ts'
import type { TlsTrust } from './egress/connect.ts'
import type { Egress } from './egress/egress.ts'

/** Settings and a way to open them. Opening loads the code, so a help text loads none. */
export type SourceType = ConnectorType & {
  kind: 'source'
  capabilities: readonly SourceCapability[]
  /** Which record ids an address of a document may stand for; the first pattern that fits counts. */
  documentAddresses?: readonly DocumentAddress[]
  open(config: never, context: Context): Promise<Source>
}
export type DestinationType = ConnectorType & {
  kind: 'destination'
  capabilities: readonly DestinationCapability[]
  /** The certificates to trust for this destination alone, if the settings name any. */
  trust?(config: never): Promise<TlsTrust>
  open(config: never, context: Context): Promise<Destination>
}

type ConnectorType = {
  /** The name on the wire and of the folder. */
  type: string
  /** Other systems' names for the type, accepted on input. */
  aliases: string[]
  title: string
  /** One sentence for the tile that offers the type. */
  about: string
  /** A name of the page's icon set; the page falls back to a generic icon. */
  icon: string
  /** YAML of the settings in a job file, for help texts. */
  jobExample?: string
  /** Its documentation: a path in this repository, or an https address. */
  docs: string
  terms: Terms
  /** Ways to sign in of which exactly one is used; none if there is one way only. */
  signInModes?: readonly SignInMode[]
  /** Fields carry `.meta()` of type FieldMeta; secrets are strings. */
  schema: z.ZodType
  /** Equal if two configs lead to the same target. Never depends on a secret: those may be masked. */
  identity(config: never): TargetIdentity
  /** Fields that lists show as the address of the connector, in order. */
  locationFields: string[]
  /** Other systems' names of fields → ours. */
  fieldAliases: Record<string, string>
  /** Fields that hold addresses: a stored secret is never sent to a new one. */
  addressFields: string[]
  /** Rules that need the operator's settings, such as allowed hosts. Returns the fields that break one. */
  refuse(config: never, egress: Egress): { field: string; msg: string }[]
}

/** A text, unique within the type. `hashedAs` keeps the hashes of types that are older than identities. */
export type TargetIdentity = string | { hashedAs: readonly unknown[] }

/** What a field declares besides its type. */
export type FieldMeta = {
  title: string
  description: string
  secret?: true
  /** Folded away in a form. */
  advanced?: true
  examples?: unknown[]
  /** `scopes`: scope keys, offered by the options route. `path`: relative to the job file that names it. */
  widget?: 'scopes' | 'path'
  /** A form fills in these values of other fields if this one matches the pattern, ignoring case. */
  implies?: { pattern: string; values: Record<string, unknown> }
}

/** Singular lower-case nouns for texts, such as `cluster`, `index` and `element`. */
export type Terms = { system: string; scope: string; document: string }

export type SignInMode = {
  id: string
  title: string
  description: string
  /** The fields it needs, all of them, with the title and description they have in this mode. */
  fields: { name: string; title?: string; description?: string }[]
  /** Fields that can have one value only in this mode; a form does not ask for them. */
  fixed?: Record<string, unknown>
}

/** `pattern` is for host, path and query of an address; `recordIds` name its groups as `$1`. */
export type DocumentAddress = { pattern: string; recordIds: readonly string[] }

export type SourceCapability = 'locate' | 'people' | 'levels' | 'scopes' | 'permits'
export type DestinationCapability = 'search' | 'inspect' | 'swap'

/** `patienceMs`: a person waits, so a system that asks for a longer pause is not waited for. */
export type Context = { egress: Egress; log: Log; patienceMs?: number }
export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type { CheckReport, CheckStep, OnSteps, Warning } from '../report.ts'

/**
 * What a listing yields. Within a scope `refs` ascend by `position`. `end` closes a scope, and only a closed scope may
 * lose documents. `end.upTo` is set if a limit cut the scope: positions after it are not part of it.
 */
export type ListingPage =
  /** `asOf` is when reading of the permissions began. */
  | { kind: 'refs'; scope: string; refs: DocumentRef[]; asOf: Date }
  | { kind: 'end'; scope: string; upTo?: string }
  | { kind: 'warning'; warning: Warning }
  /** Only if no scope failed: a scope that was not yielded is no longer part of the source. */
  | { kind: 'complete' }

export type ReadOutcome =
  | { ref: DocumentRef; document: SourceDocument }
  | { ref: DocumentRef; error: AppError }
  /** Part of it is newer than its listing, and its permissions may be too: it has to be listed again. */
  | { ref: DocumentRef; again: true }

/** Null if the document is gone or outside the settings; `unknown` if the source cannot say. */
export type DocumentLocation = { scope: string; position: string } | null | 'unknown'

/** `who` is null if nothing is restricted; a level that is `unread` lets no one pass. */
export type Level = {
  level: 'space' | 'ancestor' | 'page'
  id: string
  title: string
  asOf: Date
} & ({ who: AnyOf | null } | { unread: string })

/** Whether a media type, such as `application/pdf`, is of use. */
export type Accepts = (filetype: string) => boolean

export type Operation = 'read' | 'update' | 'delete'
export type KnownDocument = { recordId: string; locator: Record<string, string> }
export type PermissionQuestion = { user: string; operation: Operation; document: KnownDocument }

/** Methods with a question mark are capabilities: the type declares the ones that it has. */
export interface Source {
  /** Which settings change the bodies it reads. If this changes, all documents are processed again. */
  readonly rendition: string
  /** `onSteps` reports progress; the report repeats all steps. */
  check(signal: AbortSignal, onSteps?: OnSteps): Promise<CheckReport>
  /** Refs with version and access, no bodies. */
  list(signal: AbortSignal): AsyncIterable<ListingPage>
  /** Bodies of refs, in any order, one outcome each. A file that is not accepted is `document_unsupported`. */
  read(refs: DocumentRef[], accepts: Accepts, signal: AbortSignal): AsyncIterable<ReadOutcome>
  /** The site and how `access` names its groups and classes. */
  site(signal: AbortSignal): Promise<SourceSite>
  /** The locations of documents that a listing missed. Leaves out documents of other sites. */
  locate?(documents: KnownDocument[], signal: AbortSignal): Promise<Map<string, DocumentLocation>>
  people?: PeopleDirectory
  /** The levels between a person and a document now, from its scope down; a reader has to pass all. */
  levels?(document: KnownDocument, signal: AbortSignal): Promise<Level[]>
  /** The source's own decision, for audits; null if it cannot be asked. */
  permits?(question: PermissionQuestion, signal: AbortSignal): Promise<boolean | null>
  /** The scopes that the settings can be narrowed to. */
  scopes?(signal: AbortSignal): Promise<{ key: string; name: string }[]>
  close(): Promise<void>
}

/** The people of a source. Without it a reader gets what anonymous visitors get, and groups that are named. */
export interface PeopleDirectory {
  /** The first few people by the beginning of their name, or by their id. */
  find(text: string, signal: AbortSignal): Promise<{ id: string; name: string | null }[]>
  /** Groups and classes of a person under the source's own names, as in `permissions_data`. */
  groupsOf(user: string, signal: AbortSignal): Promise<Belonging>
}

/** The dimension of the vectors that the pipeline sends, or null. */
export type Shape = { dims: number | null }

/** Metadata about an element's source, written as `metadata.data_source`. */
export type DataSource = Record<string, unknown>

export type DocumentElements = { recordId: string; elementIds: string[] }
export type WriteItem = { recordId: string; element: Element; dataSource: DataSource }
export type AccessItem = DocumentElements & { dataSource: DataSource }
export type Rejection = { recordId: string; elementId: string; error: AppError }

/** `fence` is that of the last write; null if the destination keeps none. */
export type HeldElement = {
  recordId: string
  elementId: string
  fence: number | null
  dataSource: DataSource
}
/** `recordId` is empty if Millrace did not write it; `scopeKey` is `space_key` of its locator. */
export type HeldRecord = { recordId: string; elementId: string; scopeKey: string }

/** Inactive accounts can read nothing; unknown ones what anonymous visitors can. */
export type Belonging = { account: 'known' | 'unknown' | 'inactive'; groups: string[]; classes: string[] }
/** Record ids are `name`, a slash and an id without slashes. */
export type SourceSite = { name: string; naming: Naming }

export type SearchRequest = {
  query: string
  /** The tokens of the reader, as in `access`. Without any, nothing is found. */
  tokens: string[]
  size: number
  from: number
  filters?: { space_key?: string; labels?: string[] }
  vector?: number[]
}
export type SearchHit = {
  record_id: string
  element_id: string
  score: number
  text: string
  highlight: string | null
  title: string | null
  url: string | null
  granted_by: string[]
}

/** A connector that is known to have these capabilities. */
export type Having<T, K extends keyof T> = T & Required<Pick<T, K>>

/** Properties with a question mark are capabilities: the type declares the ones that it has. */
export interface Destination {
  check(signal: AbortSignal, onSteps?: OnSteps): Promise<CheckReport>
  /**
   * Idempotent. Creates a missing schema and refuses one that cannot fit. `identity` changes when an index is created
   * again under the same name; `behind` is the index that an alias points to.
   */
  prepare(shape: Shape, signal: AbortSignal): Promise<{ identity: string; behind?: string }>
  /** Upserts by id. Rejects an element that has a higher `fence`: fences grow with every task. */
  write(items: WriteItem[], fence: number, signal: AbortSignal): Promise<Rejection[]>
  /** Replaces `data_source` alone: text and vectors stay. A missing element is a rejection. */
  updateAccess(items: AccessItem[], fence: number, signal: AbortSignal): Promise<Rejection[]>
  /** Missing elements are no error. */
  remove(elements: DocumentElements[], fence: number, signal: AbortSignal): Promise<void>
  search?: Search
  inspect?: Inspect
  swap?: Swap
  close(): Promise<void>
}

/** Search as a reader: the permission filter is always on. */
export interface Search {
  query(request: SearchRequest, signal: AbortSignal): Promise<{ total: number; hits: SearchHit[] }>
  /** The dimension of the vectors in the index, or null; a vector search needs the same. */
  dims(signal: AbortSignal): Promise<number | null>
}

/** Reads back what is held, for verifications and audits. */
export interface Inspect {
  /** Those of the elements that are held, as they are now. */
  held(elements: DocumentElements[], signal: AbortSignal): Promise<HeldElement[]>
  /** All elements of any writer, in pages, in any order. */
  inventory(signal: AbortSignal): AsyncIterable<HeldRecord[]>
}

export type IndexAt = { name: string; uuid: string }
/** `uuid` is null if the creation is not confirmed. */
export type StagedIndex = { name: string; uuid: string | null }

/** Fills a new index and moves the alias to it in one step. Needs `inspect`. */
export interface Swap {
  /** Identifies the written index, whatever alias points to it. */
  identity(signal: AbortSignal): Promise<string>
  /** The one index behind the alias. Throws if moving the alias would lose something. */
  searched(signal: AbortSignal): Promise<IndexAt>
  nameFor(suffix: string): string
  /** Creates an empty index like the searched one. Idempotent by name. */
  stage(name: string, shape: Shape, signal: AbortSignal): Promise<{ uuid: string }>
  /** This destination, writing into a staged index. */
  at(name: string): Destination
  /** Moves the alias. Idempotent. Awaits `sending` before the request. */
  promote(
    move: { staged: IndexAt; old: IndexAt; sending?: () => Promise<void> },
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Makes sure that no pending request gives it the alias, and removes it. `searched`: it has the alias already.
   * `left`: it could not be removed, which is harmless.
   */
  withdraw(staged: StagedIndex, signal: AbortSignal): Promise<'searched' | 'removed' | 'left'>
  /** Those that still exist. */
  kept(
    indexes: IndexAt[],
    signal: AbortSignal,
  ): Promise<(IndexAt & { elements: number; aliases: string[] })[]>
  /** Refuses an index that an alias points to; false if it no longer exists. */
  drop(index: IndexAt, signal: AbortSignal): Promise<boolean>
  /** One more step for a check of a workflow that swaps. */
  check(signal: AbortSignal): Promise<CheckStep>
}
