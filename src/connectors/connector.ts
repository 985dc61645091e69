import type { z } from 'zod'
import type { Compute } from '../compute.ts'
import type { DocumentRef, Element, SourceDocument } from '../document.ts'
import type { AppError } from '../errors.ts'
import type { Directory } from '../permissions/algebra.ts'
import type { LevelRule, ShownLevel } from '../permissions/levels.ts'
import { ANONYMOUS, type Naming } from '../permissions/principals.ts'
import type { CheckReport, CheckStep, OnSteps, Warning } from '../report.ts'
import type { TlsTrust } from './egress/connect.ts'
import type { Egress } from './egress/egress.ts'

/** Declares settings and opens a source. `open` imports the code, so that `--help` does not load it. */
export type SourceType = ConnectorType & {
  kind: 'source'
  capabilities: readonly SourceCapability[]
  /** Record ids that a document address may mean; the first matching pattern applies. */
  documentAddresses?: readonly DocumentAddress[]
  /** Permissions that one account has proved for one site prove nothing for others. Without it, `identity` is the site. */
  readsAs?(config: never): SiteAccount
  /** Documents that come with Millrace, to try it with. Such a type is not offered for a new source. */
  sample?(): Promise<SampleOffer | null>
  open(config: never, context: Context): Promise<Source>
}
/** What a sample source has without any settings. `searches` are of people who find different documents. */
export type SampleOffer = {
  name: string
  address: string
  people: { id: string; name: string; role: string }[]
  groups: { id: string; name: string }[]
  searches: { person: string; query: string }[]
}
/** The site that settings lead to, and who they sign in as, if they tell. */
export type SiteAccount = { site: string; account: string | null }

export type DestinationType = ConnectorType & {
  kind: 'destination'
  capabilities: readonly DestinationCapability[]
  /** The certificates to trust for this destination alone, if the settings name any. */
  trust?(config: never): Promise<TlsTrust>
  open(config: never, context: Context): Promise<Destination>
}

type ConnectorType = {
  /** The name in the API, and of the folder. */
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
  /** Sign-in modes, of which one is used; absent if there is only one. */
  signInModes?: readonly SignInMode[]
  /** How to get credentials with the least privileges. */
  setup?: readonly SetupStep[]
  /** Fields carry `.meta()` of type FieldMeta; secrets are strings. */
  schema: z.ZodType
  /** Equal if two configs lead to the same target. Never depends on a secret: those may be masked. */
  identity(config: never): string
  /** Fields that lists of connectors show as its address, in order. */
  locationFields: string[]
  /** Other systems' names of fields → ours. */
  fieldAliases: Record<string, string>
  /** Fields with addresses that receive the secret: after a change of one, the secret has to be entered again. */
  addressFields: string[]
  /** The fields that break a rule of the service operator, such as allowed hosts. */
  refuse(config: never, egress: Egress): { field: string; msg: string }[]
}

/** What a field declares besides its type. */
export type FieldMeta = {
  title: string
  description: string
  secret?: true
  /** Collapsed by default in a form. */
  advanced?: true
  examples?: unknown[]
  /**
   * `scopes`: scope keys, offered by the options route. `path`: relative to the job file that names it. `lines`: text of
   * several lines.
   */
  widget?: 'scopes' | 'path' | 'lines'
  /** A form fills in the values of the first pattern that this field matches, ignoring case. */
  implies?: readonly ImpliedValues[]
  /** A form shortens a pasted value by the first pattern that it matches, ignoring case. */
  shortens?: readonly Shortening[]
  /** Names of `true` and `false`, which a form offers next to each other. */
  choices?: { true: string; false: string }
  /** What the number limits: scopes, or documents of each scope. */
  limits?: 'scopes' | 'documents'
  /** What the guide for a first run fills in. */
  suggested?: string
}

export type ImpliedValues = { pattern: string; values: Record<string, unknown> }

