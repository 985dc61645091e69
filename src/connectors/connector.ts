import type { z } from 'zod'
import type { AnyOf, Naming } from '../access.ts'
import type { DocumentRef, Element, SourceDocument } from '../document.ts'
import type { AppError } from '../errors.ts'
import type { CheckReport, CheckStep, OnSteps, Warning } from '../report.ts'
import type { TlsTrust } from './egress/connect.ts'
import type { Egress } from './egress/egress.ts'

/**
 * A connector is its settings (a schema from which form, validation, masking, sealing and flags follow) and a way to
 * open it. Opening loads its code: whoever only asks for settings, such as a help text, waits for none of it.
 */
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
  /** Whose certificates count, where the settings say so; for the way out that only this connector takes. */
  trust?(config: never): Promise<TlsTrust>
  open(config: never, context: Context): Promise<Destination>
}

type ConnectorType = {
  /** The name on the wire, which is also the name of the folder. */
  type: string
  /** Names of other systems for the same thing, accepted on input. */
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
  /** Ways to sign in of which exactly one is used; none where there is one way only. */
  signInModes?: readonly SignInMode[]
  /** Fields carry `.meta()` of type FieldMeta; secrets are strings. */
  schema: z.ZodType
  /** Equal where two configs lead to the same target. Never depends on a secret: those may be masked. */
  identity(config: never): Identity
  /** Fields that show in a list where the connector leads, in order. */
  locationFields: string[]
  /** Other systems' names of fields → ours. */
  fieldAliases: Record<string, string>
  /** Fields that hold addresses: a stored secret is never sent to a new one. */
  addressFields: string[]
  /**
   * Rules that need the operator's settings (which hosts are allowed); answers the fields that do not fit.
   * Rules that do not are part of the schema.
   */
  refuse(config: never, egress: Egress): { field: string; msg: string }[]
}

/** A text, unique within the type. `hashedAs` keeps the hashes of types that are older than identities. */
export type Identity = string | { hashedAs: readonly unknown[] }

/** What a field says of itself besides its type. */
export type FieldMeta = {
  title: string
  description: string
  secret?: true
  /** Folded away in a form. */
  advanced?: true
  examples?: unknown[]
  /** `scopes`: scope keys, offered by the options route. `path`: relative to the job file that names it. */
  widget?: 'scopes' | 'path'
  /** A form fills in these values of other fields where this one matches the pattern, ignoring case. */
  implies?: { pattern: string; values: Record<string, unknown> }
}

/** Singular lower-case nouns for texts: a wiki has spaces with pages, a cluster has indexes with elements. */
export type Terms = { system: string; scope: string; document: string }

export type SignInMode = {
  id: string
  title: string
  description: string
  /** The fields it needs, all of them, under the title and description they have in this mode. */
  fields: { name: string; title?: string; description?: string }[]
  /** Fields that can have one value only in this mode, and so are not asked for. */
  fixed?: Record<string, unknown>
}

/** `pattern` is for host, path and query of an address; `recordIds` name its groups as `$1`. */
export type DocumentAddress = { pattern: string; recordIds: readonly string[] }

export type SourceCapability = 'locate' | 'people' | 'levels' | 'scopes' | 'permits'
export type DestinationCapability = 'search' | 'inspect' | 'swap'

/** `patienceMs`: somebody is waiting, and will not wait longer for a system that asked to be left alone. */
export type Context = { egress: Egress; log: Log; patienceMs?: number }
export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type { CheckReport, CheckStep, OnSteps, Warning } from '../report.ts'

/**
 * What a listing yields. `refs` go upwards by `position` within a scope; `end` closes a scope, and only a
 * scope that was closed may lose documents. `end.upTo` is set where a limit cut the scope: it is then complete
 * only for positions up to and including that one.
 */
export type ListingPage =
  /** `asOf` is when their rights began to be read: they may be older than the page of refs. */
  | { kind: 'refs'; scope: string; refs: DocumentRef[]; asOf: Date }
  | { kind: 'end'; scope: string; upTo?: string }
  | { kind: 'warning'; warning: Warning }
  /** The whole listing reached its end: scopes that were not mentioned are not part of the source any more. */
  | { kind: 'complete' }

