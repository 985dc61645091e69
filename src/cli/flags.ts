import { jsonSchema } from '../connectors/describe.ts'
import type { Registry } from '../connectors/registry.ts'
import type { DestinationType, SourceType } from '../connectors/type.ts'

/** A flag for a field of a connector's settings. */
export type ConnectorFlag = {
  /** Without the dashes, such as `source-url`. */
  name: string
  side: 'source' | 'destination'
  field: string
  kind: 'text' | 'number' | 'boolean' | 'list'
  title: string
  description: string
  isSecret: boolean
  isAdvanced: boolean
  isRequired: boolean
  /** A path on this machine. */
  isPath: boolean
  example: string | null
  fallback: string | null
  choices: string[]
  /** The types with this field, unless all have it. */
  only: string[]
}

type Property = {
  type?: string
  title?: string
  description?: string
  default?: unknown
  examples?: unknown[]
  enum?: string[]
  items?: { enum?: string[] }
  widget?: string
  'x-secret'?: boolean
  'x-advanced'?: boolean
}

/** Derived from the schemas, so that every setting has a flag. */
export function connectorFlags({ sources, destinations }: Registry): ConnectorFlag[] {
  return [...flagsOf('source', sources), ...flagsOf('destination', destinations)]
}

function flagsOf(side: 'source' | 'destination', types: readonly (SourceType | DestinationType)[]) {
  const flags = new Map<string, ConnectorFlag>()
  for (const type of types) {
    const schema = jsonSchema(type) as { properties: Record<string, Property>; required?: string[] }
    for (const [field, property] of Object.entries(schema.properties)) {
      const known = flags.get(field)
      if (known) known.only.push(type.type)
      else flags.set(field, flagOf(side, field, { type, property, required: schema.required ?? [] }))
    }
  }
  return [...flags.values()].map((flag) => (flag.only.length === types.length ? { ...flag, only: [] } : flag))
}

function flagOf(
  side: 'source' | 'destination',
  field: string,
  { type, property, required }: { type: { type: string }; property: Property; required: string[] },
): ConnectorFlag {
  return {
    name: `${side}-${field.replaceAll('_', '-')}`,
    side,
    field,
    kind: kindOf(property),
    title: property.title ?? field,
    description: property.description ?? '',
    isSecret: property['x-secret'] === true,
    isAdvanced: property['x-advanced'] === true,
    isRequired: required.includes(field),
    isPath: property.widget === 'path',
    example: property.examples?.[0] === undefined ? null : [property.examples[0]].flat().join(','),
    fallback: fallbackOf(property.default),
    choices: property.enum ?? property.items?.enum ?? [],
    only: [type.type],
  }
}

function kindOf({ type }: Property): ConnectorFlag['kind'] {
  if (type === 'boolean') return 'boolean'
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'array' ? 'list' : 'text'
}

function fallbackOf(value: unknown): string | null {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return null
  return [value].flat().join(',')
}

/** The value for the field. If it is not a number, the schema reports it. */
export function flagValue(flag: ConnectorFlag, given: (string | boolean)[]): unknown {
  const last = given.at(-1)
  if (flag.kind === 'boolean')
    return last === true || last === 'true' ? true : last === 'false' ? false : last
  if (flag.kind === 'number') return /^-?\d+(\.\d+)?$/.test(String(last)) ? Number(last) : last
  if (flag.kind === 'list') {
    return given
      .flatMap((value) => String(value).split(','))
      .map((value) => value.trim())
      .filter((value) => value !== '')
  }
  return last
}
