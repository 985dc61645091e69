import { z } from 'zod'
import type { FieldError } from '../errors.ts'
import type { Egress } from './egress/egress.ts'
import { CONFIG_LOC, invalidConfig, toFieldErrors, unknownField } from './field-errors.ts'
import type { DestinationType, FieldMeta, SourceType } from './type.ts'

/** What follows from a schema: validation, sealing, masking, updates and the JSON Schema of a form. */
export type Described = Pick<
  SourceType | DestinationType,
  'type' | 'schema' | 'fieldAliases' | 'addressFields' | 'refuse'
>
export type Config = Record<string, unknown>
/** Our field names → the given names of other systems; only if they differ. */
export type FieldNames = Record<string, string>
export type Parsed = { config: Config; wireNames: FieldNames }
/** `plain` has the mask in place of secrets, so responses need no decryption. */
export type Split = { plain: Config; secrets: Record<string, string> }
export type Stored = Split & { wireNames: FieldNames }

export const MASK = '**********'
/** The log searches secrets in many forms, so their length is limited. */
const MAX_SECRET_CHARACTERS = 4096

/** Settings of a new connector. Throws `invalid_request` with the wrong fields. */
export function parseConfig(type: Described, input: unknown, { egress }: { egress: Egress }): Parsed {
  const given = readNames(type, input)
  const masked = secretFields(type).filter((name) => given.values[name] === MASK)
  const errors = [...given.errors, ...masked.map((name) => error(name, given.names, MASK_NOT_ALLOWED))]
  errors.push(...tooLongSecrets(type, given))
  const checked = check(type, given, egress)
  errors.push(...checked.errors)
  if (errors.length > 0) throw invalidConfig(type.type, errors)
  return { config: checked.config, wireNames: given.names }
}

/**
 * Settings after an update. A secret that is left out or masked stays as stored, but only for its addresses, and not
 * if new secrets replace it (another sign-in mode).
 */
export function mergeUpdate(
  type: Described,
  stored: Stored,
  { input, egress }: { input: unknown; egress: Egress },
): Parsed {
  const given = readNames(type, input)
  const secrets = secretFields(type)
  const isStored = (name: string) => Object.hasOwn(stored.secrets, name)

  const errors = [...given.errors, ...tooLongSecrets(type, given)]
  const masked = secrets.filter((name) => given.values[name] === MASK)
  for (const name of masked) if (!isStored(name)) errors.push(error(name, given.names, MASK_NOT_ALLOWED))
  const absent = secrets.filter((name) => given.values[name] === undefined && isStored(name))
  const isReplacing = secrets.some((name) => given.values[name] !== undefined && !masked.includes(name))

  const attempts = (
    isReplacing && absent.length > 0 ? [[...masked, ...absent], masked] : [[...masked, ...absent]]
  ).map((kept) => {
    const keptValues = Object.fromEntries(kept.filter(isStored).map((name) => [name, stored.secrets[name]]))
    const values = { ...given.values, ...keptValues }
    return { kept: Object.keys(keptValues), ...check(type, { values, names: given.names }, egress) }
  })
  const best = attempts.reduce((a, b) => (b.errors.length < a.errors.length ? b : a))
  errors.push(...best.errors)

  const moved = movedField(type, stored.plain, best.config)
  if (moved) {
    const msg = `${moved} has a new address; send this again, because a stored secret is not sent to a new address`
    errors.push(...best.kept.map((name) => error(name, given.names, { msg, type: 'missing' })))
  }
  if (errors.length > 0) throw invalidConfig(type.type, errors)
  return { config: best.config, wireNames: keepStoredNames(stored, given.names) }
}

export function secretFields(type: Pick<Described, 'schema'>): string[] {
  const shape = shapeOf(type.schema)
  return Object.keys(shape).filter((name) => metaOf(shape[name]!).secret === true)
}

