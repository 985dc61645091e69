import type { Naming } from '../../permissions/principals.ts'
import type { Downloaded } from '../kit/download.ts'
import type { Source } from '../source.ts'
import type { Account, ProductAccess } from './access/accounts.ts'
import type { Grant } from './access/permissions.ts'
import type { ParsedRestrictions } from './access/restrictions.ts'
import type { NodeRef, TreeNode } from './access/tree.ts'
import type { UserRef } from './content/storage/links.ts'
import type { IdSet } from './id-set.ts'
import type { Site } from './transport/site.ts'

/** The operations of a wiki; each deployment implements them. */
export type WikiClient = {
  site: Site
  /** The group exempt from restrictions; only Data Center has one. */
  superGroup: string | null
  /** Null on Data Center, which cannot check other people's permissions. */
  permissionChecks: PermissionChecksClient | null
  naming: Naming
} & ContentClient &
  ContainersClient &
  RestrictionsClient &
  FilesClient &
  WikiSearch &
  SpacePermissionsClient &
  PeopleClient &
  MentionsClient

/** What to request along with pages. */
export type PageIncludes = { files: boolean }

export type ContentClient = {
  /** All spaces of any status, or those with the given keys. */
  spaces(keys: string[] | null, signal: AbortSignal): AsyncIterable<Space[]>
  /** The plain listing, which does not lag like a search. `inOrder` means ascending ids. */
  pagesIn(space: Space, options: ListOptions, signal: AbortSignal): AsyncIterable<ListedPages>
  /** Pages or blog posts as in a listing, in few requests; without those that are gone or unreadable. */
  knownPages(ids: string[], kind: PageKind, signal: AbortSignal): Promise<PageInfo[]>
  /** Pages or blog posts of any status but draft. */
  pagesById(ids: string[], kind: PageKind, signal: AbortSignal): Promise<PageInfo[]>
  /** A page, blog post, folder, whiteboard, database or embed. */
  node(node: NodeRef, signal: AbortSignal): Promise<PageInfo>
  labels(node: NodeRef, signal: AbortSignal): Promise<string[]>
  /** Some pages may be missing, since not every deployment has a list by ids. */
  bodies(ids: string[], kind: PageKind, signal: AbortSignal): Promise<StorageBody[]>
  /** The number of ids that `bodies` reads in one request. */
  bodiesPerRequest: number
  body(node: NodeRef, signal: AbortSignal): Promise<StorageBody>
  /** Of one version by its number, earlier or current. */
  bodyOfVersion(node: NodeRef, version: string, signal: AbortSignal): Promise<StorageBody>
}

export type FilesClient = {
  /** All files attached to a page or blog post. */
  files(node: NodeRef, signal: AbortSignal): Promise<FileInfo[]>
  /** The page of a file; null if the file is gone. */
  container(fileId: string, signal: AbortSignal): Promise<NodeRef | null>
  /** One version of a file; null if it was moved or replaced. */
  download(file: FileVersion, options: DownloadOptions, signal: AbortSignal): Promise<Downloaded | null>
}
/** Set `link` if the wiki has just returned it. */
type FileVersion = { id: string; pageId: string; version: string; link?: string | null }
/** `shouldContinue` sees the beginning and decides whether to fetch the rest. */
type DownloadOptions = {
  maxBytes: number
  shouldContinue?(head: Uint8Array): boolean | Promise<boolean>
}

/** The search lags, so missing results prove nothing. */
export type WikiSearch = {
  /** Ids in a space that match `cql`, or all that the search knows; `ids` limits the search to these. */
  matching(query: MatchingQuery, signal: AbortSignal): Promise<IdSet>
  /** How many pages of a space the search knows, in one request; null if the wiki does not say. */
  pageCount(space: Pick<Space, 'key'>, signal: AbortSignal): Promise<number | null>
  /** The comments of a space, without bodies. */
  commentsIn(space: Space, signal: AbortSignal): AsyncIterable<CommentInfo[]>
  /** The comments of some pages, without bodies. */
  commentInfosOf(pageIds: string[], signal: AbortSignal): Promise<CommentInfo[]>
  /** The comments of some pages, with bodies. */
  commentsOf(pageIds: string[], signal: AbortSignal): Promise<Comment[]>
}

export type MatchingQuery = { space: Space; cql: string | null; ids?: string[] }

