import { isDeepStrictEqual } from 'node:util'
import { jsonSchema } from '../../../connectors/describe.ts'
import type { Registry } from '../../../connectors/registry.ts'
import type { DestinationType, SourceType } from '../../../connectors/type.ts'
import { exampleOf } from './connector-examples.ts'

type AnyType = SourceType | DestinationType
type Property = Record<string, unknown>
export type ObjectSchema = {
  type: 'object'
  description?: string
  properties: Record<string, Property>
  required?: string[]
  additionalProperties?: unknown
  allOf?: object[]
}
type Content = Record<string, { schema?: unknown; examples?: object }>
type Operation = {
  requestBody?: { content?: Content }
  responses?: Record<string, { content?: Content }>
}
type Document = {
  paths?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, unknown> }
}

/** Describes `config` of requests and responses for each connector type of this process. */
export function describeConnectors(document: Document, registry: Registry): void {
  describeKind(document, { kind: 'source', types: registry.sources, response: 'Connector' })
  describeKind(document, { kind: 'destination', types: registry.destinations, response: 'Destination' })
}

type Kind = { kind: 'source' | 'destination'; types: readonly AnyType[]; response: string }

function describeKind({ paths = {}, components }: Document, { kind, types, response }: Kind): void {
  const schemas = components?.schemas ?? {}
  const path = `/api/v1/${kind}s`
  const json = (each: { content?: Content } | undefined) => each?.content?.['application/json']
  const names = types.map((type) => ({ type, name: `${pascal(type.type)}${pascal(kind)}` }))
  const settings = names.map(({ type, name }) => {
    const [config, update] = [configOf(type, { isUpdate: false }), configOf(type, { isUpdate: true })]
    schemas[`${name}Config`] = config
    schemas[`${name}Settings`] = settingsOf(type)
    if (isDeepStrictEqual(config, update)) return `${name}Config`
    schemas[`${name}Update`] = update
    return `${name}Update`
  })
  const byType = (base: ObjectSchema, parts: { prefix: string; config: string }) => {
    for (const { type, name } of names)
      schemas[`${parts.prefix}${name}`] = {
        ...base,
        description: type.about,
        properties: {
          ...base.properties,
          type: { type: 'string', enum: [type.type, ...type.aliases] },
          config: reference(`${name}${parts.config}`),
        },
      }
    return oneOfTypes(names, parts.prefix)
  }

  schemas[response] = byType(schemas[response] as ObjectSchema, { prefix: '', config: 'Settings' })
  const creation = json(paths[path]?.post?.requestBody)
  if (creation) {
    creation.schema = byType(creation.schema as ObjectSchema, { prefix: 'New', config: 'Config' })
    creation.examples = Object.fromEntries(names.map(({ type }) => [type.type, { value: exampleOf(type) }]))
  }
  const update = paths[`${path}/{id}`]?.put
  const options = paths[`${path}/options`]?.post
  // The body of an update has no type; the connector decides which settings apply.
  setConfig(json(update?.requestBody)?.schema, settings)
  setConfig(json(options?.requestBody)?.schema, settings)
  setConfig(
    json(update?.responses?.[200])?.schema,
    names.map(({ name }) => `${name}Settings`),
  )
}

/** Settings in a request. Fields of an update may leave out secrets, which stay as stored. */
export function configOf(type: AnyType, { isUpdate }: { isUpdate: boolean }): ObjectSchema {
  const { properties, required } = plainSchema(type)
  const aliases = Object.entries(type.fieldAliases)
  const needed = required.filter((name) => !(isUpdate && properties[name]?.writeOnly))
  const namesOf = (name: string) => [
    name,
    ...aliases.filter(([, ours]) => ours === name).map(([other]) => other),
  ]
  const several = needed.filter((name) => namesOf(name).length > 1)
  const described = Object.entries(properties).map(([name, property]) => {
    const isRequired = needed.includes(name) && !several.includes(name)
    return [name, isRequired ? property : absentable(property)]
  })
  return {
    type: 'object',
    description: `Settings of ${type.title}. \`null\` and an empty text count as absent.${modesOf(type)}`,
    properties: { ...Object.fromEntries(described), ...aliasProperties(type, properties) },
    required: needed.filter((name) => !several.includes(name)),
    additionalProperties: false,
    ...(several.length > 0
      ? {
          allOf: several.map((name) => ({ anyOf: namesOf(name).map((each) => ({ required: [each] })) })),
        }
      : {}),
  }
}

