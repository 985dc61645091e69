import { randomBytes, randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  type FoundKey,
  findKey,
  type KeyLimits,
  type NewKey,
  readSealedKey,
  recordKeyUse,
} from '../store/accounts/keys.ts'
import { ensureFirstWorkspace } from '../store/accounts/workspaces.ts'
import type { Database } from '../store/database.ts'
import type { Vault } from '../store/vault.ts'
import { type Caller, FULL_KEY_ROLE } from './roles.ts'

/** The set-up key is `ready`, `ignored` because other keys exist, or absent. */
export type SetUpKeyState = 'ready' | 'ignored' | 'none'

/** Creates the first workspace and, for unattended set-ups, its key. */
export async function setUp(db: Database, vault: Vault, apiKey: string | null): Promise<SetUpKeyState> {
  const keyFor = (value: string) => (workspaceId: string) =>
    newKey(vault, { value, workspaceId, name: 'set-up key', createdBy: null, limits: FULL_KEY })
  const { hasKeys, createdKey } = await ensureFirstWorkspace(
    db,
    'First workspace',
    apiKey ? keyFor(apiKey) : null,
  )
  if (!hasKeys) return 'none'
  if (!apiKey || createdKey) return 'ready'
  return (await findKey(db, vault.lookup(apiKey))) ? 'ready' : 'ignored'
}

/** The prefix lets secret scanners recognise a key. */
export function newKeyValue(): string {
  return `mlr_${randomBytes(32).toString('base64url')}`
}

const FULL_KEY: KeyLimits = {
  role: 'full',
  destinationIds: [],
  mayImpersonate: false,
  expiresAt: null,
  personId: null,
}

type KeyValues = Pick<NewKey, 'workspaceId' | 'name' | 'createdBy' | 'limits'> & { value: string }

/** Sealed to be shown again, and as an HMAC for lookup. A personal token is shown once. */
export function newKey(vault: Vault, key: KeyValues): NewKey {
  const { value, workspaceId, name, createdBy, limits } = key
  const id = randomUUID()
  return {
    id,
    workspaceId,
    name,
    createdBy,
    sealed: limits.personId ? null : vault.seal(value, apiKeyBinding({ workspace_id: workspaceId, id })),
    lookup: vault.lookup(value),
    lastFour: value.slice(-4),
    limits,
  }
}

/** The value of a stored key; undefined if deleted. */
export async function revealKey(
  db: Database,
  vault: Vault,
  key: { id: string; workspace_id: string },
): Promise<string | undefined> {
  const sealed = await readSealedKey(db, key.id)
  return sealed && vault.open(sealed, apiKeyBinding(key))
}

export function apiKeyBinding({ workspace_id, id }: { workspace_id: string; id: string }): string {
  return `api-key:${workspace_id}:${id}`
}

export interface Keys {
  /** Undefined for a key that is unknown, disabled, expired or deleted. */
  caller(key: string): Promise<Caller | undefined>
  /** Whether the key worked before in this process, even if disabled since. */
  hasWorked(key: string): boolean
  /** Drops a disabled or deleted key from the cache. */
  forget(id: string): void
}

// A disabled key works this long at most.
const CACHE_MS = 5_000
const TOUCH_EVERY_MS = 60_000

export function keys(db: Database, vault: Vault): Keys {
  const callers = new LRUCache<string, { caller: Caller; until: number | null }>({
    max: 10_000,
    ttl: CACHE_MS,
  })
  const workedBefore = new LRUCache<string, true>({ max: 10_000 })
  const recentlyTouched = new LRUCache<string, true>({ max: 10_000, ttl: TOUCH_EVERY_MS })
  return {
    async caller(key) {
      const lookup = vault.lookup(key)
      const cached = callers.get(lookup)
      if (cached && (cached.until ?? Number.POSITIVE_INFINITY) > Date.now()) return cached.caller
      const row = await findKey(db, lookup)
      if (!row) return undefined
      const caller: Caller = {
        kind: 'key',
        id: row.id,
        actor: `key:${row.id}`,
        workspaceId: row.workspace_id,
        role: row.scope === 'search' ? 'reader' : FULL_KEY_ROLE,
        ...limitsOf(row),
      }
      callers.set(lookup, { caller, until: row.expires_at?.getTime() ?? null })
      workedBefore.set(lookup, true)
      if (!recentlyTouched.has(row.id)) {
        recentlyTouched.set(row.id, true)
        await recordKeyUse(db, row.id)
      }
      return caller
    },
    hasWorked: (key) => workedBefore.has(vault.lookup(key)),
    forget(id) {
      for (const [lookup, { caller }] of callers.entries()) if (caller.id === id) callers.delete(lookup)
    },
  }
}

function limitsOf(row: FoundKey): Pick<Caller, 'search'> {
  if (row.scope === 'full') return {}
  const { destination_ids: destinationIds, may_impersonate: mayImpersonate, person_id: personId } = row
  return { search: { destinationIds, mayImpersonate, personId } }
}