export type ReadOutcome =
  | { ref: DocumentRef; document: SourceDocument }
  | { ref: DocumentRef; error: AppError }
  /** Something of it is newer than its listing, and its rights may be too: it has to be listed again. */
  | { ref: DocumentRef; again: true }

export type Whereabouts = { scope: string; position: string } | null | 'unknown'

/** `who` is null where there is no restriction; `unread` says why it is not known, which lets nobody pass. */
export type Level = {
  level: 'space' | 'ancestor' | 'page'
  id: string
  title: string
  asOf: Date
} & ({ who: AnyOf | null } | { unread: string })

/** Of a media type, such as `application/pdf`. */
export type Accepts = (filetype: string) => boolean

export type Operation = 'read' | 'update' | 'delete'
export type PermissionQuestion = {
  user: string
  operation: Operation
  document: { recordId: string; locator: Record<string, string> }
}

export interface Source {
  /**
   * What of its settings changes the bodies it reads, such as images taken along. Where it is not what it was, every
   * document is worked again.
   */
  readonly rendition: string
  /** `onSteps` for somebody who watches; the report says all of it once more. */
  check(signal: AbortSignal, onSteps?: OnSteps): Promise<CheckReport>
  /** Refs with version and access, no bodies. */
  list(signal: AbortSignal): AsyncIterable<ListingPage>
  /**
   * Bodies of a slice of refs, in any order, exactly one outcome for each. `accepts` says of a file's type whether it
   * is of any use: what is not is not fetched beyond its beginning, and is `document_unsupported`.
   */
  read(refs: DocumentRef[], accepts: Accepts, signal: AbortSignal): AsyncIterable<ReadOutcome>
  /**
   * Of documents that were known and not seen: where each is now, null where it is gone or out of what is read, and
   * `unknown` where the source could not tell. What is not of this source is left out.
   */
  whereabouts(
    documents: { recordId: string; locator: Record<string, string> }[],
    signal: AbortSignal,
  ): Promise<Map<string, Whereabouts>>
  /** Groups and classes of a person under the source's own names, as `permissions_data` has them. */
  groupsOf(user: string, signal: AbortSignal): Promise<Belonging>
  /** Which site this is, and how `access` writes its groups and classes. */
  site(signal: AbortSignal): Promise<SourceSite>
  /** People by the beginning of their name, or by their id, for somebody who picks one; the first few. */
  people(text: string, signal: AbortSignal): Promise<{ id: string; name: string | null }[]>
  /** What stands between a person and a document right now, from its scope downwards; all of it has to be passed. */
  levels(
    document: { recordId: string; locator: Record<string, string> },
    signal: AbortSignal,
  ): Promise<Level[]>
  /** The source's own answer, apart from our reading of its rules; null where it cannot be asked. For audits. */
  permits?(question: PermissionQuestion, signal: AbortSignal): Promise<boolean | null>
  /** What its settings can be narrowed to, for somebody who chooses. */
  scopes(signal: AbortSignal): Promise<{ key: string; name: string }[]>
  close(): Promise<void>
}

/** What the pipeline will send: the width of its vectors, or none. */
export type Shape = { dims: number | null }

/** The metadata of an element's source, as written under `metadata.data_source`. */
export type DataSource = Record<string, unknown>

export type WriteItem = { recordId: string; element: Element; dataSource: DataSource }
export type AccessItem = { recordId: string; elementIds: string[]; dataSource: DataSource }
export type Rejection = { recordId: string; elementId: string; error: AppError }

/** `fence` is of the last write, null where the destination keeps none. */
export type HeldElement = {
  recordId: string
  elementId: string
  fence: number | null
  dataSource: DataSource
}
/** `recordId` is empty where nobody of us has written it. */
export type HeldRecord = { recordId: string; elementId: string; space: string }

