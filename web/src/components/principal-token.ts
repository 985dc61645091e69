import { principalTexts as texts } from '../texts/principals.ts'

export type PrincipalToken = { kind: 'user' | 'group' | 'class' | 'other'; id: string }

/** `group:g1` is a group and its id. */
export function principalOf(token: string): PrincipalToken {
  const [, kind, id] = /^(user|group|class):(.+)$/s.exec(token) ?? []
  return kind && id
    ? { kind: kind as Exclude<PrincipalToken['kind'], 'other'>, id }
    : { kind: 'other', id: token }
}

/** A class in words, with or without its site; unknown classes by id. */
export function classWords(id: string): string {
  const name = id.slice(id.lastIndexOf('/') + 1)
  return Object.hasOwn(texts.classes, name) ? (texts.classes[name] ?? id) : id
}
