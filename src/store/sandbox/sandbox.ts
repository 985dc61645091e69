import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Vault } from '../vault.ts'
import { scramVerifier } from './scram.ts'

/** A process opens three; the server allows 100 in total by default. */
const MAX_CONNECTIONS = 12
const STATEMENT_TIMEOUT = '60s'

/** One schema and one role of the same name per workspace. */
export function sandboxName(workspaceId: string): string {
  return `millrace_sandbox_${workspaceId.replaceAll('-', '').toLowerCase()}`
}

export function sandboxPassword(vault: Vault, workspaceId: string): string {
  return vault.secretFor(`sandbox:${workspaceId}`)
}

/** A restored dump may lack the schema. */
export async function hasSandboxTable(
  db: Database,
  { workspaceId, table }: { workspaceId: string; table: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${sandboxName(workspaceId)} and c.relname = ${table}
  `.execute(db)
  return rows.length > 0
}

/** Why this account cannot create a sandbox, with the statement that helps; null if it can. */
export async function sandboxProblem(db: Database): Promise<string | null> {
  const { rows } = await sql<{
    account: string
    database: string
    roles: boolean
    schemas: boolean
    open: string[]
  }>`
    select quote_ident(current_user) as account, quote_ident(current_database()) as database,
      rolsuper or rolcreaterole as roles,
      has_database_privilege(current_database(), 'create') as schemas,
      array(select quote_ident(nspname) from pg_namespace where has_schema_privilege('public', oid, 'create')) as open
    from pg_roles where rolname = current_user
  `.execute(db)
  const [found] = rows
  if (!found) return null
  const { account, database, roles, schemas, open } = found
  const run = (statement: string) => `An administrator of the database can run: ${statement}`
  if (!roles)
    return `The database account ${account} may not create roles. ${run(`alter role ${account} createrole`)}`
  if (!schemas)
    return `The database account ${account} may not create schemas. ${run(`grant create on database ${database} to ${account}`)}`
  if (open[0])
    return `Every database account may create objects in the schema ${open[0]}. ${run(`revoke create on schema ${open[0]} from public`)}`
  return null
}

/** Creates role and schema, or repairs them: a dump has no roles, and a new master key changes the password. */
export async function ensureSandbox(db: Database, vault: Vault, workspaceId: string): Promise<void> {
  const name = sandboxName(workspaceId)
  const verifier = scramVerifier(sandboxPassword(vault, workspaceId))
  await db.transaction().execute(async (transaction) => {
    await lock(transaction, name)
    await ensureRole(transaction, name, verifier)
    await ensureSchema(transaction, name)
  })
}

/** Removes schema and role; a role that owns objects in another database stays. */
export async function dropSandbox(db: Database, workspaceId: string): Promise<void> {
  const name = sandboxName(workspaceId)
  // An open transaction would keep its tables.
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where usename = ${name} and datname = current_database()
  `.execute(db)
  const isThere = await db.transaction().execute(async (transaction) => {
    await lock(transaction, name)
    await sql`drop schema if exists ${sql.id(name)} cascade`.execute(transaction)
    if (!(await hasRole(transaction, name))) return false
    await sql`drop owned by ${sql.id(name)} cascade`.execute(transaction)
    return true
  })
  // To drop a role, even one that is missing, needs a privilege.
  if (!isThere) return
  await sql`drop role if exists ${sql.id(name)}`.execute(db).catch((error: { code?: string }) => {
    if (error.code !== DEPENDENT_OBJECTS) throw error
  })
}

const DEPENDENT_OBJECTS = '2BP01'

/** Two processes that change one role at once would fail. */
async function lock(transaction: Database, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction)
}

async function hasRole(db: Database, name: string): Promise<boolean> {
  const { rows } = await sql`select from pg_roles where rolname = ${name}`.execute(db)
  return rows.length > 0
}

async function ensureRole(transaction: Database, name: string, verifier: string): Promise<void> {
  const role = sql.id(name)
  const verb = sql.raw((await hasRole(transaction, name)) ? 'alter' : 'create')
  const limit = sql.lit(MAX_CONNECTIONS)
  // Only accounts with createdb may alter createdb; a new role has neither that nor createrole.
  await sql`${verb} role ${role} login noinherit connection limit ${limit}
    password ${sql.lit(verifier)}`.execute(transaction)
  await sql`alter role ${role} set search_path = ${role}`.execute(transaction)
  await sql`alter role ${role} set statement_timeout = ${sql.lit(STATEMENT_TIMEOUT)}`.execute(transaction)
  // The service owns nothing in it, but its backups have to read it.
  const { rows } = await sql<{ member: boolean; connects: boolean; database: string }>`
    select pg_has_role(${name}, 'usage') as member, current_database() as database,
      has_database_privilege(${name}, current_database(), 'connect') as connects
  `.execute(transaction)
  const [found] = rows
  if (!found?.member) await sql`grant ${role} to current_user`.execute(transaction)
  if (found && !found.connects)
    await sql`grant connect on database ${sql.id(found.database)} to ${role}`.execute(transaction)
}

/** A restore without the role leaves everything to the account that restored it. */
async function ensureSchema(transaction: Database, name: string): Promise<void> {
  const role = sql.id(name)
  await sql`create schema if not exists ${role} authorization ${role}`.execute(transaction)
  const { rows } = await sql<{ statement: string }>`
    with owner as (select oid from pg_roles where rolname = ${name}),
      place as (select * from pg_namespace where nspname = ${name})
    select format('alter schema %I owner to %I', ${name}::text, ${name}::text) as statement
      from place, owner where nspowner <> owner.oid
    union all
    select format('alter table %s owner to %I', c.oid::regclass, ${name}::text)
      from pg_class c, place, owner
      where c.relnamespace = place.oid and c.relkind in ('r', 'p', 'v', 'm') and c.relowner <> owner.oid
    union all
    select format('alter routine %s owner to %I', p.oid::regprocedure, ${name}::text)
      from pg_proc p, place, owner where p.pronamespace = place.oid and p.proowner <> owner.oid
  `.execute(transaction)
  for (const { statement } of rows) await sql.raw(statement).execute(transaction)
}
