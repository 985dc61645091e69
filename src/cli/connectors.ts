import type { DestinationType, SourceType } from '../connectors/connector.ts'
import {
  findDestinationType,
  findSourceType,
  localDestinationTypes,
  sourceTypes,
} from '../connectors/registry.ts'
import { AppError } from '../errors.ts'
import { nearest } from '../nearest.ts'

export const sources: readonly SourceType[] = sourceTypes
export const destinations: readonly DestinationType[] = localDestinationTypes

export function sourceType(name: string): SourceType {
  return findSourceType(name) ?? unknown('source', name, sources)
}

export function destinationType(name: string): DestinationType {
  return findDestinationType(name, destinations) ?? unknown('destination', name, destinations)
}

function unknown(kind: string, name: string, types: readonly { type: string; aliases: string[] }[]): never {
  const known = types.flatMap(({ type, aliases }) => [type, ...aliases])
  const near = nearest(name, known)
  throw new AppError('invalid_request', `there is no ${kind} of type ${JSON.stringify(name)}`, {
    fix: near ? `Did you mean ${near}?` : `The types are ${known.join(', ')}`,
  })
}
