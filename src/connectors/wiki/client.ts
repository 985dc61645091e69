import type { Grant } from './permissions.ts'
import type { Account, Told } from './restrictions.ts'
import type { Site } from './site.ts'
import type { Node } from './tree.ts'

/** The endpoints of a wiki, in the words of this folder; what lies behind them differs by deployment. */
export type WikiClient = {
  site: Site
  /** The group that reads every page, restricted or not; Data Center has one. */
  superGroup: string | null
} & ContentClient &
  RestrictionsClient &
  RightsClient &
  PeopleClient

export type ContentClient = {
  /** All spaces of any status, or those with the given keys. */
  spaces(keys: string[] | null, signal: AbortSignal): AsyncIterable<Space[]>
  /** Current pages, upwards by id where it says so: the plain listing, which does not lag behind as a search does. */
  pagesIn(space: Space, pageSize: number, signal: AbortSignal): AsyncIterable<ListedPages>
  /** Whatever there is of these pages, in any status but draft. */
  pagesById(ids: string[], signal: AbortSignal): Promise<PageInfo[]>
  /** A page, folder, whiteboard, database or embed. */
  node(place: Place, signal: AbortSignal): Promise<PageInfo>
  /** Everything down to ten levels below a page, whatever its kind. */
  descendants(id: string, signal: AbortSignal): Promise<Descendant[]>
  labels(id: string, signal: AbortSignal): Promise<string[]>
  /** Bodies of many pages at once, from the search: pages may be missing in the answer. */
  bodies(ids: string[], signal: AbortSignal): Promise<Body[]>
  body(id: string, signal: AbortSignal): Promise<Body>
}

export type RestrictionsClient = {
  /** Restrictions and labels of many pages at once, from the search: pages may be missing in the answer. */
  marks(ids: string[], signal: AbortSignal): Promise<Marks[]>
  restriction(id: string, signal: AbortSignal): Promise<Told>
}

export type RightsClient = {
  roles(signal: AbortSignal): Promise<Roles>
  grants(space: Space, roles: Roles, signal: AbortSignal): Promise<Grant[]>
}

export type PeopleClient = {
  me(signal: AbortSignal): Promise<Account>
  members(group: string, signal: AbortSignal): Promise<Account[]>
  /** Null where there is no such account. */
  account(id: string, signal: AbortSignal): Promise<Account | null>
  groupsOf(user: string, signal: AbortSignal): Promise<string[]>
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
export type Place = { id: string; type: string }
export type ListedPages = { pages: PageInfo[]; inOrder: boolean }
export type PageInfo = {
  id: string
  status: string
  spaceId: string | null
  title: string
  parent: Place | null
  version: string
  author: string | null
  createdAt: string | null
  modifiedAt: string | null
  /** The address for people, where the wiki told it. */
  url: string | null
  /** Everything above it from the top downwards, where the wiki told it along with the page. */
  above?: readonly Node[]
  /** Why nothing is known of what stands above it, which is not the same as nothing standing there. */
  lost?: string
  /** Likewise its restrictions and labels. */
  marks?: Marks
}
export type Marks = { id: string; told: Told | null; labels: string[] }
export type Body = { id: string; status: string; version: string; html: string }
/** `permissions` of a role are written `read/space`; other words grant nothing. */
export type Roles = { mode: string; permissions: Map<string, string[]> }
