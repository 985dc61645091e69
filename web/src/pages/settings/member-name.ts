import type { Member } from '../../service/types.ts'

/** Some identity providers send no name. */
export function nameOf({ name, email }: Pick<Member, 'name' | 'email'>): string {
  return name || email
}