export function splitSecrets(type: Pick<Described, 'schema'>, config: Config): Split {
  const secrets: Record<string, string> = {}
  const plain = { ...config }
  for (const name of secretFields(type)) {
    const value = config[name]
    if (typeof value !== 'string') continue
    secrets[name] = value
    plain[name] = MASK
  }
  return { plain, secrets }
}

/**
 * Settings in a response: secrets masked, names as given, `null` if unset, since clients expect every plain field.
 */
export function mask(
  type: Pick<Described, 'schema'>,
  config: Config,
  { names = {} }: { names?: FieldNames } = {},
): Config {
  const secrets = new Set(secretFields(type))
  return Object.fromEntries(
    Object.keys(shapeOf(type.schema)).flatMap((name) => {
      const value = config[name] ?? null
      if (secrets.has(name) && value === null) return []
      return [[names[name] ?? name, secrets.has(name) ? MASK : value]]
    }),
  )
}

/** What a form gets as it is. The library drops examples of transformed values. */
const FORM_HINTS = ['examples', 'widget', 'implies', 'shortens', 'choices', 'limits', 'suggested'] as const

/** For forms: fields in the order of the schema, secrets write-only. */
export function jsonSchema(type: Pick<Described, 'schema'>): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(type.schema, { io: 'input', unrepresentable: 'any' })
  const shape = shapeOf(type.schema)
  const properties = Object.entries(schema.properties ?? {}).map(([name, property], index) => {
    const { secret, advanced, maximum, ...rest } = property as Record<string, unknown>
    const meta = shape[name] ? metaOf(shape[name]) : {}
    return [
      name,
      {
        ...rest,
        ...Object.fromEntries(FORM_HINTS.flatMap((hint) => (meta[hint] ? [[hint, meta[hint]]] : []))),
        // The library adds this maximum to whole numbers.
        ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
        ...(secret || meta.secret ? { writeOnly: true, 'x-secret': true } : {}),
        ...(advanced || meta.advanced ? { 'x-advanced': true } : {}),
        'x-order': index,
      },
    ]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

type Given = { values: Config; names: FieldNames }

const SECRET_TOO_LONG = {
  msg: `a secret may have ${MAX_SECRET_CHARACTERS.toLocaleString('en')} characters at most`,
  type: 'string_too_long',
}
const MASK_NOT_ALLOWED = { msg: 'this is the mask, not a value; send the secret itself', type: 'value_error' }

/** Maps aliases to field names, drops absent values and reports unknown names. */
function readNames(type: Described, input: unknown): Given & { errors: FieldError[] } {
  const given = { values: {} as Config, names: {} as FieldNames, errors: [] as FieldError[] }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalidConfig(type.type, [{ loc: CONFIG_LOC, msg: 'Input should be an object', type: 'dict_type' }])
  }
  const shape = shapeOf(type.schema)
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || value === null || value === '') continue
    const ours = Object.hasOwn(type.fieldAliases, name) ? type.fieldAliases[name]! : name
    if (!Object.hasOwn(shape, ours)) {
      given.errors.push(
        unknownField(name, [...Object.keys(shape), ...Object.keys(type.fieldAliases)], CONFIG_LOC),
      )
    } else if (Array.isArray(value) && value.length === 0 && isOptionalList(shape[ours]!)) {
      // An empty list is "none given".
    } else if (!Object.hasOwn(given.values, ours)) {
      given.values[ours] = value
      if (name !== ours) given.names[ours] = name
    } else if (JSON.stringify(given.values[ours]) !== JSON.stringify(value)) {
      const other = given.names[ours] ?? ours
      const msg = `${name} and ${other} are two names of one field and may not differ; send one of them`
      given.errors.push({ loc: [...CONFIG_LOC, name], msg, type: 'value_error' })
    }
  }
  return given
}

/** A certificate is no secret and may be longer. */
function tooLongSecrets(type: Described, { values, names }: Given): FieldError[] {
  const isTooLong = (value: unknown) => typeof value === 'string' && value.length > MAX_SECRET_CHARACTERS
  return secretFields(type)
    .filter((name) => isTooLong(values[name]))
    .map((name) => error(name, names, SECRET_TOO_LONG))
}

