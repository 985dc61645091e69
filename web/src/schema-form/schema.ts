/** As much of JSON Schema as connectors and nodes are described with; see src/connectors/describe.ts. */
export type ObjectSchema = { properties?: Record<string, PropertySchema>; required?: string[] }

export type PropertySchema = {
  type?: string
  title?: string
  description?: string
  default?: unknown
  examples?: unknown[]
  enum?: unknown[]
  items?: { enum?: unknown[] }
  minimum?: number
  maximum?: number
  'x-secret'?: boolean
  'x-advanced'?: boolean
  'x-order'?: number
}

/** One question of a form. */
export type Field = {
  name: string
  kind: 'text' | 'secret' | 'number' | 'flag' | 'list' | 'choice' | 'choices'
  title: string
  help: string | undefined
  placeholder: string | undefined
  required: boolean
  advanced: boolean
  initial: Value
  options: string[]
  /** Whether a number may have a fraction. */
  decimal: boolean
  minimum: number | undefined
  maximum: number | undefined
}

/** What a field holds while it is being filled in: numbers are text or number, as the input has it. */
export type Value = string | number | boolean | string[]
export type Values = Record<string, Value>

/** The questions a schema asks, in its own order. */
export function fieldsOf({ properties = {}, required = [] }: ObjectSchema): Field[] {
  return Object.entries(properties)
    .toSorted(([, one], [, other]) => (one['x-order'] ?? 0) - (other['x-order'] ?? 0))
    .map(([name, property]) => {
      const kind = kindOf(property)
      return {
        name,
        kind,
        title: property.title ?? name,
        help: property.description,
        placeholder: placeholderOf(property.examples?.[0]),
        required: required.includes(name),
        advanced: property['x-advanced'] === true,
        initial: inputValue(kind, property.default),
        options: (property.enum ?? property.items?.enum ?? []).map(String),
        decimal: property.type === 'number',
        minimum: property.minimum,
        maximum: property.maximum,
      }
    })
}

function kindOf({ type, enum: values, items, 'x-secret': secret }: PropertySchema): Field['kind'] {
  if (secret) return 'secret'
  if (type === 'boolean') return 'flag'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array') return items?.enum ? 'choices' : 'list'
  return values ? 'choice' : 'text'
}

/** What was stored or is the default, in the form that the input takes; what does not fit counts as empty. */
export function inputValue(kind: Field['kind'], given: unknown): Value {
  if (kind === 'flag') return given === true
  if (kind === 'list' || kind === 'choices') {
    return Array.isArray(given) ? given.map(String) : typeof given === 'string' && given ? [given] : []
  }
  if (kind === 'number') return typeof given === 'number' ? given : ''
  return typeof given === 'string' ? given : ''
}

function placeholderOf(example: unknown): string | undefined {
  if (example === undefined) return undefined
  return Array.isArray(example) ? example.join(', ') : String(example)
}
