import { jsonSchema } from '../src/connectors/describe.ts'
import { localConnectors, serviceConnectors } from '../src/connectors/registry.ts'
import type { DestinationType, SourceType } from '../src/connectors/type.ts'
import { settings } from '../src/settings.ts'

/** The tables that pages of the documentation have between `<!-- table: NAME -->` and `<!-- end -->`. */
const tables: Record<string, () => string> = {
  settings: () =>
    tableOf(
      ['variable', 'default', ''],
      Object.values(settings).map(({ name, defaultText, text }) => [`\`${name}\``, defaultText, text]),
    ),
  ...Object.fromEntries(
    Object.entries({ service: serviceConnectors, 'millrace-ingest': localConnectors }).flatMap(
      ([program, { sources, destinations }]) =>
        [...sources, ...destinations].map((type) => [`${type.type} of ${program}`, () => fieldsOf(type)]),
    ),
  ),
}

const MARKED = /(?<=<!-- table: (.+) -->\n)[\s\S]*?(?=<!-- end -->)/g

/** The page with current tables. Throws for a table that does not exist. */
export function withTables(page: string): string {
  return page.replaceAll(MARKED, (_, name: string) => {
    const table = tables[name]
    if (!table) throw new TypeError(`there is no table ${JSON.stringify(name)}`)
    return `\n${table()}\n`
  })
}

type Property = {
  type?: string
  description?: string
  title?: string
  enum?: unknown[]
  items?: Property
  default?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  writeOnly?: boolean
}

/** Every field of a connector. Secrets are write-only. */
function fieldsOf(type: SourceType | DestinationType): string {
  const { properties, required = [] } = jsonSchema(type) as {
    properties: Record<string, Property>
    required?: string[]
  }
  const ofModes = new Set((type.signInModes ?? []).flatMap(({ fields }) => fields.map(({ name }) => name)))
  const need = (name: string) => (required.includes(name) ? 'yes' : ofModes.has(name) ? 'to sign in' : 'no')
  const rows = Object.entries(properties).map(([name, property]) => [
    `\`${name}\``,
    typeText(property),
    need(name),
    defaultText(property),
    [property.description ?? property.title ?? '', ...exampleText(property), ...otherNames(type, name)].join(
      ' ',
    ),
  ])
  return tableOf(['field', 'type', 'required', 'default', 'meaning'], rows)
}

function typeText({ type, enum: values, items, writeOnly, ...limits }: Property): string {
  if (writeOnly) return 'secret text'
  if (values) return values.map(code).join(' or ')
  if (type === 'array') return `list of ${typeText(items ?? {})}${atMost(limits.maxItems)}`
  if (type === 'boolean') return '`true` or `false`'
  if (type === 'integer') return `whole number${range(limits)}`
  return limits.maxLength ? `text${atMost(limits.maxLength)} characters` : 'text'
}

function range({ minimum, maximum }: Property): string {
  if (minimum === undefined) return atMost(maximum)
  return maximum === undefined ? `, ${count(minimum)} or more` : `, ${count(minimum)} to ${count(maximum)}`
}

const atMost = (limit: number | undefined) => (limit === undefined ? '' : `, at most ${count(limit)}`)
const count = (value: number) => value.toLocaleString('en')
const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

function defaultText({ default: value }: Property): string {
  return value === undefined || (Array.isArray(value) && value.length === 0) ? '–' : code(value)
}

function exampleText({ examples: [first] = [], enum: values }: Property): string[] {
  return first === undefined || values ? [] : [`Example: ${code(first)}.`]
}

function otherNames({ fieldAliases }: SourceType | DestinationType, name: string): string[] {
  const others = Object.keys(fieldAliases).filter((other) => fieldAliases[other] === name)
  return others.map((other) => `Also accepted as \`${other}\`.`)
}

function tableOf(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`)
    .join('')
}
