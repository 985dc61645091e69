import type { Level } from '../connectors/source.ts'
import { evaluate } from '../permissions/levels.ts'
import { levelTokens, principalIds, UNQUALIFIED_NAMING } from '../permissions/principals.ts'
import type { SourcePerson } from './memberships.ts'
import { firstPrincipals, ruleText } from './principals.ts'
import type { Explanation } from './shapes/search.ts'

/** Uses the same groups and classes as a search. `rules: 'own'` names no other people and groups. */
export function explanation(
  levels: Level[],
  { groups, classes, ...person }: SourcePerson,
  rules: 'all' | 'own',
): Explanation {
  const belonging = { ...person, groups: new Set(groups), classes: new Set(classes) }
  const chain = levels.map((each) => {
    const { level, id, title, asOf } = each
    const { satisfied, by } = evaluate(each, belonging)
    const shown = rules === 'all' ? namedBy(each) : by
    return {
      level,
      id,
      title,
      rule: ruleOf(each, shown),
      satisfied,
      by: by[0] ?? null,
      // These tokens carry no site.
      principals: firstPrincipals(principalIds(shown, '')),
      as_of: asOf.toISOString(),
    }
  })
  const deciding = chain.findIndex(({ satisfied }) => !satisfied)
  return {
    allowed: chain.length > 0 && deciding < 0,
    operation: 'read',
    chain: chain.map((level, at) => ({ ...level, decides: at === deciding })),
  }
}

function namedBy(level: Level): string[] {
  return 'who' in level && level.who ? levelTokens(level.who, UNQUALIFIED_NAMING) : []
}

function ruleOf(level: Level, shown: string[]): string {
  if ('unread' in level) return `could not be read: ${level.unread}`
  return level.who ? ruleText(shown) : 'not restricted here'
}
