import { createHash } from 'node:crypto'
import type { DestinationType, SourceType } from './connector.ts'
import type { Config } from './describe.ts'

export type Chosen<T> = { type: T; config: Config }

/** Ledgers and state files belong to this hash. */
export function targetHash(source: Chosen<SourceType>, destination: Chosen<DestinationType>): string {
  const entries = [...hashed(source), ...hashed(destination)]
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex')
}

/** Type and identity are unambiguous; older types keep their form. */
function hashed({ type, config }: Chosen<SourceType | DestinationType>): readonly unknown[] {
  // The schema checked it; the registry knows only `never`.
  const identity = type.identity(config as never)
  return typeof identity === 'string' ? [[type.type, identity]] : identity.hashedAs
}
