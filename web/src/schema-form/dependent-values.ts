import type { FieldProps } from './form.ts'
import type { Field, Value, Values } from './schema.ts'
import { shorten } from './shorten.ts'

/** The cut values of fields, and the scope that one of them named if none is chosen. */
export function allShortened(fields: Field[], values: Values, only?: string): Values {
  const changes: Values = {}
  for (const field of fields) {
    const value = values[field.name]
    if (field.shortens.length === 0 || typeof value !== 'string' || (only && only !== field.name)) continue
    const found = shorten(field, value)
    changes[field.name] = found.value
    const scopes = fields.find(({ widget }) => widget === 'scopes')?.name
    if (scopes && found.scope && [values[scopes] ?? []].flat().length === 0) changes[scopes] = [found.scope]
  }
  return changes
}

/** The host of the address that can name a scope. */
export function hostIn(fields: Field[], values: Values): string {
  const address = fields.find(({ shortens }) => shortens.length > 0)?.name ?? ''
  return /^https?:\/\/([^/?#]+)/i.exec(String(values[address] ?? '').trim())?.[1]?.toLowerCase() ?? ''
}

/** No scopes if the host changed: they belong to the one before. */
export function withoutMovedScopes(fields: Field[], values: Values, hostBefore: string): Values {
  const scopes = fields.find(({ widget }) => widget === 'scopes')?.name
  return scopes && hostBefore && hostIn(fields, values) !== hostBefore ? { [scopes]: [] } : {}
}

/** Values that follow from a new value, once: later changes by hand stay. */
export function implied({ name, implies }: Field, value: string, before: Values): Values {
  const matching = (text: string) => implies.find(({ pattern }) => new RegExp(pattern, 'i').test(text))
  const found = matching(value)
  if (!found || found === matching(String(before[name] ?? ''))) return {}
  return found.values as Values
}

type Change = Parameters<FieldProps<Value>['onChange']>[0]

export function changedValue(next: Change): Value {
  return typeof next === 'object' && 'currentTarget' in next ? next.currentTarget.value : next
}

/** Typing is not cut before the field loses focus. */
export function isPasted(next: Change): boolean {
  if (typeof next !== 'object' || !('nativeEvent' in next)) return false
  return /^insertFrom(Paste|Drop)/.test((next.nativeEvent as InputEvent).inputType ?? '')
}
