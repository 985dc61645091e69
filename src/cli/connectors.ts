import type { Registry } from '../connectors/registry.ts'
import type { DestinationType, SourceType } from '../connectors/type.ts'
import { AppError } from '../errors.ts'
import { nearest } from '../nearest.ts'

export function sourceType(registry: Registry, name: string): SourceType {
  return registry.source(name) ?? unknown('source', name, registry.sources)
}

export function destinationType(registry: Registry, name: string): DestinationType {
  return registry.destination(name) ?? unknown('destination', name, registry.destinations)
}

function unknown(kind: string, name: string, types: readonly { type: string; aliases: string[] }[]): never {
  const known = types.flatMap(({ type, aliases }) => [type, ...aliases])
  const near = nearest(name, known)
  throw new AppError('invalid_request', `there is no ${kind} of type ${JSON.stringify(name)}`, {
    fix: near ? `Did you mean ${near}?` : `The types are ${known.join(', ')}`,
  })
}
