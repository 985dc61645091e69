import { AppError } from '../errors.ts'
import { folder } from './folder/type.ts'
import { postgres } from './postgres/type.ts'
import { sample } from './sample/type.ts'
import { selfManagedSearchindex } from './searchindex/self-managed.ts'
import { searchindex } from './searchindex/type.ts'
import type { DestinationType, SourceType } from './type.ts'
import { commandLineWiki, wiki } from './wiki/type.ts'

/** The connector types of a process, by name or alias. */
export type Registry = {
  sources: readonly SourceType[]
  destinations: readonly DestinationType[]
  source(name: string): SourceType | undefined
  destination(name: string): DestinationType | undefined
}

/** Throws if two sources or two destinations share a name. */
export function createRegistry({ sources, destinations }: Pick<Registry, TypeList>): Registry {
  refuseDuplicates(sources)
  refuseDuplicates(destinations)
  return {
    sources,
    destinations,
    source: (name) => findByName(sources, name),
    destination: (name) => findByName(destinations, name),
  }
}

// The only file that names all connectors.
export const serviceConnectors = createRegistry({
  sources: [wiki, sample],
  destinations: [searchindex, postgres],
})

/** For the command line: self-managed clusters and the file system too. */
export const localConnectors = createRegistry({
  sources: [commandLineWiki],
  destinations: [selfManagedSearchindex, postgres, folder],
})

/** The same types, but samples are neither offered nor opened. */
export function withoutSamples({ sources, destinations }: Registry): Registry {
  const off = 'it is switched off on this service'
  const open = async () => {
    throw new AppError('egress_refused', `opening the sample: ${off}`, {
      fix: 'The service operator can switch it on with MILLRACE_SAMPLE_WIKI=on',
    })
  }
  const closing = { sample: async () => null, refuse: () => [{ field: 'url', msg: off }], open }
  const closed = sources.map((type) => (type.sample ? { ...type, ...closing } : type))
  return createRegistry({ sources: closed, destinations })
}

type TypeList = 'sources' | 'destinations'

function findByName<T extends SourceType | DestinationType>(
  types: readonly T[],
  name: string,
): T | undefined {
  return types.find((connector) => connector.type === name || connector.aliases.includes(name))
}

function refuseDuplicates(types: readonly (SourceType | DestinationType)[]): void {
  const names = types.flatMap(({ type, aliases }) => [type, ...aliases])
  const duplicate = names.find((name, at) => names.indexOf(name) !== at)
  if (duplicate) throw new TypeError(`two connector types are called ${JSON.stringify(duplicate)}`)
}
