import type { TableName } from './config.ts'
import type { Run } from './connection.ts'

type FoundColumn = {
  name: string
  type: string
  isRequired: boolean
  hasDefault: boolean
  /** Its expression as PostgreSQL prints it, or null. */
  generated: string | null
}
type Privilege = 'select' | 'insert' | 'update' | 'delete'

/** `kind` is `pg_class.relkind`. */
export type DescribedTable = {
  kind: string
  isOwner: boolean
  privileges: Record<Privilege, boolean>
  /** Row-level security applies, and no policy gives the account all rows: a hidden row would not be removed. */
  isHidden: boolean
  columns: Map<string, FoundColumn>
  /** Definitions of valid indexes. */
  indexes: string[]
  hasKey: boolean
  /** Definitions of check constraints. */
  checks: string[]
  /** Partitions and tables that inherit from it, whose permissions are computed differently. */
  differentParts: string[]
}

/** `vectorType` is the quoted type of pgvector; `mayCreateVector` that the server offers it. */
export type FoundDatabase = {
  encoding: string
  isStandby: boolean
  isReadOnly: boolean
  schema: { mayUse: boolean; mayCreate: boolean } | null
  vectorType: string | null
  mayCreateVector: boolean
  table: DescribedTable | null
}

/** Reads the catalogues alone, which every account may. */
export async function describeDatabase(run: Run, name: TableName): Promise<FoundDatabase> {
  const [server] = await run<ServerRow>({ text: SERVER, values: [name.schema] })
  const [table] = await run<TableRow>({ text: TABLE, values: [name.schema, name.table] })
  const { mayUse, mayCreate, ...found } = server!
  const schema = mayUse === null ? null : { mayUse, mayCreate: mayCreate === true }
  return { ...found, schema, table: table ? await describeTable(run, table) : null }
}

type ServerRow = Omit<FoundDatabase, 'schema' | 'table'> & {
  mayUse: boolean | null
  mayCreate: boolean | null
}

const SERVER = `
  select current_setting('server_encoding') as encoding,
    pg_is_in_recovery() as "isStandby",
    current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
    has_schema_privilege(n.oid, 'usage') as "mayUse",
    has_schema_privilege(n.oid, 'create') as "mayCreate",
    (select quote_ident(vn.nspname) || '.vector'
      from pg_extension e join pg_namespace vn on vn.oid = e.extnamespace where e.extname = 'vector'
        and has_schema_privilege(vn.oid, 'usage')) as "vectorType",
    exists (select from pg_available_extensions where name = 'vector')
      and has_database_privilege(current_database(), 'create') as "mayCreateVector"
  from (select) as one left join pg_namespace n on n.nspname = $1`

type TableRow = Pick<DescribedTable, 'kind' | 'isOwner' | 'privileges' | 'isHidden'> & { oid: number }

const TABLE = `
  with policy as (
    select polrelid, polpermissive, polcmd,
      coalesce(pg_get_expr(polqual, polrelid), 'true') = 'true'
        and coalesce(pg_get_expr(polwithcheck, polrelid), 'true') = 'true' as shows_all
    from pg_policy
    where exists (select from unnest(polroles) as role where role = 0 or pg_has_role(role, 'usage')))
  select c.oid, c.relkind as kind, pg_has_role(c.relowner, 'usage') as "isOwner",
    json_build_object(
      'select', has_table_privilege(c.oid, 'select'), 'insert', has_table_privilege(c.oid, 'insert'),
      'update', has_table_privilege(c.oid, 'update'), 'delete', has_table_privilege(c.oid, 'delete')) as privileges,
    row_security_active(c.oid) and exists (
      select from unnest('{r,a,w,d}'::"char"[]) as command
      where not exists (
        select from policy where polrelid = c.oid and polpermissive and polcmd in ('*', command) and shows_all)
      or exists (select from policy where polrelid = c.oid and not polpermissive and not shows_all)
    ) as "isHidden"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = $2`

type DetailRow = Omit<DescribedTable, keyof TableRow | 'columns'> & { columns: FoundColumn[] }

const DETAILS = `
  with recursive part as (
    select inhrelid as oid from pg_inherits where inhparent = $1
    union select inhrelid from pg_inherits join part on part.oid = inhparent),
  access as (
    select a.attrelid, pg_get_expr(d.adbin, d.adrelid) as printed
    from pg_attribute a join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attname = 'access' and a.attgenerated <> '')
  select
    array(select c.relname::text from part join pg_class c on c.oid = part.oid
      where (select printed from access where attrelid = part.oid)
        is distinct from (select printed from access where attrelid = $1)) as "differentParts",
    (select coalesce(json_agg(json_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'isRequired', a.attnotnull,
        'hasDefault', a.atthasdef or a.attidentity <> '',
        'generated', case when a.attgenerated <> '' then pg_get_expr(d.adbin, d.adrelid) end)), '[]')
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped) as columns,
    array(select pg_get_indexdef(indexrelid) from pg_index where indrelid = $1 and indisvalid) as indexes,
    array(select pg_get_constraintdef(oid) from pg_constraint where conrelid = $1 and contype = 'c') as checks,
    exists (select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where i.indrelid = $1 and i.indisunique and i.indisvalid and i.indimmediate and i.indnkeyatts = 1
        and i.indpred is null and a.attname = 'id') as "hasKey"`

async function describeTable(run: Run, { oid, ...row }: TableRow): Promise<DescribedTable> {
  const [details] = await run<DetailRow>({ text: DETAILS, values: [oid] })
  const { columns, ...rest } = details!
  return { ...row, ...rest, columns: new Map(columns.map((column) => [column.name, column])) }
}