export type RestrictionsClient = {
  /** From the search, so pages may be missing. */
  metadata(ids: string[], signal: AbortSignal): Promise<PageMetadata[]>
  restriction(id: string, signal: AbortSignal): Promise<ParsedRestrictions>
}

export type ContainersClient = {
  /** Folders, whiteboards and databases with these ids, or all of the site; from the search, so some may be missing. */
  containers(ids: string[] | null, signal: AbortSignal): AsyncIterable<ContainerInfo[]>
}
/** `ancestors` from the top down. */
export type ContainerInfo = NodeRef & {
  title: string
  ancestors: readonly (NodeRef & { title: string })[]
  restrictions: ParsedRestrictions | null
}

export type PermissionChecksClient = {
  checkPermission(options: PermissionCheck, signal: AbortSignal): Promise<boolean>
  /** The ids of all groups of the site. */
  groups(signal: AbortSignal): Promise<string[]>
}
/** A visitor has no account and is checked without credentials. */
export type Subject = { kind: 'user' | 'group'; id: string } | { kind: 'visitor' }
export type PermissionCheck = { pageId: string; subject: Subject; operation: 'read' | 'update' | 'delete' }

export type SpacePermissionsClient = {
  roles(signal: AbortSignal): Promise<Roles>
  grants(space: Space, roles: Roles, signal: AbortSignal): Promise<Grant[]>
}

export type PeopleClient = {
  me(signal: AbortSignal): Promise<Account>
  members(group: string, signal: AbortSignal): Promise<Account[]>
  /** Null if there is no such account. */
  account(id: string, signal: AbortSignal): Promise<Account | null>
  /** The account without its status, in one request. */
  profile(id: string, signal: AbortSignal): Promise<Account | null>
  /** Many profiles in few requests; some may be missing. */
  profiles(ids: string[], signal: AbortSignal): Promise<Account[]>
  /** Describes many accounts in few requests; some may be missing. */
  accounts(ids: string[], signal: AbortSignal): Promise<Account[]>
  groupsOf(user: string, signal: AbortSignal): Promise<string[]>
  /** Only where accounts do not tell it themselves; null if it cannot be read. */
  productAccess?(signal: AbortSignal): Promise<ProductAccess | null>
  /** Display names by id; leaves out groups that cannot be read. */
  groupNames(ids: string[], signal: AbortSignal): Promise<Map<string, string>>
  /** All people, with visible addresses. */
  emails: NonNullable<Source['emails']>
  /** The first few whose name starts with the text. */
  find(text: string, signal: AbortSignal): Promise<Account[]>
}

export type MentionsClient = {
  /** Display names by `userKey`: null for unknown people, no entry if the lookup failed. */
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
  /** The address for people, if the wiki returned it. */
  url: string | null
  /** All ancestors from the top down, if the wiki returned them. */
  ancestors?: readonly TreeNode[]
  /** Why the ancestors are unknown, which differs from having none. */
  unreadable?: string
  /** Restrictions, labels and files, if the wiki returned them. */
  metadata?: PageMetadata
}
/** Null if missing or incomplete. */
export type PageMetadata = {
  id: string
  restrictions: ParsedRestrictions | null
  labels: string[] | null
  files: FileInfo[] | null
}
export type FileInfo = {
  id: string
  title: string
  version: string
  /** Guessed by the wiki from the name; the content decides. */
  mediaType: string | null
  /** The size, if the wiki returned it. */
  bytes: number | null
  /** The id under which bodies of the newer editor name it; only on Cloud. */
  mediaId: string | null
  /** The download address; only valid on Data Center. */
  link: string | null
  createdAt: string | null
  modifiedAt: string | null
}
export type CommentInfo = { id: string; pageId: string; version: string; resolution: string | null }
export type Comment = CommentInfo & {
  parentId: string | null
  author: string | null
  createdAt: string | null
  /** The page text of an inline comment. */
  selection: string | null
  storage: string
}
export type StorageBody = { id: string; status: string; version: string; storage: string }
/** Operations such as `read/space` by role; a role without any has unknown ones. */
export type RolePermissions = ReadonlyMap<string, string[]>
/** `assumed` if the wiki does not say how it applies roles. */
export type Roles = { mode: string; permissions: RolePermissions; assumed?: true }
