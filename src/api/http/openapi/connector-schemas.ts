import { isDeepStrictEqual } from 'node:util'
import type { Registry } from '../../../connectors/registry.ts'
import type { DestinationType, SourceType } from '../../../connectors/type.ts'
import { exampleOf } from './connector-examples.ts'
import { configOf, type ObjectSchema, settingsOf } from './settings-schemas.ts'

type AnyType = SourceType | DestinationType

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
  for (const [route, prefix] of [
    [path, 'New'],
    [`${path}/connect`, 'Tested'],
  ] as const) {
    const creation = json(paths[route]?.post?.requestBody)
    if (!creation) continue
    creation.schema = byType(creation.schema as ObjectSchema, { prefix, config: 'Config' })
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
