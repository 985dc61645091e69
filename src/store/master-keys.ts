import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { AppError } from '../errors.ts'
import type { Database } from './database.ts'
import { sealedColumns } from './sealed-columns.ts'
import {
  checkOf,
  createVault,
  type DerivedKeys,
  deriveFrom,
  type MasterKey,
  sealPrefix,
  type Vault,
} from './vault.ts'

const DERIVED_BINDING = 'installation:derived-keys'

type OpenVault = { vault: Vault; holder: KeyHolder }

/** Checks the keys against the database, so that a wrong or missing one shows at start and not in a job. */
export async function openVault(
  db: Database,
  { keys, process }: { keys: MasterKey[]; process: string },
): Promise<OpenVault> {
  let renewedAt = Date.now()
  const { vault, current, id } = await db.transaction().execute(async (transaction) => {
    const [first] = keys
    if (!first) throw new RangeError('a vault needs a master key')
    await transaction
      .insertInto('installation')
      .values({ key_check: checkOf(first) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const { named, derived } = await readKeys(transaction, keys)
    const current = named[0] ?? first
    if (current.id !== null) await registerKey(transaction, { ...current, id: current.id })
    const id = randomUUID()
    // In the same transaction: a rotation must not end without noticing this process.
    await recordHolder(transaction, { id, process, current })
    return { vault: createVault(named, derived), current, id }
  })
  let isReplaced = false
  return {
    vault: {
      ...vault,
      seal(plaintext, bind) {
        if (isReplaced) throw replacedKey()
        // The wall clock goes on while a machine is suspended; the monotonic one may not.
        if (Date.now() - renewedAt > SEAL_SECONDS * 1000) throw unconfirmedKey()
        return vault.seal(plaintext, bind)
      },
    },
    holder: {
      async renew() {
        const startedAt = Date.now()
        isReplaced = !(await renewHolder(db, { id, process, current }))
        if (!isReplaced) renewedAt = startedAt
        return !isReplaced
      },
      async leave() {
        await db.deleteFrom('master_key_holders').where('id', '=', id).execute()
      },
    },
  }
}

type KnownKeys = {
  /** A listed key without an id has the one under which the database knows it. */
  named: MasterKey[]
  derived: DerivedKeys
}

/** The lock keeps a rotation from ending while a process starts, and two starts from changing the list at once. */
export async function readKeys(transaction: Database, keys: MasterKey[]): Promise<KnownKeys> {
  const installation = await transaction
    .selectFrom('installation')
    .select(['key_check', 'derived_keys'])
    .forUpdate()
    .executeTakeFirst()
  if (!installation) throw wrongKey('this database was never set up')
  const registered = await transaction.selectFrom('master_keys').select(['id', 'key_check']).execute()
  const { origin, named, unlisted } = matchKeys(keys, { key_check: installation.key_check, registered })
  for (const key of unlisted) await forgetUnused(transaction, key, named)
  const { derived_keys: sealed } = installation
  const derived = sealed ? parseDerived(createVault(named).open(sealed, DERIVED_BINDING)) : deriveFrom(origin)
  return { named, derived }
}

/** What an installation stores about its keys. */
export type KeyChecks = { key_check: string; registered: { id: string; key_check: string }[] }

/** Fails unless the listed keys open everything that the installation has sealed. */
export function requireKeys(keys: MasterKey[], checks: KeyChecks): void {
  const { named, unlisted } = matchKeys(keys, checks)
  for (const key of unlisted) throw missingKey(named, key)
}

/** The listed key that the installation was set up with or last rotated to, with the id the database knows. */
export function installationKey(keys: MasterKey[], checks: KeyChecks): MasterKey {
  const { origin, named } = matchKeys(keys, checks)
  return named[keys.indexOf(origin)] ?? origin
}

type Matched = { origin: MasterKey; named: MasterKey[]; unlisted: RegisteredKey[] }

function matchKeys(keys: MasterKey[], { key_check: first, registered }: KeyChecks): Matched {
  const origin = keys.find((key) => checkOf(key) === first)
  if (!origin) throw wrongKey('the master key is not the one this database was set up with')
  const named = keys.map((key) => {
    const known = registered.find(({ key_check: check }) => check === checkOf(key))
    return key.id === null && known ? { ...key, id: known.id } : key
  })
  const unlisted = registered
    .map(({ id, key_check: check }) => ({ id, check }))
    .filter((key) => !isListed(named, key))
  return { origin, named, unlisted }
}

type RegisteredKey = { id: string; check: string }

/** A mistaken key that sealed nothing must not keep processes from starting without it. */
async function forgetUnused(transaction: Database, key: RegisteredKey, listed: MasterKey[]): Promise<void> {
  // First: a process that ends after this has stored its values before the next query.
  const holders = await liveHolders(transaction, sql`key_check = ${key.check}`)
  if (await hasSealed(transaction, key.id)) throw missingKey(listed, key)
  if (holders.length > 0) throw heldKey(key, holders)
  await transaction.deleteFrom('master_keys').where('id', '=', key.id).execute()
}

async function hasSealed(db: Database, id: string): Promise<boolean> {
  const prefix = sealPrefix({ id })
  const columns = [...sealedColumns, { table: 'installation', column: 'derived_keys' }]
  const tests = columns.map(
    ({ table, column }) => sql`exists (
      select from ${sql.table(table)}
      where substring(${sql.id(column)} from 1 for ${sql.lit(prefix.length)}) = ${prefix}
    )`,
  )
  const { rows } = await sql<{ found: boolean }>`select ${sql.join(tests, sql` or `)} as found`.execute(db)
  return rows[0]?.found !== false
}

/** Makes the current key the only one that a process needs. */
export async function makeOnlyKey(
  transaction: Database,
  current: MasterKey,
  derived: DerivedKeys,
): Promise<void> {
  const { lookup, base, secrets } = derived
  const text = JSON.stringify({ lookup: lookup.toString('base64'), base: base.toString('base64'), secrets })
  const sealed = createVault([current], derived).seal(text, DERIVED_BINDING)
  await transaction
    .updateTable('installation')
    .set({ key_check: checkOf(current), derived_keys: sealed })
    .execute()
  await transaction
    .deleteFrom('master_keys')
    .where('id', '!=', current.id ?? '')
    .execute()
}

export async function registerKey(db: Database, key: MasterKey & { id: string }): Promise<void> {
  await db
    .insertInto('master_keys')
    .values({ id: key.id, key_check: checkOf(key) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { key_check: check } = await db
    .selectFrom('master_keys')
    .select('key_check')
    .where('id', '=', key.id)
    .executeTakeFirstOrThrow()
  if (!isListed([key], { id: key.id, check })) throw missingKey([key], { id: key.id, check })
}

export async function hasDerivedKeys(db: Database): Promise<boolean> {
  const row = await db.selectFrom('installation').select('derived_keys').executeTakeFirst()
  return Boolean(row?.derived_keys)
}

/** A process that died counts as running for this long. */
export const HOLDER_SECONDS = 60

/** Without a renewal for this long a process stops sealing; the rest is time to store what it sealed. */
const SEAL_SECONDS = HOLDER_SECONDS - 10

/** Tells rotations which key this process seals with. */
type KeyHolder = {
  /** False if a rotation replaced the key: the process must end. */
  renew(): Promise<boolean>
  leave(): Promise<void>
}

type Holder = { id: string; process: string; current: MasterKey }

async function renewHolder(db: Database, holder: Holder): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    // Waits for a rotation that is ending, so that the next query sees its result.
    await transaction.selectFrom('installation').select('key_check').forShare().execute()
    if (!(await isStillUsed(transaction, holder.current))) return false
    await recordHolder(transaction, holder)
    return true
  })
}

async function isStillUsed(db: Database, current: MasterKey): Promise<boolean> {
  const check = checkOf(current)
  const { rows } = await sql<{ used: boolean }>`
    select exists (
      select from master_keys where key_check = ${check} and id = coalesce(${current.id}::text, id)
    ) or exists (
      select from installation where key_check = ${check} and ${current.id}::text is null
    ) as used
  `.execute(db)
  return rows[0]?.used === true
}

async function recordHolder(db: Database, { id, process, current }: Holder): Promise<void> {
  await sql`
    insert into master_key_holders (id, process, key_check) values (${id}::uuid, ${process}, ${checkOf(current)})
    on conflict (id) do update set seen_at = now()
  `.execute(db)
  await sql`delete from master_key_holders where seen_at < now() - interval '1 day'`.execute(db)
}

/** Running processes that seal with another key. */
export function otherHolders(db: Database, current: MasterKey): Promise<string[]> {
  return liveHolders(db, sql`key_check <> ${checkOf(current)}`)
}

async function liveHolders(db: Database, condition: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ process: string }>`
    select process from master_key_holders
    where ${condition} and seen_at > now() - make_interval(secs => ${HOLDER_SECONDS})
    order by process
  `.execute(db)
  return rows.map(({ process }) => process)
}

