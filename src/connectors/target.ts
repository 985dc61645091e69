import { createHash } from 'node:crypto'
import type { DestinationType, SourceType } from './connector.ts'
import type { Config } from './describe.ts'

export type Chosen<T> = { type: T; config: Config }

/** The hash of a target: ledgers and state files belong to it. Secrets in the settings may be masked. */
export function targetHash(source: Chosen<SourceType>, destination: Chosen<DestinationType>): string {
  const entries = [...hashed(source), ...hashed(destination)]
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex')
}

/** A pair of type and identity cannot be mistaken for another; older types are hashed as they were. */
function hashed({ type, config }: Chosen<SourceType | DestinationType>): readonly unknown[] {
  // The schema has checked the settings; the registry's types know no more than `never`.
  const identity = type.identity(config as never)
  return typeof identity === 'string' ? [[type.type, identity]] : identity.hashedAs
}
