import type { FastifySchemaCompiler } from 'fastify'
import { z } from 'zod'
import { toFieldErrors, unknownField } from '../../connectors/field-errors.ts'
import { AppError, type FieldError } from '../../errors.ts'
import type { App } from './context.ts'

type RequestPart = 'body' | 'query' | 'path' | 'headers'
type RawIssue = z.core.$ZodRawIssue

/** Checks a request against the schema of its route. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = partOf(httpPart)
  return (data: unknown) => {
    // Collected while parsing, because finished issues no longer have the schema.
    const knownKeys = new Map<string, string[]>()
    const integers = new Set<string>()
    const error = (issue: RawIssue) => {
      const path = pathOf(issue).join('\n')
      if (issue.code === 'unrecognized_keys') knownKeys.set(path, keysOf(issue.inst))
      if (isInteger(issue.inst)) integers.add(path)
      return messageFor(issue, part)
    }
    const result = schema.safeParse(data, { error })
    if (result.success) return { value: result.data }
    const fields = toFieldErrors(result.error, data, [part]).map((field) => {
      if (field.type === 'float_type' && integers.has(field.loc.slice(1).join('\n')))
        return { ...field, type: 'int_type' }
      if (field.type !== 'extra_forbidden') return missingBody(field, data)
      const path = field.loc.slice(1, -1)
      return unknownField(String(field.loc.at(-1)), knownKeys.get(path.join('\n')) ?? [], [part, ...path])
    })
    return { error: new AppError('invalid_request', `reading the ${part} of a request`, { fields }) }
  }
}

/** A mistyped query parameter is an error, also on routes that have none. */
export function refuseUnknownQueries(app: App): void {
  app.addHook('onRoute', (route) => {
    const declared = (route.schema as { querystring?: z.ZodType } | undefined)?.querystring
    const querystring = declared instanceof z.ZodObject ? declared.strict() : (declared ?? z.strictObject({}))
    route.schema = { ...route.schema, querystring }
  })
}

function partOf(httpPart: string | undefined): RequestPart {
  if (httpPart === 'querystring') return 'query'
  return httpPart === 'params' ? 'path' : httpPart === 'headers' ? 'headers' : 'body'
}

/** Only if the schema has no message of its own. */
function messageFor(issue: RawIssue, part: RequestPart): string | undefined {
  const path = pathOf(issue)
  const name = path.length > 0 ? path.join('.') : `the ${part}`
  if (issue.input === undefined) return `${name} is missing`
  switch (issue.code) {
    case 'invalid_type':
      if (path.length === 0 && issue.input === null) return `${name} is missing; it should be a JSON object`
      // Queries are text: `page=zero` arrives as not a number.
      return `${name} should be ${typeNames[isInteger(issue.inst) ? 'int' : issue.expected] ?? 'of another type'}`
    case 'invalid_value':
      return `${name} should be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `${name} should ${sizeVerb(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `${name} should ${sizeVerb(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'invalid_format':
      return `${name} should be ${formatNames[issue.format] ?? 'in another format'}`
    default:
      return undefined
  }
}

const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
  record: 'a JSON object',
}
const formatNames: Record<string, string> = {
  uuid: 'an id',
  datetime: 'a date and time such as 2026-01-31T12:00:00Z',
  url: 'an address',
}

function isInteger(schema: unknown): boolean {
  const definition = (schema as Partial<z.core.$ZodNumber> | undefined)?._zod?.def
  return (definition?.checks ?? []).some(
    (check) => (check._zod.def as { check: string; format?: string }).format === 'safeint',
  )
}

function sizeVerb(origin: string): string {
  return origin === 'string' || origin === 'array' ? 'have' : 'be'
}

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : ''
}

/** Clients distinguish a missing body from one of the wrong type. */
function missingBody(field: FieldError, data: unknown): FieldError {
  return field.loc.length === 1 && data === null ? { ...field, type: 'missing' } : field
}

function pathOf(issue: RawIssue): string[] {
  return (issue.path ?? []).map(String)
}

function keysOf(schema: unknown): string[] {
  const definition = (schema as Partial<z.core.$ZodObject> | undefined)?._zod?.def
  return Object.keys(definition?.shape ?? {})
}
