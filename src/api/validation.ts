import type { FastifySchemaCompiler } from 'fastify'
import type { z } from 'zod'
import { toFieldErrors, unknownField } from '../connectors/field-errors.ts'
import { AppError, type FieldError } from '../errors.ts'

type Place = 'body' | 'query' | 'path' | 'headers'
type RawIssue = z.core.$ZodRawIssue

/** Checks a request against the schema of its route. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const place = placeOf(httpPart)
  return (data: unknown) => {
    // Known only while parsing: finished issues no longer have it.
    const known = new Map<string, string[]>()
    const whole = new Set<string>()
    const error = (issue: RawIssue) => {
      const path = pathOf(issue).join('\n')
      if (issue.code === 'unrecognized_keys') known.set(path, keysOf(issue.inst))
      if (isWhole(issue.inst)) whole.add(path)
      return inWords(issue, place)
    }
    const result = schema.safeParse(data, { error })
    if (result.success) return { value: result.data }
    const fields = toFieldErrors(result.error, data, [place]).map((field) => {
      if (field.type === 'float_type' && whole.has(field.loc.slice(1).join('\n')))
        return { ...field, type: 'int_type' }
      if (field.type !== 'extra_forbidden') return noBody(field, data)
      const path = field.loc.slice(1, -1)
      return unknownField(String(field.loc.at(-1)), known.get(path.join('\n')) ?? [], [place, ...path])
    })
    return { error: new AppError('invalid_request', `reading the ${place} of a request`, { fields }) }
  }
}

function placeOf(httpPart: string | undefined): Place {
  if (httpPart === 'querystring') return 'query'
  return httpPart === 'params' ? 'path' : httpPart === 'headers' ? 'headers' : 'body'
}

/** Only if the schema has no message of its own. */
function inWords(issue: RawIssue, place: Place): string | undefined {
  const path = pathOf(issue)
  const name = path.length > 0 ? path.join('.') : `the ${place}`
  if (issue.input === undefined) return `${name} is missing`
  switch (issue.code) {
    case 'invalid_type':
      if (path.length === 0 && issue.input === null) return `${name} is missing; it should be a JSON object`
      // Queries are text: `page=zero` arrives as not a number.
      return `${name} should be ${kinds[isWhole(issue.inst) ? 'int' : issue.expected] ?? 'something else'}`
    case 'invalid_value':
      return `${name} should be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `${name} should ${sizeOf(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `${name} should ${sizeOf(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'invalid_format':
      return `${name} should be ${formats[issue.format] ?? 'in another form'}`
    default:
      return undefined
  }
}

const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
  record: 'a JSON object',
}
const formats: Record<string, string> = {
  uuid: 'an id',
  datetime: 'a date and time such as 2026-01-31T12:00:00Z',
  url: 'an address',
}

function isWhole(schema: unknown): boolean {
  const definition = (schema as Partial<z.core.$ZodNumber> | undefined)?._zod?.def
  return (definition?.checks ?? []).some(
    (check) => (check._zod.def as { check: string; format?: string }).format === 'safeint',
  )
}

function sizeOf(origin: string): string {
  return origin === 'string' || origin === 'array' ? 'have' : 'be'
}

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : ''
}

/** Clients distinguish a missing body from one of the wrong type. */
function noBody(field: FieldError, data: unknown): FieldError {
  return field.loc.length === 1 && data === null ? { ...field, type: 'missing' } : field
}

function pathOf(issue: RawIssue): string[] {
  return (issue.path ?? []).map(String)
}

function keysOf(schema: unknown): string[] {
  const definition = (schema as Partial<z.core.$ZodObject> | undefined)?._zod?.def
  return Object.keys(definition?.shape ?? {})
}
