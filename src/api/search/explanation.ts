import type { Level } from '../../connectors/connector.ts'
import { levelTokens, personTokens, principalIds, UNQUALIFIED_NAMING } from '../../permissions/principals.ts'
import type { SourcePerson } from '../memberships.ts'
import type { Explanation } from '../shapes/search.ts'
import { firstPrincipals, ruleText } from './principals.ts'

/** Uses the same groups and classes as a search. `rules: 'own'` names no other people and groups. */
export function explanation(levels: Level[], person: SourcePerson, rules: 'all' | 'own'): Explanation {
  const tokens = personTokens(person, UNQUALIFIED_NAMING)
  const chain = levels.map((level) => {
    const { level: kind, id, title, asOf } = level
    return { level: kind, id, title, ...evaluate(level, tokens, rules), as_of: asOf.toISOString() }
  })
  const deciding = chain.findIndex(({ satisfied }) => !satisfied)
  return {
    allowed: chain.length > 0 && deciding < 0,
    operation: 'read',
    chain: chain.map((level, at) => ({ ...level, decides: at === deciding })),
  }
}

function evaluate(
  level: Level,
  tokens: string[],
  rules: 'all' | 'own',
): Pick<Explanation['chain'][number], 'rule' | 'satisfied' | 'by' | 'principals'> {
  const principals = firstPrincipals({ users: [], groups: [], classes: [] })
  if ('unread' in level)
    return { rule: `could not be read: ${level.unread}`, satisfied: false, by: null, principals }
  if (!level.who) return { rule: 'not restricted here', satisfied: true, by: null, principals }
  const named = levelTokens(level.who, UNQUALIFIED_NAMING)
  const namedTokens = new Set(named)
  const own = tokens.filter((token) => namedTokens.has(token))
  const shown = rules === 'all' ? named : own
  return {
    rule: ruleText(shown),
    satisfied: own.length > 0,
    by: own[0] ?? null,
    // These tokens carry no site.
    principals: firstPrincipals(principalIds(shown, '')),
  }
}
