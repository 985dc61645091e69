import type { Thing } from '../../../components/thing-link.tsx'
import type { AuditPage, Role } from '../../../service/types.ts'
import { auditTexts as texts } from '../../../texts/audit.ts'
import { roleTexts } from '../../../texts/roles.ts'

export type Entry = AuditPage['items'][number]
/** Someone by account id, whose name the source of a destination knows. */
type Account = { id: string; destination: string }
export type Part = { text: string; target?: Thing; account?: Account }

/** The words of an entry after the name of the actor; the named thing is a part of its own, to become a link. */
export function sentenceOf({ action, details }: Pick<Entry, 'action' | 'details'>): Part[] {
  const template = Object.hasOwn(texts.actions, action) ? texts.actions[action] : undefined
  // An action of a newer service: `move_index` becomes "move index".
  if (!template) return [{ text: action.replaceAll('_', ' ') }]
  return template
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((piece) => {
      const field = /^\{(\w+)\}$/.exec(piece)?.[1]
      if (!field) return { text: piece }
      const text = fieldText(field, details)
      const account = field === 'person' ? accountOf(details) : undefined
      if (account) return { text, account }
      const target = field === 'name' ? targetOf(details) : undefined
      return target ? { text, target } : { text }
    })
}

/** Former members have no name; shows the end of their id. */
export function actorOf({ actor, actor_name: name }: Pick<Entry, 'actor' | 'actor_name'>): string {
  const [kind, id = ''] = actor.split(':')
  if (kind === 'operator') return texts.operator
  if (kind === 'key') return texts.key(name ?? id.slice(-8))
  return name ?? (kind === 'person' ? texts.formerMember(id.slice(-8)) : actor)
}

/** Details that the sentence does not show already; the id of a named thing is only in exports. */
export function otherDetails({ action, details }: Pick<Entry, 'action' | 'details'>): [string, string][] {
  const shown = new Set(
    (texts.actions[action]?.match(/(?<=\{)\w+(?=\})/g) ?? []).filter((name) => name in details),
  )
  if (texts.actions[action]?.includes('{person}')) shown.add('as')
  return Object.entries(details)
    .filter(([name, value]) => !shown.has(name) && !(details.name && isId(value)))
    .map(([name, value]) => [
      wordFor(name, texts.detailNames) ?? name.replaceAll('_', ' '),
      CODED.has(name) || typeof value === 'boolean'
        ? (wordFor(String(value), texts.detailValues) ?? String(value))
        : valueText(value),
    ])
}

/** Details whose values are names of the API. */
const CODED = new Set(['scope', 'tier', 'which'])

function wordFor(name: string, words: Record<string, string>): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  return isList(value) ? value.map(settingName).join(', ') : JSON.stringify(value)
}

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

/** `config.max_image_bytes` becomes "max image bytes". */
function settingName(name: string): string {
  return name.startsWith('config.') ? name.slice('config.'.length).replaceAll('_', ' ') : name
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function isId(value: unknown): boolean {
  return typeof value === 'string' && UUID.test(value)
}

function fieldText(field: string, details: Entry['details']): string {
  if (field === 'person') return personOf(details)
  const value = details[field] ?? (field === 'name' ? idIn(details) : undefined)
  if ((field === 'role' || field === 'was') && isRole(value)) return roleTexts[value].name
  return typeof value === 'string' && value
    ? value
    : typeof value === 'number'
      ? String(value)
      : texts.unnamed
}

function isRole(value: unknown): value is Role {
  return typeof value === 'string' && Object.hasOwn(roleTexts, value)
}

/** Some entries have ids only. */
function idIn(details: Entry['details']): string | undefined {
  const id = details.workflow ?? details.source ?? details.destination ?? details.job
  return typeof id === 'string' ? id : undefined
}

function personOf({ as, person }: Entry['details']): string {
  if (typeof person === 'string') return person
  const { user, email, name, groups } = (as ?? {}) as Record<string, unknown>
  const named = [name, email, user].find((each) => typeof each === 'string' && each)
  if (typeof named === 'string') return named
  if (Array.isArray(groups)) return groups.join(', ')
  return typeof groups === 'number' ? texts.several(groups) : texts.unnamed
}

function accountOf({ as, destination }: Entry['details']): Account | undefined {
  const { user, email, name } = (as ?? {}) as Record<string, unknown>
  if (name || email || typeof user !== 'string' || typeof destination !== 'string') return undefined
  return { id: user, destination }
}

function targetOf(details: Entry['details']): Thing | undefined {
  for (const kind of ['job', 'workflow', 'source', 'destination'] as const) {
    const id = details[kind]
    if (typeof id === 'string') return { kind, id }
  }
  return undefined
}
