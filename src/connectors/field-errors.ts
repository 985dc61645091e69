import type { z } from 'zod'
import { AppError, type FieldError } from '../errors.ts'
import { nearest } from '../nearest.ts'

/** The path of a connector's settings in a request. */
export const CONFIG_LOC = ['body', 'config']

/** Keeps the response short for a million unknown fields. */
const MAX_REPORTED = 20

/** Errors of a schema as existing clients parse them: `missing`, `string_type`, … */
export function toFieldErrors(error: z.ZodError, input: unknown, loc: (string | number)[]): FieldError[] {
  return error.issues.slice(0, MAX_REPORTED).flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, MAX_REPORTED).map((key) => ({
        loc: [...loc, ...path, key],
        msg: `unknown field ${quote(key)}`,
        type: 'extra_forbidden',
      }))
    }
    if (issue.code !== 'custom' && path.length > 0 && valueAt(input, path) === undefined) {
      // The library's message mentions "undefined".
      const msg = issue.message.startsWith('Invalid input') ? 'Field required' : issue.message
      return [{ loc: [...loc, ...path], msg, type: 'missing' }]
    }
    return [{ loc: [...loc, ...path], msg: issue.message, type: typeOf(issue) }]
  })
}

export function unknownField(name: string, known: string[], loc: (string | number)[]): FieldError {
  const near = nearest(name, known)
  const hint = near ? `did you mean ${quote(near)}?` : `the known ones are ${known.join(', ')}`
  return {
    loc: [...loc, name.slice(0, 100)],
    msg: `unknown field ${quote(name)}; ${hint}`,
    type: 'extra_forbidden',
  }
}

/** The message names every field, for clients that show one line. */
export function invalidConfig(type: string, fields: FieldError[]): AppError {
  const lines = fields.map(({ loc, msg }) => {
    const name = loc.slice(CONFIG_LOC.length).join('.')
    return name && !msg.startsWith(name) ? `${name}: ${msg}` : msg
  })
  return new AppError('invalid_request', `reading the config of ${type}: ${lines.join('; ')}`, { fields })
}

const typesOf: Record<string, string> = {
  string: 'string_type',
  number: 'float_type',
  int: 'int_type',
  boolean: 'bool_type',
  array: 'list_type',
  object: 'dict_type',
  record: 'dict_type',
}

function typeOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typesOf[issue.expected] ?? 'value_error'
    case 'too_small':
      if (issue.origin === 'string') return 'string_too_short'
      if (issue.origin === 'array') return 'too_short'
      return issue.inclusive ? 'greater_than_equal' : 'greater_than'
    case 'too_big':
      if (issue.origin === 'string') return 'string_too_long'
      if (issue.origin === 'array') return 'too_long'
      return issue.inclusive ? 'less_than_equal' : 'less_than'
    case 'invalid_format':
      if (issue.format === 'url') return 'url_parsing'
      return issue.format === 'regex' ? 'string_pattern_mismatch' : 'value_error'
    case 'invalid_value':
      return issue.values.length === 1 ? 'literal_error' : 'enum'
    case 'not_multiple_of':
      return 'multiple_of'
    default:
      return 'value_error'
  }
}

function valueAt(value: unknown, path: (string | number)[]): unknown {
  let current = value
  for (const step of path) {
    if (typeof current !== 'object' || current === null) return undefined
    current = (current as Record<string | number, unknown>)[step]
  }
  return current
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}
