import { randomUUID } from 'node:crypto'
import { AppError } from '../../errors.ts'
import { CONTROL_ID } from '../kit/stored-element.ts'
import { tableOf } from './config.ts'
import type { Run, TableClient } from './connection.ts'
import { describeDatabase, type FoundDatabase } from './describe-table.ts'
import { encodingProblem, planTable, readOnlyReason } from './plan-table.ts'
import { createTable, IDENTITY_ID, IDENTITY_RECORD } from './table.ts'
import {
  grantCommand,
  policyCommand,
  sqlStateOf,
  type TableAddress,
  tableMissingError,
  tableReplaced,
} from './translate.ts'
import { addVectors, type VectorColumn, vectorColumn } from './vectors.ts'

/** The table that the rows belong to. `vectorType` is the quoted type of pgvector, or null. */
export type LocatedTable = { identity: string; vectors: VectorColumn | null; vectorType: string | null }

/** All readers wait behind a change of the table, which itself waits for backups and other long transactions. */
const LOCK_MS = 3_000

const TABLE_FIX = 'Use another table name, or change the table'

/** Creates or completes the table, or refuses it before anything is written. */
export function prepareTable(
  client: TableClient,
  dims: number | null,
  signal: AbortSignal,
): Promise<LocatedTable> {
  const { address } = client
  return client.alter(
    'preparing',
    async (run) => {
      const name = tableOf(client.config)
      const database = await describeDatabase(run, name)
      const readOnly = readOnlyReason(database)
      if (readOnly) throw readOnlyError(readOnly, address)
      // Two first jobs may prepare one table.
      await run({
        text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
        values: [`millrace ${address.table}`],
      })
      let found = await describeDatabase(run, name)
      const problems = encodingProblem(found)
      if (problems.length > 0) throw tableMismatch(problems, address)
      if (!found.table) {
        await create(run, found, address)
        found = await describeDatabase(run, name)
      }
      await complete(run, { found, address }, dims)
      return locate(run, { client, identity: randomUUID() })
    },
    signal,
  )
}

async function create(run: Run, { schema }: FoundDatabase, address: TableAddress): Promise<void> {
  if (!schema?.mayUse || !schema.mayCreate)
    throw tableMissingError('preparing', { address, hasSchema: schema !== null })
  await run({ text: createTable(address) })
}

async function complete(
  run: Run,
  { found, address }: { found: FoundDatabase; address: TableAddress },
  dims: number | null,
): Promise<void> {
  const table = found.table
  if (!table) throw tableMissingError('preparing', { address, hasSchema: true })
  const plan = planTable({ found: table, table: address.table }, dims)
  if (plan.problems.length > 0) throw tableMismatch(plan.problems, address)
  const lacking = privilegeError(found, address)
  if (lacking) throw lacking
  await run({ text: `set local lock_timeout = ${LOCK_MS}` })
  for (const text of plan.add) await run({ text })
  if (plan.addVectors !== null) {
    const vectorType = found.vectorType ?? (found.mayCreateVector ? await createVector(run, address) : null)
    await run({ text: addVectors(address.table, plan.addVectors, vectorType) })
  }
  // Indexes only make it faster, so an account that may not create them works too.
  if (table.isOwner) for (const text of plan.improve) await run({ text })
}

/** The extension may need a superuser; then vectors are arrays. */
async function createVector(run: Run, { schema }: TableAddress): Promise<string | null> {
  await run({ text: 'savepoint extension' })
  try {
    await run({ text: `create extension if not exists vector with schema ${schema}` })
    const [row] = await run<{ name: string }>({
      text: "select quote_ident(n.nspname) || '.vector' as name from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'",
    })
    return row?.name ?? null
  } catch (error) {
    if (sqlStateOf(error) === null) throw error
    await run({ text: 'rollback to savepoint extension' })
    return null
  }
}

/** Null if the account may read and write the table. */
export function privilegeError({ schema, table }: FoundDatabase, address: TableAddress): AppError | null {
  if (!table) return null
  const { select, insert, update, delete: remove } = table.privileges
  const held = { 'usage on the schema': schema?.mayUse === true, select, insert, update, delete: remove }
  const lacking = Object.entries(held).flatMap(([name, isHeld]) => (isHeld ? [] : [name]))
  const where = `on table ${address.name} at ${address.server}`
  if (lacking.length > 0) {
    const what = `${address.username} has no ${lacking.join(', ')} ${where}`
    return new AppError('destination_unauthorized', what, { fix: `Run: ${grantCommand(address)}` })
  }
  if (!table.isHidden) return null
  const what = `row-level security ${where} hides the rows from ${address.username}`
  return new AppError('destination_unauthorized', what, { fix: `Run: ${policyCommand(address)}` })
}

export function tableMismatch(problems: string[], address: TableAddress): AppError {
  const what = `table ${address.name} at ${address.server} does not fit: ${problems.join('; ')}`
  return new AppError('destination_schema', what, { fix: TABLE_FIX })
}

function readOnlyError(why: string, { name, server }: TableAddress): AppError {
  const fix = 'Use the address of the primary server, and check default_transaction_read_only'
  return new AppError('destination_read_only', `preparing table ${name} at ${server}: ${why}`, { fix })
}

/** A copy or a restored dump has the row of the original, but is another table: it may lack rows. */
async function identify(run: Run, { table }: TableAddress, identity: string): Promise<void> {
  await run({
    text: `insert into ${table} (id, record_id, element_id, type, data_source, fence)
      values ($1, $2, $3, $3, '{}', 0) on conflict (id) do nothing`,
    values: [IDENTITY_ID, IDENTITY_RECORD, CONTROL_ID],
  })
  const [server] = await run<{ may_read: boolean }>({
    text: "select has_function_privilege('pg_catalog.pg_control_system()', 'execute') as may_read",
  })
  // Object ids start equal on every new server.
  const system = server?.may_read ? '(select system_identifier from pg_catalog.pg_control_system())' : "''"
  await run({
    text: `update ${table} set data_source = jsonb_build_object('version', $2::text, 'table', here.name)
      from (select concat_ws('/', ${system}, tableoid) as name from ${table} where id = $1) as here
      where id = $1 and data_source->>'table' is distinct from here.name`,
    values: [IDENTITY_ID, identity],
  })
}

type Locating = { client: TableClient; identity?: string }

/** The table as it is now; with `identity`, a table without one gets it. */
export async function locate(run: Run, { client, identity }: Locating): Promise<LocatedTable> {
  const { address, config } = client
  if (identity) await identify(run, address, identity)
  const [row] = await run<{ identity: string | null }>({
    text: `select data_source->>'version' as identity from ${address.table} where id = $1`,
    values: [IDENTITY_ID],
  })
  const { table, vectorType } = await describeDatabase(run, tableOf(config))
  const vectors = table && vectorColumn(table)
  if (!row?.identity) throw tableReplaced('reading', address)
  if (typeof vectors === 'string') throw tableMismatch([vectors], address)
  return { identity: row.identity, vectors, vectorType }
}
