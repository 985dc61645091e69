import type { DocumentRef, SourceDocument } from '../document.ts'
import type { AppError } from '../errors.ts'
import type { Directory } from '../permissions/algebra.ts'
import type { LevelRule, ShownLevel } from '../permissions/levels.ts'
import { ANONYMOUS, type Naming } from '../permissions/principals.ts'
import type { CheckReport, OnSteps, Warning } from '../report.ts'

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
  /** How `access` names groups and classes, and the name of the site: record ids are it, a slash and an id without slashes. */
  site(signal: AbortSignal): Promise<{ name: string; naming: Naming }>
  /**
   * The documents as `list` would show them now, read after `asOf` without listing their scopes. Leaves out documents
   * that are gone, not selected by the settings, unreadable, or of another site.
   */
  relist?(documents: KnownDocument[], signal: AbortSignal): Promise<{ refs: DocumentRef[]; asOf: Date }>
  /** The locations of documents that a listing missed. Leaves out documents of other sites. */
  locate?(documents: KnownDocument[], signal: AbortSignal): Promise<Map<string, DocumentLocation>>
  people?: PeopleDirectory
  /** All people; `email` is null if the source does not show it. Throws if it cannot list them to the end. */
  emails?(signal: AbortSignal): Promise<{ account: string; name: string | null; email: string | null }[]>
  /** The account of the credentials in the settings. */
  ownAccount?(signal: AbortSignal): Promise<{ id: string; name: string | null }>
  /** The levels between a person and a document now, from its scope down; a reader has to pass all. */
  levels?(document: KnownDocument, signal: AbortSignal): Promise<Level[]>
  /** The source's own decision, for audits; null if it cannot be asked. */
  checkPermission?(
    question: { user: string; operation: Operation; document: KnownDocument },
    signal: AbortSignal,
  ): Promise<boolean | null>
  /** An earlier version of a document, its own text only. Throws if the source does not have it. */
  readVersion?(document: DocumentRef, version: string, signal: AbortSignal): Promise<SourceDocument>
  /** The scopes that the settings can be narrowed to. */
  scopes?(signal: AbortSignal): Promise<ScopeChoice[]>
  close(): Promise<void>
}

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
export type ListingStart = {
  ended: ReadonlySet<string>
  after: ReadonlyMap<string, string>
  /** The caller adds no documents. A source that needs bodies to know which there are lists them as `undecided`. */
  permissionsOnly?: true
}

export const PERMISSIONS_ONLY: ListingStart = { ended: new Set(), after: new Map(), permissionsOnly: true }

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
