import { jsonSchema } from '../../../connectors/describe.ts'
import type { DestinationType, SourceType } from '../../../connectors/type.ts'

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
export function settingsOf(type: AnyType): ObjectSchema {
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
