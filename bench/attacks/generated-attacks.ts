import type { Attack } from './attacker.ts'

type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
}
type Parameter = { name: string; in: string; schema: Schema }
type Operation = {
  'x-keys'?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema> }
}

/** Sizes where the document names no limit. */
const LONG_TEXT = 900_000
const MANY_ITEMS = 20_000
const REPEATS = 6

/** Every operation that keys may call, each field in turn with the largest value that the document allows. */
export function generatedAttacks(document: OpenApi): Attack[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      if (!operation['x-keys'] || operation['x-keys'] === 'none') return []
      return attackOn(document, { method: method.toUpperCase(), path, operation }) ?? []
    }),
  )
}

function attackOn(
  document: OpenApi,
  { method, path, operation }: { method: string; path: string; operation: Operation },
): Attack | null {
  const body = operation.requestBody?.content['application/json']?.schema
  const bodies = body ? extremes(document, body) : []
  const queries = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, schema }) =>
      extremes(document, schema).map((value) => ({ name, value: asText(value) })),
    )
  if (bodies.length === 0 && queries.length === 0) return null
  return {
    name: `${method} ${path}`,
    run: async (attacker) => {
      const target = path.replace('/api/v1', '')
      const [, kind = ''] = target.split('/')
      const id = method === 'DELETE' ? undefined : attacker.owned[kind]
      // Unknown ids are answered before any work.
      const url = target.replace(/\{\w+\}/g, id ?? '00000000-0000-4000-8000-000000000000')
      const call = (query: string, value?: unknown) => {
        if (method === 'GET') return attacker.api.get(url + query)
        if (method === 'DELETE') return attacker.api.delete(url + query)
        return method === 'PUT' ? attacker.api.put(url + query, value) : attacker.api.post(url + query, value)
      }
      await attacker.each(bodies.length * REPEATS, (at) => call('', bodies[at % bodies.length]), 6)
      await attacker.each(
        queries.length * REPEATS,
        (at) => {
          const { name, value } = queries[at % queries.length]!
          return call(`?${name}=${encodeURIComponent(value)}`)
        },
        6,
      )
    },
  }
}

function asText(value: unknown): string {
  // Longer addresses are refused by the server of HTTP.
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 6_000)
}

/** Values of a schema, each with one part as large as allowed. */
function extremes(document: OpenApi, schema: Schema, depth = 0): unknown[] {
  const known = resolve(document, schema)
  if (depth > 4) return []
  const alternatives = known.anyOf ?? known.oneOf
  if (alternatives) return alternatives.flatMap((each) => extremes(document, each, depth + 1))
  if (known.enum || known.const !== undefined) return []
  if (known.properties) {
    const smallest = smallestOf(document, known) as Record<string, unknown>
    return Object.entries(known.properties).flatMap(([name, property]) =>
      extremes(document, property, depth + 1).map((value) => ({ ...smallest, [name]: value })),
    )
  }
  switch (typeOf(known)) {
    case 'integer':
    case 'number':
      return [known.minimum ?? 0, known.maximum ?? Number.MAX_SAFE_INTEGER]
    case 'string':
      return ['x'.repeat(known.maxLength ?? LONG_TEXT), '% _'.repeat((known.maxLength ?? 3000) / 3)]
    case 'array':
      return [
        Array.from({ length: known.maxItems ?? MANY_ITEMS }, () => smallestOf(document, known.items ?? {})),
      ]
    case 'object':
      return [Object.fromEntries(Array.from({ length: MANY_ITEMS }, (_, at) => [`key${at}`, at]))]
    default:
      return []
  }
}

function smallestOf(document: OpenApi, schema: Schema, depth = 0): unknown {
  const known = resolve(document, schema)
  if (known.const !== undefined) return known.const
  if (known.enum) return known.enum[0]
  const [first] = known.anyOf ?? known.oneOf ?? []
  if (first) return smallestOf(document, first, depth + 1)
  if (known.properties && depth < 5) {
    const required = Object.entries(known.properties).filter(([name]) => known.required?.includes(name))
    return Object.fromEntries(required.map(([name, each]) => [name, smallestOf(document, each, depth + 1)]))
  }
  const type = typeOf(known)
  if (type === 'integer' || type === 'number') return known.minimum ?? 1
  if (type === 'array') return []
  if (type === 'object') return {}
  return type === 'boolean' ? false : 'x'
}

function resolve(document: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  if (name) return resolve(document, document.components?.schemas?.[name] ?? {})
  if (!schema.allOf) return schema
  const parts = schema.allOf.map((part) => resolve(document, part))
  return Object.assign({}, ...parts, {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  })
}

function typeOf({ type }: Schema): string | undefined {
  return Array.isArray(type) ? type.find((each) => each !== 'null') : type
}
