import type { Person } from './types.ts'

export type PersonInput = { user?: string | undefined; groups?: string | undefined }

/** Undefined without a name or group: the service refuses such a search. */
export function personOf({ user, groups }: PersonInput): Person | undefined {
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

/** `group:g1` is a group and its id; a class has only a name. */
export function tokenOf(text: string): { kind: 'user' | 'group' | 'class' | 'other'; id: string } {
  const [, kind, id] = /^(user|group|class):(.+)$/s.exec(text) ?? []
  return kind && id ? { kind: kind as 'user' | 'group' | 'class', id } : { kind: 'other', id: text }
}
