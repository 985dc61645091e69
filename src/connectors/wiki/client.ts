import type { Naming } from '../../access.ts'
import type { Account } from './access/accounts.ts'
import type { Grant } from './access/permissions.ts'
import type { ParsedRestrictions } from './access/restrictions.ts'
import type { NodeRef, TreeNode } from './access/tree.ts'
import type { UserRef } from './content/storage/links.ts'
import type { Downloaded } from './transport/download.ts'
import type { Site } from './transport/site.ts'

/** The endpoints of a wiki, in the words of this folder; what lies behind them differs by deployment. */
export type WikiClient = {
  site: Site
  /** The group that reads every page, restricted or not; Data Center has one. */
  superGroup: string | null
  /** Null where the wiki cannot be asked what other people may read: Data Center. */
  checks: Checks | null
  naming: Naming
} & ContentClient &
  RestrictionsClient &
  FilesClient &
  WikiSearch &
  SpacePermissionsClient &
  PeopleClient &
  MentionsClient

/** What is asked for along with pages, so that nothing is asked for in vain. */
export type Wants = { files: boolean }

export type ContentClient = {
  /** All spaces of any status, or those with the given keys. */
  spaces(keys: string[] | null, signal: AbortSignal): AsyncIterable<Space[]>
  /** Upwards by id where it says so: the plain listing, which does not lag behind as a search does. */
  pagesIn(space: Space, asked: ListOptions, signal: AbortSignal): AsyncIterable<ListedPages>
  /** Whatever there is of these pages or blog posts, in any status but draft. */
  pagesById(ids: string[], kind: PageKind, signal: AbortSignal): Promise<PageInfo[]>
  /** A page, blog post, folder, whiteboard, database or embed. */
  node(place: NodeRef, signal: AbortSignal): Promise<PageInfo>
  /** Everything down to ten levels below a page, whatever its kind. */
  descendants(id: string, signal: AbortSignal): Promise<Descendant[]>
  labels(place: NodeRef, signal: AbortSignal): Promise<string[]>
  /** Bodies of many pages at once, from the search: pages may be missing in the answer. */
  bodies(ids: string[], signal: AbortSignal): Promise<StorageBody[]>
  body(place: NodeRef, signal: AbortSignal): Promise<StorageBody>
}

export type FilesClient = {
  /** Every file that is attached to a page or blog post, to the last one. */
  files(place: NodeRef, signal: AbortSignal): Promise<FileInfo[]>
  /** Where a file is now; null where it is gone. */
  container(fileId: string, signal: AbortSignal): Promise<NodeRef | null>
  /** One version of a file, whichever way works today; null where the file is elsewhere or newer by now. */
  download(file: PageRequest, reading: FileRequest, signal: AbortSignal): Promise<Downloaded | null>
}
/** `link` where the wiki has just told it. */
export type PageRequest = { id: string; pageId: string; version: string; link?: string | null }
/** `goesOn` is shown the beginning, and says whether the rest is worth fetching. */
export type FileRequest = { maxBytes: number; goesOn?(head: Uint8Array): boolean | Promise<boolean> }

/** The search is an index: it may lag behind, and what it does not show may be there all the same. */
export type WikiSearch = {
  /** Ids in a space that the search finds; with `cql` only those it holds for. */
  matching(asked: { space: Space; cql: string | null }, signal: AbortSignal): Promise<Set<string>>
  /** The comments of a space, without what they say. */
  commentsIn(space: Space, signal: AbortSignal): Promise<CommentInfo[]>
  /** The comments of some pages, with what they say. */
  commentsOf(pageIds: string[], signal: AbortSignal): Promise<Comment[]>
}

export type RestrictionsClient = {
  /** Restrictions and labels of many pages at once, from the search: pages may be missing in the answer. */
  marks(ids: string[], signal: AbortSignal): Promise<PageMetadata[]>
  restriction(id: string, signal: AbortSignal): Promise<ParsedRestrictions>
}

export type Checks = {
  may(asked: CheckQuestion, signal: AbortSignal): Promise<boolean>
  /** The ids of all groups of the site. */
  groups(signal: AbortSignal): Promise<string[]>
}
/** A visitor has no account, and is asked about without credentials. */
export type Subject = { kind: 'user' | 'group'; id: string } | { kind: 'visitor' }
export type CheckQuestion = { pageId: string; subject: Subject; operation: 'read' | 'update' | 'delete' }

export type SpacePermissionsClient = {
  roles(signal: AbortSignal): Promise<Roles>
  grants(space: Space, roles: Roles, signal: AbortSignal): Promise<Grant[]>
}

export type PeopleClient = {
  me(signal: AbortSignal): Promise<Account>
  members(group: string, signal: AbortSignal): Promise<Account[]>
  /** Null where there is no such account. */
  account(id: string, signal: AbortSignal): Promise<Account | null>
  /** The same without its status, in one request. */
  profile(id: string, signal: AbortSignal): Promise<Account | null>
  /** As much as the wiki describes of many accounts in few requests; not all may be in the answer. */
  accounts(ids: string[], signal: AbortSignal): Promise<Account[]>
  groupsOf(user: string, signal: AbortSignal): Promise<string[]>
  /** The first few whose name begins like this. */
  find(text: string, signal: AbortSignal): Promise<Account[]>
}

export type MentionsClient = {
  /** Display names by `userKey`: null for an unknown person, and none where the lookup failed. */
  displayNames(users: UserRef[], signal: AbortSignal): Promise<Map<string, string | null>>
}

export type Space = {
  id: string
  key: string
  alias: string | null
  name: string
  archived: boolean
  homepageId: string | null
}
export type Descendant = { id: string; type: string; title: string; parentId: string | null }
export type PageKind = 'page' | 'blogpost'
export type ListOptions = { kind: PageKind; status: 'current' | 'archived'; pageSize: number }
export type ListedPages = { pages: PageInfo[]; inOrder: boolean }
export type PageInfo = {
  id: string
  kind: PageKind
  status: string
  spaceId: string | null
  title: string
  parent: NodeRef | null
  version: string
  author: string | null
  createdAt: string | null
  modifiedAt: string | null
  /** The address for people, where the wiki told it. */
  url: string | null
  /** Everything above it from the top downwards, where the wiki told it along with the page. */
  above?: readonly TreeNode[]
  /** Why nothing is known of what stands above it, which is not the same as nothing standing there. */
  lost?: string
  /** Likewise its restrictions and labels. */
  marks?: PageMetadata
}
/** Labels and files are null where they were not told, or not to the last one. */
export type PageMetadata = {
  id: string
  told: ParsedRestrictions | null
  labels: string[] | null
  files: FileInfo[] | null
}
export type FileInfo = {
  id: string
  title: string
  version: string
  /** As its name suggests to the wiki; what it is the content tells. */
  mediaType: string | null
  /** Its size, where the wiki says it. */
  bytes: number | null
  /** Where the wiki says it is kept; only Data Center means it. */
  link: string | null
  createdAt: string | null
  modifiedAt: string | null
}
export type CommentInfo = { id: string; pageId: string; version: string; resolution: string | null }
export type Comment = CommentInfo & {
  parentId: string | null
  author: string | null
  createdAt: string | null
  /** What of the page an inline comment was made on. */
  selection: string | null
  storage: string
}
export type StorageBody = { id: string; status: string; version: string; storage: string }
/**
 * `permissions` of a role are written `read/space`; other words grant nothing. `assumed` where the wiki does not
 * know the question, and so should have no roles.
 */
export type Roles = { mode: string; permissions: Map<string, string[]>; assumed?: true }
