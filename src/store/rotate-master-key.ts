import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { AppError } from '../errors.ts'
import type { Database } from './database.ts'
import { hasDerivedKeys, makeOnlyKey, otherHolders, readKeys, registerKey } from './master-keys.ts'
import {
  createVault,
  type DerivedKeys,
  deriveFrom,
  KEY_BYTES,
  type MasterKey,
  sealPrefix,
  type Vault,
} from './vault.ts'

/** A column of sealed values, in a table with `id` and `workspace_id`. */
type SealedColumn = {
  table: 'connectors' | 'api_keys' | 'notification_channels'
  column: string
  bind(row: { id: string; workspace_id: string }): string
}

type Rotation = {
  keys: MasterKey[]
  columns: SealedColumn[]
  /** Also replaces what sessions, cursors and sandbox passwords depend on. */
  renewSecrets: boolean
  report(line: string): void
}

export type RotationResult = { current: string; unused: string[]; unreadable: string[] }

const BATCH = 100
/** Rounds over all columns; one is enough unless values change meanwhile. */
const ROUNDS = 20

/** Seals every value with the first key. Each value is replaced separately, so it can stop and start at any time. */
export async function rotateMasterKey(db: Database, rotation: Rotation): Promise<RotationResult> {
  const { keys, columns, report } = rotation
  const { current, vault, named } = await db.transaction().execute(async (transaction) => {
    const { named, derived } = await readKeys(transaction, keys)
    const [first] = named
    if (!first?.id) throw noNewKey()
    const current = { ...first, id: first.id }
    await refuseOthers(transaction, current)
    await registerKey(transaction, current)
    return { current, named, vault: createVault(named, derived) }
  })
  const unreadable = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    unreadable.clear()
    for (const column of columns) await sealColumn(db, { column, current, vault, unreadable, report })
    if (await end(db, { current, unreadable, ...rotation })) {
      const others = named.slice(1).map(({ id }) => id ?? 'without an id')
      return { current: current.id, unused: others, unreadable: [...unreadable] }
    }
  }
  throw new AppError('internal', 'values kept changing while they were sealed again', {
    fix: 'Run the command again',
  })
}

type SealStep = {
  column: SealedColumn
  current: MasterKey
  vault: Vault
  unreadable: Set<string>
  report(line: string): void
}

async function sealColumn(db: Database, { column, current, vault, unreadable, report }: SealStep) {
  const { table, column: name, bind } = column
  const total = await countOthers(db, column, current)
  if (total === 0) return
  let done = 0
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await sql<{ id: string; workspace_id: string; sealed: Buffer }>`
      select id, workspace_id, ${sql.id(name)} as sealed from ${sql.table(table)}
      where id > ${after}::uuid and ${isOther(column, current)} order by id limit ${BATCH}
    `.execute(db)
    for (const row of rows) {
      const next = sealAgain(vault, row.sealed, bind(row))
      if (!next) unreadable.add(placeOf(column, row))
      // A value that changed meanwhile is left to the next round.
      else
        await sql`
          update ${sql.table(table)} set ${sql.id(name)} = ${next}
          where id = ${row.id}::uuid and ${sql.id(name)} = ${row.sealed}
        `.execute(db)
    }
    done += rows.length
    if (rows.length > 0) report(`${table}.${name}: ${done} of ${Math.max(done, total)} values`)
    if (rows.length < BATCH) return
    after = rows.at(-1)?.id ?? after
  }
}

function sealAgain(vault: Vault, sealed: Buffer, binding: string): Buffer | null {
  try {
    return vault.seal(vault.open(sealed, binding), binding)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

type Ending = Rotation & { current: MasterKey; unreadable: Set<string> }

/** False if values appeared that another key has sealed. */
async function end(
  db: Database,
  { keys, columns, current, unreadable, renewSecrets }: Ending,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    // Waits for starting processes, and makes later ones wait.
    const { derived } = await readKeys(transaction, keys)
    await refuseOthers(transaction, current)
    // First: waits for a row that is being restored, which the check then finds.
    await sql`delete from deleted_rows`.execute(transaction)
    for (const column of columns)
      if (!(await placesOfOthers(transaction, column, current)).every((place) => unreadable.has(place)))
        return false
    const kept = (await hasDerivedKeys(transaction)) ? derived : await fixed(transaction, derived)
    const base = randomBytes(KEY_BYTES)
    await makeOnlyKey(transaction, current, renewSecrets ? { ...kept, base, secrets: {} } : kept)
    return true
  })
}

/** So far they followed from the old master key, which must not be stored. */
async function fixed(transaction: Database, { lookup, base: key }: DerivedKeys): Promise<DerivedKeys> {
  const workspaces = await transaction.selectFrom('workspaces').select('id').execute()
  const purposes = ['sessions', 'search cursors', ...workspaces.map(({ id }) => `sandbox:${id}`)]
  return { lookup, base: randomBytes(KEY_BYTES), secrets: deriveFrom({ id: null, key }, purposes).secrets }
}

async function placesOfOthers(db: Database, column: SealedColumn, current: MasterKey): Promise<string[]> {
  const { rows } = await sql<{ id: string; workspace_id: string }>`
    select id, workspace_id from ${sql.table(column.table)} where ${isOther(column, current)}
  `.execute(db)
  return rows.map((row) => placeOf(column, row))
}

/** Names a value that no key opens. */
function placeOf({ table, column }: SealedColumn, { id }: { id: string }): string {
  return `${table}.${column} of ${id}`
}

async function countOthers(db: Database, column: SealedColumn, current: MasterKey): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) from ${sql.table(column.table)} where ${isOther(column, current)}
  `.execute(db)
  return Number(rows[0]?.count)
}

function isOther({ column }: SealedColumn, current: MasterKey) {
  const prefix = sealPrefix(current)
  return sql`substring(${sql.id(column)} from 1 for ${sql.lit(prefix.length)}) <> ${prefix}`
}

async function refuseOthers(db: Database, current: MasterKey): Promise<void> {
  const others = await otherHolders(db, current)
  if (others.length === 0) return
  throw new AppError(
    'not_possible',
    `these processes still seal with another master key: ${others.join(', ')}`,
    {
      fix: `Restart them with the key "${current.id}" first in MILLRACE_MASTER_KEY. A process that was killed counts for a minute`,
    },
  )
}

function noNewKey(): AppError {
  return new AppError('not_possible', 'the first master key has no id', {
    fix: 'List a new key first, such as MILLRACE_MASTER_KEY=2027:NEW,OLD, and restart all processes',
  })
}