/** `value` names groups of the pattern as `$1`; `scope` is the key of a scope in the address. */
export type Shortening = { pattern: string; value: string; scope?: string }

/** `{{name}}` in addresses and snippets is the value of a field, else its first example. */
export type SetupStep = {
  title: string
  text: string
  /** The step applies only if the fields have these values. */
  when?: Record<string, unknown>
  links?: readonly { title: string; address: string }[]
  snippets?: readonly { title: string; text: string }[]
}

/** Singular lower-case nouns for texts, such as `cluster`, `index` and `element`. */
export type Terms = { system: string; scope: string; document: string }

export type SignInMode = {
  id: string
  title: string
  description: string
  /** The fields it needs, all of them, with the title and description they have in this mode. */
  fields: { name: string; title?: string; description?: string }[]
  /** Fields that can have one value only in this mode. */
  fixed?: Record<string, unknown>
  /** A form selects the mode if the fields get these values. */
  usualFor?: Record<string, unknown>
}

/** `pattern` is for host, path and query of an address; `recordIds` name its groups as `$1`. */
export type DocumentAddress = { pattern: string; recordIds: readonly string[] }

export type SourceCapability =
  | 'relist'
  | 'locate'
  | 'people'
  | 'emails'
  | 'self'
  | 'levels'
  | 'scopes'
  | 'permits'
  | 'readVersion'
export type DestinationCapability = 'search' | 'inspect' | 'swap' | 'control' | 'create'

/**
 * `maxWaitMs` is set if a person waits; a request that has to wait longer fails. `share`, above 0 and up to 1, is the
 * part of the system's request budget to use. `sharedPace` is absent if there is only one process.
 */
export type Context = {
  egress: Egress
  log: Log
  maxWaitMs?: number
  share?: number
  sharedPace?: SharedPace
  /** Absent if nothing is kept between listings. */
  decisions?: DecisionStore
  /** Runs work whose size an author chooses in a process that serves no one; absent if this one serves no one either. */
  compute?: Compute
}

/** What a source decided about permissions with many requests, kept between listings. */
export interface DecisionStore {
  /** `scope` is a scope of the source, or empty for the whole source. */
  read(scope: string): Promise<KeptDecision[]>
  write(scope: string, changes: { put: KeptDecision[]; drop: string[] }): Promise<void>
}
/** `value` is JSON; `checkedAt` is when the source proved it last. */
export type KeptDecision = { key: string; value: unknown; checkedAt: Date }

/** One request budget per site for all processes. */
export interface SharedPace {
  /** Renews the lease of this process. Leases of one site add up to at most `max`; one may be 0 for some seconds. */
  lease(
    site: string,
    request: { wanted: number; max: number },
  ): Promise<{ limit: number; pause: SitePause | null }>
  /** Stops the requests of all processes to the site. */
  pause(site: string, pause: SitePause): Promise<void>
}
export type SitePause = { reason: string; leftMs: number }
export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type { CheckReport, CheckStep, OnSteps, Warning } from '../report.ts'

/**
 * What a listing yields. Within a scope `refs` ascend by `position`; those with one position are in one page. `end`
 * closes a scope, and only a closed scope may lose documents. `end.upTo` is set if a limit cut the scope: positions
 * after it are not part of it.
 */
export type ListingPage =
  /** `asOf` is when reading of the permissions began. */
  | { kind: 'refs'; scope: string; refs: DocumentRef[]; asOf: Date }
  | { kind: 'end'; scope: string; upTo?: string }
  | { kind: 'warning'; warning: Warning }
  /** Only if no scope failed: a scope that was not yielded is no longer part of the source. */
  | { kind: 'complete' }

/** Where a listing continues: scopes that have ended are not read again, the others continue after their position. */
export type ListingStart = { ended: ReadonlySet<string>; after: ReadonlyMap<string, string> }

export type ReadOutcome =
  | { ref: DocumentRef; document: SourceDocument }
  | { ref: DocumentRef; error: AppError }
  /** Part of the document is newer than its ref, so its permissions may be too. */
  | { ref: DocumentRef; relist: true }

