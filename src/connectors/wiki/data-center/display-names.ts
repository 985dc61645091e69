import { LRUCache } from 'lru-cache'
import type { Account } from '../access/accounts.ts'

const MAX_NAMES = 20_000

/** Display names by user key, from the members of groups that the listing reads anyway. */
export type DisplayNames = { add(accounts: Account[]): void; of(key: string): string | undefined }

export function createDisplayNames(): DisplayNames {
  const names = new LRUCache<string, string>({ max: MAX_NAMES })
  return {
    add: (accounts) => {
      for (const { id, name } of accounts) if (name) names.set(id, name)
    },
    of: (key) => names.get(key),
  }
}
