import { jsonSchema } from '../../../connectors/describe.ts'
import type { DestinationType, SourceType } from '../../../connectors/type.ts'

type Field = { examples?: unknown[]; writeOnly?: boolean; default?: unknown }

/** A request that creates a connector: its required fields, and those of its first sign-in mode. */
export function exampleOf(type: SourceType | DestinationType) {
  const { properties, required = [] } = jsonSchema(type) as {
    properties: Record<string, Field>
    required?: string[]
  }
  const [mode] = type.signInModes ?? []
  const names = [...required, ...(mode?.fields.map(({ name }) => name) ?? [])]
  const values = names.map((name) => {
    const { examples = [], writeOnly } = properties[name] ?? {}
    return [name, writeOnly ? 'SECRET' : examples[0]]
  })
  const config = { ...Object.fromEntries(values), ...mode?.usualFor, ...mode?.fixed }
  return { name: `my ${type.type}`, type: type.type, config }
}
