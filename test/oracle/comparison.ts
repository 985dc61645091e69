import { may, OPERATIONS, type Operation } from './oracle.ts'
import type { OracleNode, RawWiki, Unreadable } from './random-wiki.ts'
import { type Describe, type OracleReader, readerOf } from './readers.ts'

/** The permissions of a page as a reader of the index sees them. */
export type WrittenAccess = {
  permissions: readonly Partial<Record<Operation, Principals>>[]
  clauses: Record<string, string[]>
  unproved?: string
}
type Principals = { users: string[]; groups: string[]; access_classes?: string[] }

/** Computes what is written for each page of a wiki that is only partly readable. */
export type Resolver = {
  (wiki: RawWiki, unreadable: Unreadable): (page: OracleNode) => WrittenAccess
  describe?: Describe
}

export type Disagreement = {
  person: string
  page: string
  operation: Operation
  form: 'lists' | 'clauses'
  /** Set if the resolver reported an unproved permission. */
  unproved?: string
}

export type Comparison = {
  cases: number
  /** Granted, but the wiki refuses. */
  tooMany: Disagreement[]
  /** Not granted and not reported, but the wiki grants it. */
  tooFew: Disagreement[]
  /** The same, but reported as unproved. */
  unproved: Disagreement[]
}

/** The site prefix of groups and classes in clauses. */
export const SITE = 'wiki.example'

/** Every person, page and operation by the flat lists; read also by the clauses. */
export function compare(wiki: RawWiki, unreadable: Unreadable, resolver: Resolver): Comparison {
  const found: Comparison = { cases: 0, tooMany: [], tooFew: [], unproved: [] }
  const writtenOf = resolver(wiki, unreadable)
  for (const page of pagesOf(wiki)) {
    const written = writtenOf(page)
    for (const person of wiki.accounts) {
      const reader = readerOf(wiki, person, resolver.describe)
      const record = (form: Disagreement['form'], operation: Operation, granted: boolean) => {
        found.cases++
        const allowed = may(wiki, person, page, operation)
        if (granted === allowed) return
        const reason = written.unproved === undefined ? {} : { unproved: written.unproved }
        const disagreement = { person: person.id, page: page.id, operation, form, ...reason }
        found[granted ? 'tooMany' : written.unproved ? 'unproved' : 'tooFew'].push(disagreement)
      }
      for (const operation of OPERATIONS) {
        record('lists', operation, isListed(reader, listOf(written, operation)))
      }
      record('clauses', 'read', matches(reader, written.clauses))
    }
  }
  return found
}

export function pagesOf(wiki: RawWiki): OracleNode[] {
  return wiki.nodes.filter(({ kind }) => kind === 'page')
}

/** Whether a person finds a page by the clauses. Like an index, it treats an empty list as missing. */
export function matches(reader: OracleReader, clauses: Record<string, string[]>): boolean {
  const isPresent = (name: string) => (clauses[name] ?? []).length > 0
  if (!isPresent('c0')) return false
  const tokens = new Set([
    ...(reader.user ? [`user:${reader.user}`] : []),
    ...reader.groups.map((id) => `group:${SITE}/${id}`),
    ...reader.classes.map((name) => (name === 'anonymous-users' ? `class:${name}` : `class:${SITE}/${name}`)),
  ])
  return ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'].every(
    (name) => !isPresent(name) || clauses[name]!.some((entry) => tokens.has(entry)),
  )
}

function isListed({ user, groups, classes }: OracleReader, list: Principals): boolean {
  return (
    (user !== undefined && list.users.includes(user)) ||
    groups.some((id) => list.groups.includes(id)) ||
    classes.some((name) => list.access_classes?.includes(name))
  )
}

function listOf({ permissions }: WrittenAccess, operation: Operation): Principals {
  const list = permissions.find((each) => each[operation])?.[operation]
  if (!list) throw new Error(`there is no list for ${operation}`)
  return list
}
