/** The part of JSON Schema that src/connectors/describe.ts writes. */
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
  /** The name of a custom input. */
  widget?: string
  /** Values that other fields get by the first pattern that this one matches, ignoring case. */
  implies?: Implied[]
  /** How a pasted value is cut, by the first pattern that it matches, ignoring case. */
  shortens?: Shortening[]
  /** Names of true and false. */
  choices?: { true: string; false: string }
  /** What a number limits. */
  limits?: Limit
  /** What the guide fills in. */
  suggested?: unknown
}

export type Implied = { pattern: string; values: Record<string, unknown> }
export type Shortening = { pattern: string; value: string; scope?: string }
export type Limit = 'scopes' | 'documents'

export type Field = {
  name: string
  kind: 'text' | 'lines' | 'secret' | 'number' | 'flag' | 'list' | 'choice' | 'choices'
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
  widget: string | undefined
  implies: Implied[]
  shortens: Shortening[]
  choices: { true: string; false: string } | undefined
  limits: Limit | undefined
  suggested: unknown
}

/** The value of an input; numbers may be text. */
export type Value = string | number | boolean | string[]
export type Values = Record<string, Value>

/** The fields of a schema, in its order. */
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
        widget: property.widget,
        implies: property.implies ?? [],
        shortens: property.shortens ?? [],
        choices: property.choices,
        limits: property.limits,
        suggested: property.suggested,
      }
    })
}

function kindOf({ type, enum: values, items, widget, 'x-secret': secret }: PropertySchema): Field['kind'] {
  if (secret) return 'secret'
  if (widget === 'lines') return 'lines'
  if (type === 'boolean') return 'flag'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array') return items?.enum ? 'choices' : 'list'
  return values ? 'choice' : 'text'
}

/** A stored or default value for an input; a value of another type counts as empty. */
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
