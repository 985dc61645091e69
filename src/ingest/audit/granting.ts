import type { PermissionsData, Principals } from '../../access.ts'
import type { DataSource, HeldElement, Operation } from '../../connectors/connector.ts'

/** Permissions on some elements of a document; usually all are alike. */
export type Written = {
  elementIds: string[]
  clauses: Record<string, string[]>
  lists: Record<Operation, Principals>
}

/** A reader: `tokens` for clauses, the rest for lists; `user` if grants to `id` count. */
export type AuditReader = { id: string; user?: string; groups: string[]; classes: string[]; tokens: string[] }

const NONE: Principals = { users: [], groups: [] }

/** One entry for each different set of permissions among the elements. */
export function writtenForms(elements: HeldElement[]): Written[] {
  const same = Map.groupBy(elements, ({ dataSource }) =>
    JSON.stringify([dataSource.access ?? null, dataSource.permissions_data ?? null]),
  )
  return [...same.values()].flatMap((alike) => {
    const [first] = alike
    if (!first) return []
    return { elementIds: alike.map(({ elementId }) => elementId), ...formOf(first.dataSource) }
  })
}

/** The entries that let the person read, by clause; null if one refuses. */
export function clausesGrant({ clauses }: Written, { tokens }: AuditReader): string[] | null {
  const carried = new Set(tokens)
  const matched: string[] = []
  for (const name of CLAUSE_NAMES) {
    const entries = clauses[name] ?? []
    // c0 has to match; a later clause may be absent.
    if (entries.length === 0 && name !== 'c0') continue
    const entry = entries.find((each) => carried.has(each))
    if (entry === undefined) return null
    matched.push(`${name} by ${entry}`)
  }
  return matched
}

const CLAUSE_NAMES = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7']

/** The entry of the flat list that grants the operation, or null. */
export function listGrants({ lists }: Written, reader: AuditReader, operation: Operation): string | null {
  const { users, groups, access_classes: classes = [] } = lists[operation]
  if (reader.user !== undefined && users.includes(reader.user)) return `user ${reader.user}`
  const group = reader.groups.find((each) => groups.includes(each))
  if (group !== undefined) return `group ${group}`
  const name = reader.classes.find((each) => classes.includes(each))
  return name === undefined ? null : `class ${name}`
}

/** Everyone named on a document, in either form. */
export function usersNamed({ clauses, lists }: Written): string[] {
  const entries = Object.values(clauses).flat()
  return [
    ...Object.values(lists).flatMap(({ users }) => users),
    ...entries.flatMap((entry) => (entry.startsWith('user:') ? [entry.slice('user:'.length)] : [])),
  ]
}

function formOf({ access, permissions_data: permissions }: DataSource): Pick<Written, 'clauses' | 'lists'> {
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
