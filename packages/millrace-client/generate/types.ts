/** The parts of an OpenAPI 3.1 document that the types come from. */
export type OpenapiDocument = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
type Operation = {
  summary?: string
  parameters?: { in: string; name: string; required?: boolean; description?: string; schema?: Schema }[]
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> }
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}
export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
}

const HEADER = '// Written by `npm run openapi` from docs/openapi.json. Do not edit.\n'

/** TypeScript types of all schemas, and of all operations by method and path. */
export function typesOf({ paths, components }: OpenapiDocument): string {
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')}\n`,
  )
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) =>
          `${comment(operation.summary, '  ')}  '${method.toUpperCase()} ${path}': ${operationType(operation)}\n`,
      ),
    )
    .join('')
  return [
    HEADER,
    ...schemas,
    `/** Every operation of the API. */\nexport type Operations = {\n${operations}}\n`,
  ].join('\n')
}

function operationType({ parameters = [], requestBody, responses }: Operation): string {
  const lines = [
    `path: ${parameterType(parameters.filter((each) => each.in === 'path'))}`,
    `query: ${parameterType(parameters.filter((each) => each.in === 'query'))}`,
    `body: ${bodyType(requestBody)}`,
    `response: ${responseType(responses)}`,
  ]
  return `{\n${lines.map((line) => `    ${line}\n`).join('')}  }`
}

function parameterType(parameters: Operation['parameters'] = []): string {
  if (parameters.length === 0) return 'undefined'
  const properties = Object.fromEntries(
    parameters.map(({ name, schema = {}, description }) => [
      name,
      description ? { ...schema, description } : schema,
    ]),
  )
  const required = parameters.filter((each) => each.required).map(({ name }) => name)
  const type = typeOf({ type: 'object', properties, required, additionalProperties: false }, '    ')
  return required.length > 0 ? type : `${type} | undefined`
}

function bodyType(body: Operation['requestBody']): string {
  if (!body) return 'undefined'
  const [type = '', { schema = {} } = {}] = Object.entries(body.content)[0] ?? []
  const written =
    type === 'application/json' ? typeOf(schema, '    ') : type.startsWith('multipart/') ? 'FormData' : 'Blob'
  return body.required === false ? `${written} | undefined` : written
}

function responseType(responses: Operation['responses']): string {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content = {} }]) => {
      const [type = '', { schema = {} } = {}] = Object.entries(content)[0] ?? []
      if (type === '') return 'undefined'
      return type === 'application/json' ? typeOf(schema, '    ') : 'string'
    })
  return union(types)
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'unknown'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum.map((each) => JSON.stringify(each)))
  // Next to properties, `anyOf` holds rules that types cannot express.
  const members = schema.properties ? undefined : (schema.anyOf ?? schema.oneOf)
  if (members) return union(members.map((each) => typeOf(each, indent)))
  const { properties, allOf } = schema
  if (allOf && properties)
    return [objectType(schema, indent), ...allOf.map((rule) => oneNeeded(properties, rule))].join(' & ')
  if (allOf) return allOf.map((each) => typeOf(each, indent)).join(' & ')
  return union([schema.type ?? 'unknown'].flat().map((type) => plainType(type, schema, indent)))
}

/** A field that is needed under one of its names. */
function oneNeeded(properties: Record<string, Schema>, { anyOf = [] }: Schema): string {
  const names = anyOf.flatMap(({ required = [] }) => required)
  return `(${names.map((name) => `{ ${property(name)}: ${typeOf(properties[name] ?? {}, '')} }`).join(' | ')})`
}

function plainType(type: string, schema: Schema, indent: string): string {
  if (type === 'array') return `Array<${typeOf(schema.items ?? {}, indent)}>`
  if (type === 'object') return objectType(schema, indent)
  return type === 'integer' ? 'number' : type
}

function objectType(
  { properties, required = [], additionalProperties = true }: Schema,
  indent: string,
): string {
  const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'
  const entries = Object.entries(properties ?? {})
  if (entries.length === 0) return `Record<string, ${additionalProperties === false ? 'never' : others}>`
  const inner = `${indent}  `
  const fields = entries.map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?'
    const type = typeOf(schema, inner)
    return `${comment(schema.description, inner)}${inner}${property(name)}${optional}: ${type}${optional ? ' | undefined' : ''}\n`
  })
  const rest =
    additionalProperties === false
      ? ''
      : `${inner}[name: string]: ${others === 'unknown' ? others : 'unknown'}\n`
  return `{\n${fields.join('')}${rest}${indent}}`
}

function property(name: string): string {
  return /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)
}

function union(types: string[]): string {
  const unique = [...new Set(types)]
  return unique.includes('unknown') || unique.length === 0 ? 'unknown' : unique.join(' | ')
}

function comment(text: string | undefined, indent: string): string {
  return text ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n` : ''
}