/** Null if the document is gone or outside the settings; `unknown` if the source cannot say. */
export type DocumentLocation = { scope: string; position: string } | null | 'unknown'

/** A level as the source has it now. */
export type Level = ShownLevel & { title: string; asOf: Date } & LevelRule

/** Whether the pipeline can process a media type, such as `application/pdf`. */
export type Accepts = (filetype: string) => boolean

export type Operation = 'read' | 'update' | 'delete'
export type KnownDocument = { recordId: string; locator: Record<string, string> }
export type PermissionQuestion = { user: string; operation: Operation; document: KnownDocument }

/** Methods with a question mark are capabilities: the type declares the ones that it has. */
export interface Source {
  /** Names the settings that change bodies. If it changes, all documents are processed again. */
  readonly rendition: string
  /** `onSteps` reports progress; the report repeats all steps. */
  check(signal: AbortSignal, onSteps?: OnSteps): Promise<CheckReport>
  /** Refs with version and access, no bodies. A source may ignore `from`: the caller drops refs that it has already. */
  list(signal: AbortSignal, from?: ListingStart): AsyncIterable<ListingPage>
  /**
   * Bodies of refs, in any order, one outcome each. A file that is not accepted is `document_unsupported`, a document of
   * another site is `other_site`.
   */
  read(refs: DocumentRef[], accepts: Accepts, signal: AbortSignal): AsyncIterable<ReadOutcome>
  /** The site and how `access` names its groups and classes. */
  site(signal: AbortSignal): Promise<SourceSite>
  /**
   * The documents as `list` would show them now, read after `asOf` without listing their scopes. Leaves out documents
   * that are gone, not selected by the settings, unreadable, or of another site.
   */
  relist?(documents: KnownDocument[], signal: AbortSignal): Promise<{ refs: DocumentRef[]; asOf: Date }>
  /** The locations of documents that a listing missed. Leaves out documents of other sites. */
  locate?(documents: KnownDocument[], signal: AbortSignal): Promise<Map<string, DocumentLocation>>
  people?: PeopleDirectory
  /** All people, with the addresses that the source shows. Throws if it cannot list them to the end. */
  emails?(signal: AbortSignal): Promise<AccountEmail[]>
  /** The account of the credentials in the settings. */
  self?(signal: AbortSignal): Promise<{ id: string; name: string | null }>
  /** The levels between a person and a document now, from its scope down; a reader has to pass all. */
  levels?(document: KnownDocument, signal: AbortSignal): Promise<Level[]>
  /** The source's own decision, for audits; null if it cannot be asked. */
  permits?(question: PermissionQuestion, signal: AbortSignal): Promise<boolean | null>
  /** An earlier version of a document, its own text only. Throws if the source does not have it. */
  readVersion?(document: DocumentRef, version: string, signal: AbortSignal): Promise<SourceDocument>
  /** The scopes that the settings can be narrowed to. */
  scopes?(signal: AbortSignal): Promise<ScopeChoice[]>
  close(): Promise<void>
}

/** `documents` is an estimate; null if the source does not say. */
export type ScopeChoice = { key: string; name: string; documents?: number | null }

/** The people of a source. Without it, a reader has the permissions of visitors and of groups named in the request. */
export interface PeopleDirectory {
  /** The first few people by the beginning of their name, or by their id. */
  find(text: string, signal: AbortSignal): Promise<{ id: string; name: string | null }[]>
  /** Groups and classes of a person under the source's own names, as in `permissions_data`. */
  groupsOf(user: string, signal: AbortSignal): Promise<GroupMembership>
  /** Display names by id. Leaves out those that cannot be read or do not exist. */
  names?(ids: PrincipalLists, signal: AbortSignal): Promise<PrincipalNames>
  /** The members of these groups, and what these people and the members belong to. */
  directory?(ids: PrincipalLists, signal: AbortSignal): Promise<LoadedDirectory>
}

