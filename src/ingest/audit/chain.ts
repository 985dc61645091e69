import type { Level } from '../../connectors/source.ts'
import { evaluate, type ShownLevel } from '../../permissions/levels.ts'
import type { AnyOf } from '../../permissions/principals.ts'

/** A level, and whether a person passes it. */
export type RuleStep = ShownLevel & { title: string; rule: string; satisfied: boolean; by: string | null }

type Person = { user?: string; groups: string[]; classes: string[] }

/** A scope can name thousands; `by` names the one that matches. */
const MAX_NAMED = 10

/** Evaluates the current levels for a person, from the scope down. A reader has to pass all. */
export function chainOf(levels: Level[], { groups, classes, ...person }: Person): RuleStep[] {
  const belonging = { ...person, groups: new Set(groups), classes: new Set(classes) }
  return levels.map((each) => {
    const { level, id, title } = each
    const { satisfied, by } = evaluate(each, belonging)
    return { level, id, title, rule: ruleOf(each), satisfied, by: by[0]?.replace(':', ' ') ?? null }
  })
}

/** Words for a level that could not be read. */
export function unreadRule(reason: string): string {
  return `could not be read: ${reason}`
}

function ruleOf(level: Level): string {
  if ('unread' in level) return unreadRule(level.unread)
  return level.who ? describe(level.who) : 'not restricted here'
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