function check(type: Described, given: Given, egress: Egress): { config: Config; errors: FieldError[] } {
  const parsed = type.schema.safeParse(given.values)
  if (!parsed.success) {
    const errors = toFieldErrors(parsed.error, given.values, CONFIG_LOC)
    return { config: given.values, errors: errors.map((field) => underGivenName(field, given.names)) }
  }
  // `refuse` takes the output of the same type's schema.
  const refused = type.refuse(parsed.data as never, egress)
  const errors = refused.map(({ field, msg }) => error(field, given.names, { msg, type: 'value_error' }))
  return { config: parsed.data as Config, errors }
}

function error(name: string, names: FieldNames, { msg, type }: { msg: string; type: string }): FieldError {
  return { loc: [...CONFIG_LOC, names[name] ?? name], msg, type }
}

function underGivenName(field: FieldError, names: FieldNames): FieldError {
  const loc = field.loc.map((step, index) =>
    index === CONFIG_LOC.length && typeof step === 'string' ? (names[step] ?? step) : step,
  )
  return { ...field, loc }
}

/** Names stay as created; an update names only new values. */
function keepStoredNames(stored: Stored, given: FieldNames): FieldNames {
  const added = Object.entries(given).filter(([ours]) => (stored.plain[ours] ?? null) === null)
  return { ...Object.fromEntries(added), ...stored.wireNames }
}

/** Where settings lead, without secrets. */
export function locationOf(
  type: Pick<SourceType | DestinationType, 'locationFields'>,
  config: Config,
): string {
  return type.locationFields.flatMap((field) => addresses(config[field])).join(' ')
}

/** The first field with a new address (scheme, host and port). A value that is gone is one too; a shorter list is not. */
function movedField(type: Described, before: Config, after: Config): string | undefined {
  return type.addressFields.find((field) => {
    const known = addresses(before[field])
    const given = addresses(after[field])
    const isGone = given.length === 0 && known.length > 0 && !Array.isArray(before[field])
    return isGone || given.some((address) => !known.includes(address))
  })
}

function addresses(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value ?? []].flat()
  return list.map((item) => {
    const url = URL.parse(String(item))
    return url?.host ? `${url.protocol}//${url.host}` : String(item)
  })
}

type Schema = z.core.$ZodType

/** The fields of an object schema, whatever it is wrapped in. */
function shapeOf(schema: Schema): Record<string, Schema> {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  if (def.type === 'object') return def.shape
  const inner = innerOf(schema)
  if (!inner) throw new TypeError(`the settings of a connector are an object, not a ${def.type}`)
  return shapeOf(inner)
}

/** The meta of a field; outer wrappers win. */
function metaOf(schema: Schema): Partial<Record<keyof FieldMeta, unknown>> {
  const inner = innerOf(schema)
  return { ...(inner ? metaOf(inner) : {}), ...z.globalRegistry.get(schema) }
}

function innerOf(schema: Schema): Schema | undefined {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  if ('innerType' in def) return def.innerType as Schema
  // The fields are in the input of a transform, and in the output of `z.preprocess`.
  if (def.type === 'pipe') return def.in._zod.def.type === 'transform' ? def.out : def.in
  return undefined
}

/** `z.preprocess` looks optional; its inner schema decides. */
function isOptional(schema: Schema): boolean {
  const inner = schema._zod.def.type === 'pipe' ? innerOf(schema) : undefined
  return inner ? isOptional(inner) : schema._zod.optin !== undefined
}

function isOptionalList(schema: Schema): boolean {
  return isOptional(schema) && acceptsList(schema)
}

function acceptsList(schema: Schema): boolean {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  if (def.type === 'array') return true
  if (def.type === 'union') return def.options.some((option) => acceptsList(option as Schema))
  const inner = innerOf(schema)
  return inner !== undefined && acceptsList(inner)
}