/** `isActive` is true only for accounts that the source proves to be active. */
export type LoadedDirectory = Directory & {
  isActive(user: string): boolean
  names: ReadonlyMap<string, string>
}

/** Ids of people and groups under the source's own names. */
export type PrincipalLists = { users: string[]; groups: string[] }
export type PrincipalNames = { users: Map<string, string>; groups: Map<string, string> }

/** `email` is null if the source does not show it. */
export type AccountEmail = { account: string; name: string | null; email: string | null }

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

/** `next` is null after the last page. */
export type InventoryPage = { listed: HeldRecord[]; next: string | null }

/**
 * An inactive account can read nothing, an unknown account what visitors can, and an unlicensed account what its
 * classes can: neither its own grants nor its groups count.
 */
export type GroupMembership = {
  account: 'known' | 'unlicensed' | 'unknown' | 'inactive'
  groups: string[]
  classes: string[]
}
/** What anonymous visitors belong to. */
export const VISITOR_MEMBERSHIP: GroupMembership = { account: 'unknown', groups: [], classes: [ANONYMOUS] }
/** Record ids are `name`, a slash and an id without slashes. */
export type SourceSite = { name: string; naming: Naming }

export type DateRange = { gte?: string; lte?: string }
/** All filters have to match; the values of one filter are alternatives. */
export type SearchFilters = {
  space_key?: string[]
  labels?: string[]
  /** Ids or record ids of pages: matches the documents below them. */
  ancestors?: string[]
  author?: string[]
  filetype?: string[]
  record_id?: string[]
  created?: DateRange
  modified?: DateRange
}
export const FACET_NAMES = ['space_key', 'labels', 'filetype', 'author', 'modified'] as const
export type FacetName = (typeof FACET_NAMES)[number]
export type FacetValues = Partial<Record<FacetName, string[]>>

export type SearchRequest = {
  query: string
  /** The tokens of the reader, as in `access`. Without any, nothing is found. */
  tokens: string[]
  /** How many of the best matches to rank. */
  depth: number
  filters?: SearchFilters
  vector?: number[]
  /** The values to return with each ranked element. */
  facets?: FacetName[]
}
/** `key` is the destination's own id of the element. */
export type RankedElement = { key: string; record_id: string; score: number; facets?: FacetValues }
/** `total` is exact if the ranking has all matches, else an upper bound. */
export type Ranking = { total: number; ranked: RankedElement[] }

/** `query` marks its words in the highlights. */
export type ElementRequest = { keys: string[]; tokens: string[]; query?: string }
export type SearchElement = {
  record_id: string
  element_id: string
  type: string
  text: string
  /** Escaped HTML with the words of the query in `<mark>`, best first. */
  highlights: string[]
  title: string | null
  url: string | null
  version: string | null
  date_modified: string | null
  space_key: string | null
  filetype: string | null
  page_number: number | null
  granted_by: string[]
}

/** A connector with these capabilities. */
export type WithCapabilities<T, K extends keyof T> = T & Required<Pick<T, K>>

/** Properties with a question mark are capabilities: the type declares the ones that it has. */
export interface Destination {
  check(signal: AbortSignal, onSteps?: OnSteps): Promise<CheckReport>
  /**
   * Idempotent. Creates a missing schema and refuses one that cannot fit. `identity` changes when an index is created
   * again under the same name; `indexBehindAlias` is set if the name is an alias.
   */
  prepare(shape: Shape, signal: AbortSignal): Promise<{ identity: string; indexBehindAlias?: string }>
  /** Upserts by id. Rejects an element that has a higher `fence`: fences grow with every task. */
  write(items: WriteItem[], fence: number, signal: AbortSignal): Promise<Rejection[]>
  /** Replaces `data_source` alone: text and vectors stay. A missing element is a rejection. */
  updateAccess(items: AccessItem[], fence: number, signal: AbortSignal): Promise<Rejection[]>
  /** Missing elements are no error. */
  remove(elements: DocumentElements[], fence: number, signal: AbortSignal): Promise<void>
  search?: Search
  inspect?: Inspect
  swap?: Swap
  control?: Control
  create?: IndexCreation
  close(): Promise<void>
}

