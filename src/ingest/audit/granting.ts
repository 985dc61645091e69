import type { DataSource, StoredElement } from '../../connectors/destination.ts'
import type { Operation } from '../../connectors/source.ts'
import { CLAUSE_NAMES, matchClauses } from '../../permissions/algebra.ts'
import { type PermissionsData, type Principals, principalIds } from '../../permissions/principals.ts'

/** The permissions of elements of a document that have the same; usually all have. */
export type WrittenPermissions = {
  elementIds: string[]
  clauses: Record<string, string[]>
  lists: Record<Operation, Principals>
}

/** `tokens` are compared with clauses, the other fields with lists. `user` is set if grants to `id` count. */
export type AuditReader = { id: string; user?: string; groups: string[]; classes: string[]; tokens: string[] }

const NONE: Principals = { users: [], groups: [] }

/** One entry for each different set of permissions among the elements. */
export function writtenForms(elements: StoredElement[]): WrittenPermissions[] {
  const same = Map.groupBy(elements, ({ dataSource }) =>
    JSON.stringify([dataSource.access ?? null, dataSource.permissions_data ?? null]),
  )
  return [...same.values()].flatMap((elements) => {
    const [first] = elements
    if (!first) return []
    return { elementIds: elements.map(({ elementId }) => elementId), ...formOf(first.dataSource) }
  })
}

/** The entries that let the person read, by clause; null if one refuses. */
export function grantingClauses({ clauses }: WrittenPermissions, { tokens }: AuditReader): string[] | null {
  // The index knows only these names, and reads an empty list as absent.
  const known = CLAUSE_NAMES.flatMap((name) => {
    const entries = clauses[name] ?? []
    return entries.length > 0 ? [[name, entries] as const] : []
  })
  const matched = matchClauses(Object.fromEntries(known), new Set(tokens))
  return matched && [...matched].map(([name, [entry]]) => `${name} through ${entry}`)
}

/** The entry of the flat list that grants the operation, or null. */
export function grantingEntry(
  { lists }: WrittenPermissions,
  reader: AuditReader,
  operation: Operation,
): string | null {
  const { users, groups, access_classes: classes = [] } = lists[operation]
  if (reader.user !== undefined && users.includes(reader.user)) return `user ${reader.user}`
  const group = reader.groups.find((each) => groups.includes(each))
  if (group !== undefined) return `group ${group}`
  const name = reader.classes.find((each) => classes.includes(each))
  return name === undefined ? null : `class ${name}`
}

/** Everyone named on a document, in either form. */
export function usersNamed({ clauses, lists }: WrittenPermissions): string[] {
  const entries = Object.values(clauses).flat()
  return [...Object.values(lists).flatMap(({ users }) => users), ...principalIds(entries, '').users]
}

function formOf({
  access,
  permissions_data: permissions,
}: DataSource): Pick<WrittenPermissions, 'clauses' | 'lists'> {
  // Other programs may write here: an unknown form grants nothing.
  const clauses = Object.fromEntries(
    Object.entries((access ?? {}) as Record<string, unknown>).map(([name, entries]) => [
      name,
      [entries ?? []].flat().map(String),
    ]),
  )
  const merged = Object.assign({}, ...(Array.isArray(permissions) ? (permissions as PermissionsData) : []))
  const {
    read = NONE,
    update = NONE,
    delete: remove = NONE,
  } = merged as Partial<Record<Operation, Principals>>
  return { clauses, lists: { read, update, delete: remove } }
}
