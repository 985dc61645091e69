import type { Member } from '../../service/types.ts'

/** An account of an identity provider that says no name has none. */
export function nameOf({ name, email }: Pick<Member, 'name' | 'email'>): string {
  return name || email
}