/** Settings in a response: under the names they were created with, secrets masked, `null` if unset. */
function settingsOf(type: AnyType): ObjectSchema {
  const { properties, required } = plainSchema(type)
  const aliased = new Set(Object.values(type.fieldAliases))
  const described = Object.entries(properties).map(
    ([name, { title: _, default: _d, examples: _e, ...property }]) => {
      const { writeOnly, ...plain } = property
      const masked = { type: 'string', description: 'Masked; absent if it is not set' }
      const value = unlimited(plain)
      return [name, writeOnly ? masked : required.includes(name) ? value : absentable(value)]
    },
  )
  const shown = Object.fromEntries(described)
  const isAlways = (name: string) => !aliased.has(name) && !properties[name]?.writeOnly
  return {
    type: 'object',
    description: `Settings of ${type.title}, under the names they were created with`,
    properties: { ...shown, ...aliasProperties(type, shown) },
    required: Object.keys(properties).filter(isAlways),
    additionalProperties: false,
  }
}

/** Keywords for forms; `GET /connector-types` has them. */
const FORM_KEYWORDS = new Set(['widget', 'implies', 'shortens', 'choices', 'limits', 'suggested'])

function plainSchema(type: AnyType): { properties: Record<string, Property>; required: string[] } {
  const { properties, required = [] } = jsonSchema(type) as ObjectSchema
  const plain = Object.entries(properties).map(([name, property]) => [
    name,
    Object.fromEntries(
      Object.entries(property).filter(([key]) => !FORM_KEYWORDS.has(key) && !key.startsWith('x-')),
    ),
  ])
  return { properties: Object.fromEntries(plain), required }
}

/** The rules of a value hold only if there is one: an empty text or list counts as absent. */
function absentable({ minLength: _, minItems: _m, pattern: _p, ...property }: Property): Property {
  const { type, enum: values } = property
  return {
    ...property,
    ...(type ? { type: [...new Set([type, 'null'].flat())] } : {}),
    ...(Array.isArray(values) ? { enum: [...new Set([...values, null])] } : {}),
  }
}

function unlimited(property: Property): Property {
  const limits = new Set(['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'minimum', 'maximum'])
  return Object.fromEntries(Object.entries(property).filter(([key]) => !limits.has(key)))
}

function aliasProperties(type: AnyType, properties: Record<string, Property>): Record<string, Property> {
  return Object.fromEntries(
    Object.entries(type.fieldAliases).map(([other, ours]) => {
      const { title: _, examples: _e, default: _d, ...property } = absentable(properties[ours] ?? {})
      return [other, { ...property, description: `Another name of \`${ours}\`` }]
    }),
  )
}

function modesOf({ signInModes = [] }: AnyType): string {
  const modes = signInModes.map(({ title, fields, fixed = {} }) => {
    const values = Object.entries(fixed).map(([name, value]) => `\`${name}\` ${String(value)}`)
    return `${title} (${[...fields.map(({ name }) => `\`${name}\``), ...values].join(', ')})`
  })
  return modes.length > 0 ? ` Sign in with exactly one of: ${modes.join('; ')}.` : ''
}

function oneOfTypes(names: { type: AnyType; name: string }[], prefix: string): object {
  const mapping = names.flatMap(({ type, name }) =>
    [type.type, ...type.aliases].map((each) => [each, reference(`${prefix}${name}`).$ref]),
  )
  return {
    oneOf: names.map(({ name }) => reference(`${prefix}${name}`)),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) },
  }
}

function setConfig(schema: unknown, names: string[]): void {
  const { properties } = (schema ?? {}) as Partial<ObjectSchema>
  if (properties?.config) properties.config = { anyOf: names.map(reference) }
}

function reference(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` }
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|[^a-zA-Z0-9])([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
