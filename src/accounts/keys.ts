import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { AppError } from '../errors.ts'
import type { Vault } from '../secrets.ts'
import type { Database } from '../store/database.ts'
import { ensureFirstWorkspace, findKey, rememberKeyCheck, touchKey } from '../store/workspaces.ts'

/** Who is calling: a key acts as a developer of its one workspace. */
export type Caller = { keyId: string; workspaceId: string }

/** What became of the set-up key: `ready` to be used, `ignored` beside others, or `none` given and none there. */
export type SetUp = 'ready' | 'ignored' | 'none'

/**
 * The first workspace, and for unattended set-ups its key, made once on a database without keys. The key is kept
 * twice: sealed, so that it can be shown again, and as an HMAC, so that it can be found without opening anything.
 */
export async function setUp(db: Database, vault: Vault, apiKey: string | null): Promise<SetUp> {
  await proveMasterKey(db, vault)
  const keyId = randomUUID()
  const keyFor = (value: string) => (workspaceId: string) => ({
    id: keyId,
    workspaceId,
    name: 'set-up key',
    sealed: vault.seal(value, `api-key:${workspaceId}:${keyId}`),
    lookup: vault.lookup(value),
    lastFour: value.slice(-4),
  })
  const { hasKeys, madeKey } = await ensureFirstWorkspace(
    db,
    'First workspace',
    apiKey ? keyFor(apiKey) : null,
  )
  if (!hasKeys) return 'none'
  if (!apiKey || madeKey) return 'ready'
  return (await findKey(db, vault.lookup(apiKey))) ? 'ready' : 'ignored'
}

/** Two machines with a key each, or a lost key file, are found at start and not by the first job that fails. */
async function proveMasterKey(db: Database, vault: Vault): Promise<void> {
  const check = vault.lookup('the master key of this installation')
  if ((await rememberKeyCheck(db, check)) === check) return
  throw new AppError('secret_unreadable', 'the master key is not the one this database was set up with', {
    fix: 'Set MILLRACE_MASTER_KEY to that one, or put its key file back into the data directory',
  })
}

export interface Keys {
  /** Undefined for a key that does not exist, is disabled or was deleted. */
  caller(key: string): Promise<Caller | undefined>
  /** Whether it has worked before in this process; it may have been disabled since. */
  isFamiliar(key: string): boolean
}

// A disabled key stops working within this time in every process; until then a look-up saves one query a request.
const REMEMBERED_MS = 5_000
const TOUCH_EVERY_MS = 60_000

export function keys(db: Database, vault: Vault): Keys {
  const known = new LRUCache<string, Caller>({ max: 10_000, ttl: REMEMBERED_MS })
  const familiar = new LRUCache<string, true>({ max: 10_000 })
  const touched = new LRUCache<string, true>({ max: 10_000, ttl: TOUCH_EVERY_MS })
  return {
    async caller(key) {
      const lookup = vault.lookup(key)
      const remembered = known.get(lookup)
      if (remembered) return remembered
      const row = await findKey(db, lookup)
      if (!row) return undefined
      const caller = { keyId: row.id, workspaceId: row.workspace_id }
      known.set(lookup, caller)
      familiar.set(lookup, true)
      if (!touched.has(row.id)) {
        touched.set(row.id, true)
        await touchKey(db, row.id)
      }
      return caller
    },
    isFamiliar: (key) => familiar.has(vault.lookup(key)),
  }
}
