import { randomBytes, randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { AppError } from '../errors.ts'
import { findKey, type NewKey, readSealedKey, touchKey } from '../store/accounts/keys.ts'
import { ensureFirstWorkspace, storeKeyCheck } from '../store/accounts/workspaces.ts'
import type { Database } from '../store/database.ts'
import type { Vault } from '../store/vault.ts'
import { type Caller, KEY_ROLE } from './roles.ts'

/** The set-up key is `ready`, `ignored` because other keys exist, or absent. */
export type SetUpKeyState = 'ready' | 'ignored' | 'none'

/** Creates the first workspace and, for unattended set-ups, its key. */
export async function setUp(db: Database, vault: Vault, apiKey: string | null): Promise<SetUpKeyState> {
  await verifyMasterKey(db, vault)
  const keyFor = (value: string) => (workspaceId: string) =>
    newKey(vault, { value, workspaceId, name: 'set-up key', createdBy: null })
  const { hasKeys, madeKey } = await ensureFirstWorkspace(
    db,
    'First workspace',
    apiKey ? keyFor(apiKey) : null,
  )
  if (!hasKeys) return 'none'
  if (!apiKey || madeKey) return 'ready'
  return (await findKey(db, vault.lookup(apiKey))) ? 'ready' : 'ignored'
}

/** Detects a wrong or lost master key at start, before a job fails. */
async function verifyMasterKey(db: Database, vault: Vault): Promise<void> {
  const check = vault.lookup('the master key of this installation')
  if ((await storeKeyCheck(db, check)) === check) return
  throw new AppError('secret_unreadable', 'the master key is not the one this database was set up with', {
    fix: 'Set MILLRACE_MASTER_KEY to that one, or put its key file back into the data directory',
  })
}

/** The prefix lets secret scanners recognise a key. */
export function newKeyValue(): string {
  return `mlr_${randomBytes(32).toString('base64url')}`
}

/** Sealed to be shown again, and as an HMAC for lookup. */
export function newKey(
  vault: Vault,
  key: { value: string; workspaceId: string; name: string; createdBy: string | null },
): NewKey {
  const { value, workspaceId, name, createdBy } = key
  const id = randomUUID()
  return {
    id,
    workspaceId,
    name,
    createdBy,
    sealed: vault.seal(value, bindingOf(workspaceId, id)),
    lookup: vault.lookup(value),
    lastFour: value.slice(-4),
  }
}

/** The value of a stored key; undefined if deleted. */
export async function revealKey(
  db: Database,
  vault: Vault,
  key: { id: string; workspace_id: string },
): Promise<string | undefined> {
  const sealed = await readSealedKey(db, key.id)
  return sealed && vault.open(sealed, bindingOf(key.workspace_id, key.id))
}

function bindingOf(workspaceId: string, keyId: string): string {
  return `api-key:${workspaceId}:${keyId}`
}

export interface Keys {
  /** Undefined for a key that is unknown, disabled or deleted. */
  caller(key: string): Promise<Caller | undefined>
  /** Whether the key worked before in this process, even if disabled since. */
  hasWorked(key: string): boolean
  /** Drops a disabled or deleted key from the cache. */
  forget(id: string): void
}

// A disabled key works this long at most.
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
      const caller: Caller = {
        kind: 'key',
        id: row.id,
        actor: `key:${row.id}`,
        workspaceId: row.workspace_id,
        role: KEY_ROLE,
      }
      known.set(lookup, caller)
      familiar.set(lookup, true)
      if (!touched.has(row.id)) {
        touched.set(row.id, true)
        await touchKey(db, row.id)
      }
      return caller
    },
    hasWorked: (key) => familiar.has(vault.lookup(key)),
    forget(id) {
      for (const [lookup, caller] of known.entries()) if (caller.id === id) known.delete(lookup)
    },
  }
}