/** Inactive accounts see nothing at all; unknown ones see what anonymous visitors see. */
export type Belonging = { account: 'known' | 'unknown' | 'inactive'; groups: string[]; classes: string[] }
/** `name` is what record ids begin with, up to their last slash. */
export type SourceSite = { name: string; naming: Naming }

export type SearchRequest = {
  query: string
  /** What the person carries, as `access` has it. Without any, nothing is found. */
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

export interface Destination {
  check(signal: AbortSignal, onSteps?: OnSteps): Promise<CheckReport>
  /**
   * Idempotent. Makes a schema where there is none and refuses what cannot fit, before anything is written.
   * Answers with what tells this index from one that was made anew under the same name, and, where that name is an
   * alias, with the one that it stands for.
   */
  prepare(shape: Shape, signal: AbortSignal): Promise<{ identity: string; behind?: string }>
  /**
   * Upserts by id; answers with the elements that were refused, each with its reason. `fence` grows with every task
   * that is given out: what carries a lower one than an element already has comes too late, and is refused.
   */
  write(items: WriteItem[], fence: number, signal: AbortSignal): Promise<Rejection[]>
  /** Replaces `data_source` alone: text and vectors stay. An element that is not there is a rejection. */
  updateAccess(items: AccessItem[], fence: number, signal: AbortSignal): Promise<Rejection[]>
  /** Removes elements; those that are not there are no error. */
  remove(
    elements: { recordId: string; elementIds: string[] }[],
    fence: number,
    signal: AbortSignal,
  ): Promise<void>
  /** Those of the elements that are there, as they are now; for comparing with a ledger. */
  held(elements: { recordId: string; elementIds: string[] }[], signal: AbortSignal): Promise<HeldElement[]>
  /** Everything that is there, in any order and a page at a time, whoever wrote it. */
  inventory(signal: AbortSignal): AsyncIterable<HeldRecord[]>
  /** The width of the vectors in the index, where it has any; a search by meaning needs the same. */
  dims(signal: AbortSignal): Promise<number | null>
  /** The permission filter is always on. */
  search(request: SearchRequest, signal: AbortSignal): Promise<{ total: number; hits: SearchHit[] }>
  /** Where an index can be filled beside the one that is searched, and take its place. */
  swapping?: Swapping
  close(): Promise<void>
}

export type IndexAt = { name: string; uuid: string }
/** `uuid` is null where it is not known whether it was made. */
export type StagedIndex = { name: string; uuid: string | null }

/** An index is filled out of sight and then takes an alias over from the one that is searched, in one step. */
export interface Swapping {
  /** What tells the index that is written from others, whatever stands for it. */
  identity(signal: AbortSignal): Promise<string>
  /** The one index behind the alias. Throws, and says what to do, where moving the alias would lose something. */
  searched(signal: AbortSignal): Promise<IndexAt>
  nameFor(suffix: string): string
  /** Makes an empty index like the one that is searched. Done again under the same name, it finds it. */
  stage(name: string, shape: Shape, signal: AbortSignal): Promise<{ uuid: string }>
  /** This destination, but writing into an index that was staged. */
  at(name: string): Destination
  /** Moves the alias. Done again, it finds it moved. `sending` is awaited before the request goes out. */
  promote(
    move: { staged: IndexAt; old: IndexAt; sending?: () => Promise<void> },
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Sees to it that no request that is still under way can give it the alias any more, and removes it, unless it has
   * the alias already: then it is `searched`. `left` is harmless, but could not be removed.
   */
  withdraw(staged: StagedIndex, signal: AbortSignal): Promise<'searched' | 'removed' | 'left'>
  /** Those that are still there. */
  kept(
    indexes: IndexAt[],
    signal: AbortSignal,
  ): Promise<(IndexAt & { elements: number; aliases: string[] })[]>
  /** Refused where anything stands for it; false where it is not there any more. */
  drop(index: IndexAt, signal: AbortSignal): Promise<boolean>
  /** One more step for a check, where a workflow swaps. */
  check(signal: AbortSignal): Promise<CheckStep>
}
