import { may, type Role, type Session } from '../../service/types.ts'

export const sections = ['account', 'workspace', 'members', 'identity', 'webhooks', 'audit'] as const
export type Section = (typeof sections)[number]

/** The sections that a role may use. */
export function visibleSections(role: Role, tier: Session['tier']): Section[] {
  return sections.filter((section) => {
    if (section === 'members') return tier === 'business' && may(role, 'administrator')
    if (section === 'webhooks') return may(role, 'developer')
    return !['identity', 'audit'].includes(section) || may(role, 'administrator')
  })
}
