import type { DestinationType, SourceType } from './connector.ts'
import { folder } from './folder/type.ts'
import { selfManagedSearchindex } from './searchindex/self-managed.ts'
import { searchindex } from './searchindex/type.ts'
import { wiki } from './wiki/type.ts'

/** The only file that names all connectors; a new one is a line here. */
export const sourceTypes: readonly SourceType[] = [wiki]
export const destinationTypes: readonly DestinationType[] = [searchindex]
/** For the command line, whose user owns the machine: self-managed clusters and the file system as well. */
export const localDestinationTypes: readonly DestinationType[] = [selfManagedSearchindex, folder]

/** By our name or another system's. */
export function findSourceType(name: string): SourceType | undefined {
  return named(sourceTypes, name)
}

export function findDestinationType(
  name: string,
  types: readonly DestinationType[] = destinationTypes,
): DestinationType | undefined {
  return named(types, name)
}

function named<T extends SourceType | DestinationType>(types: readonly T[], name: string): T | undefined {
  return types.find((connector) => connector.type === name || connector.aliases.includes(name))
}
