import type { DestinationType, SourceType } from './connector.ts'
import { folder } from './folder/type.ts'
import { selfManagedSearchindex } from './searchindex/self-managed.ts'
import { searchindex } from './searchindex/type.ts'
import { localWiki, wiki } from './wiki/type.ts'

/** The connector types of a process, by name or alias. */
export type Registry = {
  sources: readonly SourceType[]
  destinations: readonly DestinationType[]
  source(name: string): SourceType | undefined
  destination(name: string): DestinationType | undefined
}

/** Throws if two types of a side share a name. */
export function createRegistry({ sources, destinations }: Pick<Registry, Side>): Registry {
  refuseDuplicates(sources)
  refuseDuplicates(destinations)
  return {
    sources,
    destinations,
    source: (name) => named(sources, name),
    destination: (name) => named(destinations, name),
  }
}

// The only file that names all connectors.
export const serviceConnectors = createRegistry({ sources: [wiki], destinations: [searchindex] })

/** For the command line: self-managed clusters and the file system too. */
export const localConnectors = createRegistry({
  sources: [localWiki],
  destinations: [selfManagedSearchindex, folder],
})

type Side = 'sources' | 'destinations'

function named<T extends SourceType | DestinationType>(types: readonly T[], name: string): T | undefined {
  return types.find((connector) => connector.type === name || connector.aliases.includes(name))
}

function refuseDuplicates(types: readonly (SourceType | DestinationType)[]): void {
  const names = types.flatMap(({ type, aliases }) => [type, ...aliases])
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice) throw new TypeError(`two connector types are called ${JSON.stringify(twice)}`)
}
