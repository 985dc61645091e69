import { sql } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Database } from '../database.ts'

/** A type as in SQL, such as `timestamp(3) with time zone`. */
type BackupColumn = { name: string; type: string }
export type BackupTable = { schema: string; name: string; columns: BackupColumn[] }

/**
 * The database may hold tables of other programs, so all tables are named here; a test compares them with the schema.
 * Left out: unlogged tables, which a crash empties too, and tables that describe the schema itself.
 */
export const PRODUCT_TABLES = [
  ...['api_keys', 'audit', 'auth_accounts', 'auth_sessions', 'auth_users', 'auth_verifications'],
  ...['connection_checks', 'connectors', 'control_documents', 'document_versions', 'documents', 'fences'],
  ...['identities', 'identity_fills', 'identity_settings', 'installation', 'invitations', 'job_counts'],
  ...['job_documents', 'job_scopes', 'job_stages', 'jobs', 'leases', 'ledger_epoch', 'ledgers'],
  ...['master_key_holders', 'master_keys', 'memberships', 'model_answers', 'model_tokens'],
  ...['notice_conditions', 'notification_channels', 'notification_reads', 'notifications'],
  ...['organisation_members', 'organisations', 'outputs', 'password_resets', 'past_permissions'],
  ...['periodic_tasks', 'permission_sets', 'principal_names', 'removed_elements', 'setup_links'],
  ...['site_pauses', 'source_accounts', 'source_decisions', 'swaps', 'task_turns', 'unlisted_documents'],
  ...['unmatched_claims', 'upload_usage', 'uploads', 'verification_differences', 'verification_scopes'],
  ...['verifications', 'wanted_documents', 'webhook_deliveries', 'workflow_scopes', 'workflows'],
  ...['workspace_members', 'workspaces'],
]
export const QUEUE_SCHEMA = 'pgboss'
export const QUEUE_TABLES = ['job', 'job_dependency', 'queue', 'schedule', 'subscription', 'warning']

const TODAY = [...PRODUCT_TABLES, ...QUEUE_TABLES.map((name) => `${QUEUE_SCHEMA}.${name}`)]

/** The tables of this release, or those of a backup. Each table follows the tables that it references. */
export async function readTables(db: Database, names = TODAY): Promise<BackupTable[]> {
  const { rows: tables } = await sql<BackupTable & { id: string }>`
    select c.oid::text as id, n.nspname as schema, c.relname as name, (
      select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attnum)
      from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
    ) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and (
      (n.nspname = current_schema() and c.relname = any(${names}))
      or (n.nspname = ${QUEUE_SCHEMA} and n.nspname || '.' || c.relname = any(${names})))
    order by n.nspname, c.relname
  `.execute(db)
  if (tables.length < names.length)
    throw new AppError('not_found', 'this database does not hold the tables of this release of Millrace', {
      fix: 'Check DATABASE_URL; if it is right, start the service of this release once',
    })
  return inOrder(tables, await readReferences(db)).map(({ schema, name, columns }) => ({
    schema,
    name,
    columns,
  }))
}

type Reference = { from: string; to: string }

/** A partition has the foreign keys of its table. */
async function readReferences(db: Database): Promise<Reference[]> {
  const { rows } = await sql<Reference>`
    select coalesce(i.inhparent, k.conrelid)::text as from, k.confrelid::text as to
    from pg_constraint k
      left join pg_class c on c.oid = k.conrelid and c.relispartition
      left join pg_inherits i on i.inhrelid = c.oid
    where k.contype = 'f' and k.conrelid <> k.confrelid
  `.execute(db)
  return rows
}

function inOrder<T extends { id: string; name: string }>(tables: T[], references: Reference[]): T[] {
  const waiting = new Map(tables.map((table) => [table.id, table]))
  const ordered: T[] = []
  while (waiting.size > 0) {
    const free = [...waiting.values()].filter(
      ({ id }) => !references.some(({ from, to }) => from === id && waiting.has(to)),
    )
    if (free.length === 0) throw new Error('tables reference each other in a circle')
    for (const table of free) waiting.delete(table.id)
    ordered.push(...free)
  }
  return ordered
}

/** The next value of an identity column. */
export type BackupSequence = { table: string; column: string; next: string }

export async function readSequences(db: Database): Promise<BackupSequence[]> {
  const { rows: found } = await sql<{ table: string; column: string; sequence: string }>`
    select c.relname as table, a.attname as column,
      pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relname = any(${PRODUCT_TABLES})
      and a.attidentity <> '' and not a.attisdropped
    order by 1
  `.execute(db)
  const sequences: BackupSequence[] = []
  for (const { table, column, sequence } of found) {
    const { rows } = await sql<{ next: string }>`
      select (last_value + is_called::int)::text as next from ${sql.raw(sequence)}
    `.execute(db)
    sequences.push({ table, column, next: rows[0]?.next ?? '1' })
  }
  return sequences
}

export async function queueVersion(db: Database): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select version from ${sql.table(`${QUEUE_SCHEMA}.version`)}
  `.execute(db)
  return Number(rows[0]?.version)
}

export function tableName({ schema, name }: Pick<BackupTable, 'schema' | 'name'>): string {
  return schema === QUEUE_SCHEMA ? `${schema}.${name}` : name
}
