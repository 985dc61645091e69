import type { FieldErrors } from '../service/errors.ts'
import { type Field, inputValue, type Value, type Values } from './schema.ts'

export const MASK = '**********'

/** Stored values, else the defaults; secrets start empty. */
export function initialValues(fields: Field[], stored: Record<string, unknown> = {}): Values {
  return Object.fromEntries(
    fields.map(({ name, kind, initial }) => {
      const given = stored[name]
      if (kind === 'secret') return [name, '']
      return [name, given === undefined || given === null ? initial : inputValue(kind, given)]
    }),
  )
}

/** Names of stored secrets; the service returns a mask for them. */
export function storedSecrets(fields: Field[], stored: Record<string, unknown> = {}): string[] {
  return fields.filter(({ name, kind }) => kind === 'secret' && stored[name] === MASK).map(({ name }) => name)
}

/** Empty fields are left out, so that the service applies its defaults. */
export function payloadOf(fields: Field[], values: Values): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }) => {
      const value = values[name]
      if (value === undefined || isEmpty(value)) return []
      return [[name, kind === 'text' || kind === 'lines' || kind === 'secret' ? String(value).trim() : value]]
    }),
  )
}

type Messages = { missing: (title: string) => string; notANumber: (title: string) => string }

/** Errors found without a request. */
export function problemsOf(
  fields: Field[],
  values: Values,
  { stored, messages }: { stored: string[]; messages: Messages },
): FieldErrors {
  const problems: FieldErrors = {}
  for (const { name, kind, title, required } of fields) {
    const value = values[name]
    if (required && (value === undefined || isEmpty(value)) && !stored.includes(name)) {
      problems[name] = messages.missing(title)
    } else if (kind === 'number' && typeof value === 'string' && value.trim() !== '') {
      problems[name] = messages.notANumber(title)
    }
  }
  return problems
}

function isEmpty(value: Value): boolean {
  return Array.isArray(value) ? value.length === 0 : typeof value === 'string' && value.trim() === ''
}
