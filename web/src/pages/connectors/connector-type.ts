import type { ConnectorType, Kind } from './types.ts'

/** By its name or an alias: a connector keeps the name it was created with. */
export function findType(types: ConnectorType[] | undefined, kind: Kind, name: string | undefined) {
  return types?.find(
    (each) => each.kind === kind && name !== undefined && [each.type, ...each.aliases].includes(name),
  )
}

/** The types that a form offers: a sample has a button of its own. */
export function offeredTypes(types: ConnectorType[], kind: Kind): ConnectorType[] {
  return types.filter((each) => each.kind === kind && !each.sample)
}

/** A stored config under the field names of the schema. */
export function schemaConfig(
  { field_aliases: aliases }: Pick<ConnectorType, 'field_aliases'>,
  config: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [aliases[name] ?? name, value]))
}

/** The address of a connector in lists: `search.example/pages`. */
export function locationOf(
  type: Pick<ConnectorType, 'field_aliases' | 'location_fields'>,
  config: Record<string, unknown>,
): string {
  const values = schemaConfig(type, config)
  const parts = type.location_fields.map((name) => [values[name]].flat()[0])
  return parts
    .filter((part): part is string => typeof part === 'string')
    .map((part) => part.replace(/^https:\/\//, '').replace(/\/$/, ''))
    .join('/')
}