function isListed(keys: MasterKey[], { id, check }: RegisteredKey): boolean {
  return keys.some((key) => key.id === id && checkOf(key) === check)
}

function missingKey(keys: MasterKey[], { id }: RegisteredKey): AppError {
  const problem = keys.some((key) => key.id === id)
    ? `the master key "${id}" is not the one that has sealed values in this database`
    : `this database has values sealed with the master key "${id}", which is not listed`
  return new AppError('secret_unreadable', problem, {
    fix: `Add ${id}:KEY to MILLRACE_MASTER_KEY, or to the key file in the data directory`,
  })
}

function heldKey({ id }: RegisteredKey, holders: string[]): AppError {
  const problem = `a running process seals with a master key "${id}" that is not listed: ${holders.join(', ')}`
  return new AppError('secret_unreadable', problem, {
    fix: `Stop it, or add ${id}:KEY to MILLRACE_MASTER_KEY or to the key file. A process that was killed counts for a minute`,
  })
}

export function replacedKey(): AppError {
  return new AppError('secret_unreadable', 'the master key of this process is no longer used', {
    fix: 'Restart it with the current keys in MILLRACE_MASTER_KEY or in the key file',
  })
}

function unconfirmedKey(): AppError {
  const problem = `the database has not confirmed the master key of this process for ${SEAL_SECONDS} s`
  return new AppError('internal', problem, { fix: 'Try again in a while', retryAfterSeconds: 10 })
}

function wrongKey(problem: string): AppError {
  return new AppError('secret_unreadable', problem, {
    fix: 'Set MILLRACE_MASTER_KEY to that one, or put its key file back into the data directory',
  })
}

function parseDerived(text: string): DerivedKeys {
  // Sealed by makeOnlyKey, so its shape is known.
  const { lookup, base, secrets } = JSON.parse(text) as Record<'lookup' | 'base', string> & {
    secrets: Record<string, string>
  }
  return { lookup: Buffer.from(lookup, 'base64'), base: Buffer.from(base, 'base64'), secrets }
}