/** Creates a missing index with its whole schema. Writes never do. */
export interface IndexCreation {
  plan(shape: Shape, signal: AbortSignal): Promise<CreationPlan>
  /** Leaves an existing index unchanged. */
  run(shape: Shape, signal: AbortSignal): Promise<{ created: boolean }>
}
/** `exists` and `allowed` are null if the system does not say; `command` creates the index by hand. */
export type CreationPlan = {
  name: string
  exists: boolean | null
  allowed: boolean | null
  request: { method: string; path: string; body: Record<string, unknown> }
  command: string
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

/** Search as a reader: the permission filter is always on. */
export interface Search {
  /** The best matches in order, without their text. Equal requests rank equally while the index does not change. */
  rank(request: SearchRequest, signal: AbortSignal): Promise<Ranking>
  /** The requested elements that the reader may read, by key. */
  elements(request: ElementRequest, signal: AbortSignal): Promise<Map<string, SearchElement>>
  keyOf(recordId: string, elementId: string): string
  /** The dimension of the vectors in the index, or null; a vector search needs the same. */
  dims(signal: AbortSignal): Promise<number | null>
  /** The search in the destination's own language, with the permission filter and without secrets. */
  native?(request: NativeRequest, signal: AbortSignal): Promise<NativeQuery>
}

/** `size` elements after the first `from`. */
export type NativeRequest = Omit<SearchRequest, 'depth' | 'facets'> & { size: number; from: number }
/** Either a request or SQL. */
export type NativeQuery = {
  dialect: 'elasticsearch' | 'opensearch' | 'postgresql'
  /** The dialect as people write it. */
  title: string
  request: { method: string; path: string; body: Record<string, unknown> } | null
  sql: string | null
}

/** Reads stored elements, for verifications and audits. */
export interface Inspect {
  /** The requested elements that exist, as they are now. */
  held(elements: DocumentElements[], signal: AbortSignal): Promise<HeldElement[]>
  /** All elements of any writer, in pages, in any order. */
  inventory(signal: AbortSignal): AsyncIterable<HeldRecord[]>
  /**
   * The inventory from a cursor on, which stays valid across processes and days. Elements written meanwhile may be
   * listed twice. Without it, an interrupted verification reads the inventory from its beginning.
   */
  inventoryPage?(cursor: string | null, signal: AbortSignal): Promise<InventoryPage>
}

export type IndexId = { name: string; uuid: string }
/** `uuid` is null if the creation is not confirmed. */
export type StagedIndex = { name: string; uuid: string | null }

/** Fills a new index and moves the alias to it in one step. Needs `inspect`. */
export interface Swap {
  /** Identifies the written index, whatever alias points to it. */
  identity(signal: AbortSignal): Promise<string>
  /** The one index behind the alias. Throws if moving the alias would lose something. */
  searched(signal: AbortSignal): Promise<IndexId>
  nameFor(suffix: string): string
  /** Creates an empty index like the searched one. Idempotent by name. */
  stage(name: string, shape: Shape, signal: AbortSignal): Promise<{ uuid: string }>
  /** This destination, writing into a staged index. */
  destinationFor(name: string): Destination
  /** Moves the alias. Idempotent. Awaits `beforeSend` before the request. */
  promote(
    move: { staged: IndexId; old: IndexId; beforeSend?: () => Promise<void> },
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Removes the index, after making sure that no pending request gives it the alias. `searched`: it already has the alias.
   * `left`: it could not be removed, which is harmless.
   */
  withdraw(staged: StagedIndex, signal: AbortSignal): Promise<'searched' | 'removed' | 'left'>
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
