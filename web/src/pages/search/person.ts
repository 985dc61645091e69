import type { Person } from './types.ts'

/** What the address and the form hold of a person. */
export type PersonText = { user?: string | undefined; groups?: string | undefined }

/** Undefined where nobody is named: a search without a person is refused. */
export function personOf({ user, groups }: PersonText): Person | undefined {
  const named = listOf(groups)
  const person: Person = {
    ...(user?.trim() ? { user: user.trim() } : {}),
    ...(named.length > 0 ? { groups: named } : {}),
  }
  return person.user || person.groups ? person : undefined
}

export function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(/[,\n]/)
    .map((each) => each.trim())
    .filter(Boolean)
}

/** `group:g1` is a group and its id. A class is named by the wiki and has no id of its own. */
export function tokenOf(text: string): { kind: 'user' | 'group' | 'class' | 'other'; id: string } {
  const [, kind, id] = /^(user|group|class):(.+)$/s.exec(text) ?? []
  return kind && id ? { kind: kind as 'user' | 'group' | 'class', id } : { kind: 'other', id: text }
}
