import { createHash } from 'node:crypto'
import type { Config } from './describe.ts'
import type { DestinationType, SourceType } from './type.ts'

export type ConfiguredType<T> = { type: T; config: Config }

/** Ledgers and state files belong to this hash. */
export function targetHash(
  source: ConfiguredType<SourceType>,
  destination: ConfiguredType<DestinationType>,
): string {
  const keys = [targetKey(source), targetKey(destination)]
  return createHash('sha256').update(JSON.stringify(keys)).digest('hex')
}

/** Equal for connectors that write to the same target. */
export function targetKey({ type, config }: ConfiguredType<SourceType | DestinationType>): string {
  // The schema checked it; the registry knows only `never`.
  return JSON.stringify([type.type, type.identity(config as never)])
}

/** All addresses of the index that the config leads to, and of `others` in the same system. */
export function indexAddresses(
  { type, config }: ConfiguredType<DestinationType>,
  others: string[] = [],
): string[] {
  const { indexAddresses: addressesOf } = type
  if (!addressesOf) return [targetKey({ type, config })]
  return [undefined, ...others].flatMap((index) => addressesOf(config as never, index))
}

/** What an update of a source changes of those who prove permissions: nothing, the account, or the whole site. */
export function readerChange(
  type: SourceType,
  before: Config,
  after: Config,
): 'site_changed' | 'account_changed' | null {
  const [old, now] = [before, after].map(
    // The schema checked it; the registry knows only `never`.
    (config) => type.readsAs?.(config as never) ?? { site: targetKey({ type, config }), account: null },
  )
  if (old?.site !== now?.site) return 'site_changed'
  return old?.account === now?.account ? null : 'account_changed'
}
