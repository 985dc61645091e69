import type { Level } from '../../connectors/connector.ts'
import type { AnyOf } from '../../permissions/principals.ts'

/** A level, and whether a person passes it. */
export type RuleStep = {
  level: Level['level']
  id: string
  title: string
  rule: string
  satisfied: boolean
  by: string | null
}

type Person = { user?: string; groups: string[]; classes: string[] }

/** A scope can name thousands; `by` names the one that matches. */
const MAX_NAMED = 10

/** Evaluates the current levels for a person, from the scope down. A reader has to pass all. */
export function chainOf(levels: Level[], person: Person): RuleStep[] {
  return levels.map((level) => {
    const { level: kind, id, title } = level
    return { level: kind, id, title, ...evaluate(level, person) }
  })
}

function evaluate(level: Level, person: Person): Pick<RuleStep, 'rule' | 'satisfied' | 'by'> {
  if ('unread' in level) return { rule: `could not be read: ${level.unread}`, satisfied: false, by: null }
  if (!level.who) return { rule: 'not restricted here', satisfied: true, by: null }
  const by = matchingPrincipal(level.who, person)
  return { rule: describe(level.who), satisfied: by !== null, by }
}

function matchingPrincipal({ users, groups, classes }: AnyOf, person: Person): string | null {
  if (person.user !== undefined && users.has(person.user)) return `user ${person.user}`
  const group = person.groups.find((each) => groups.has(each))
  if (group !== undefined) return `group ${group}`
  const name = person.classes.find((each) => classes.has(each))
  return name === undefined ? null : `class ${name}`
}

function describe({ users, groups, classes }: AnyOf): string {
  const named = [
    ...[...classes].sort().map((name) => `class ${name}`),
    ...[...groups].sort().map((group) => `group ${group}`),
    ...[...users].sort().map((user) => `user ${user}`),
  ]
  if (named.length === 0) return 'readable by no one'
  const more = named.length > MAX_NAMED ? ` and ${named.length - MAX_NAMED} more` : ''
  return `readable by ${named.slice(0, MAX_NAMED).join(', ')}${more}`
}
