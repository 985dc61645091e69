import pg from 'pg'
import { elementKey } from '../../src/connectors/kit/stored-element.ts'
import type { Indexed } from './agreement.ts'
import type { TestDestination } from './destination.ts'
import { vectorDatabase } from './pgvector.ts'
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts'

export type TableDestination = TestDestination & {
  table: string
  /** Between Millrace and the table, for network faults. */
  proxy: PostgresProxy
  /** As a superuser. */
  query<T extends object>(statement: string, values?: unknown[]): Promise<T[]>
}

type Row = Omit<Indexed['_source'], 'embeddings' | 'metadata'> & {
  id: string
  version: string
  metadata: object
  data_source: Indexed['_source']['metadata']['data_source']
  embeddings?: string | number[] | null
}

/** A table in a new database with pgvector, for a role that owns nothing else. */
export async function tableDestination(options: { isInstalled?: boolean } = {}): Promise<TableDestination> {
  const database = await vectorDatabase(options)
  const proxy = await startPostgresProxy(database.url)
  const pool = new pg.Pool({ connectionString: database.adminUrl, max: 1, allowExitOnIdle: true })
  pool.on('error', () => {})
  const query: TableDestination['query'] = async (statement, values) =>
    (await pool.query(statement, values)).rows
  const close = async () => {
    await proxy.close()
    await pool.end()
    await database.drop()
  }
  return tableOn({ proxy, query }, 'elements', close)
}

/** The destination of a world that has a table. */
export function tableOf({ destination }: { destination: TestDestination }): TableDestination {
  if (!isTable(destination)) throw new Error('the destination is not a table')
  return destination
}

function isTable(destination: TestDestination): destination is TableDestination {
  return destination.type === 'postgres'
}

function tableOn(
  { proxy, query }: Pick<TableDestination, 'proxy' | 'query'>,
  table: string,
  close: () => Promise<void>,
): TableDestination {
  const { hostname, port, username, password, pathname } = new URL(proxy.url)
  return {
    type: 'postgres',
    table,
    proxy,
    query,
    config: {
      ...{ host: hostname, port: Number(port), database: pathname.slice(1), username, password },
      table_name: table,
    },
    host: `${hostname}:${port}`,
    create: async () => {},
    recreate: async () => void (await query(`drop table if exists ${table}`)),
    async contents() {
      const [found] = await query<{ name: string | null }>('select to_regclass($1) as name', [table])
      if (!found?.name) return []
      const rows = await query<Row>(
        `select *, xmin::text as version from ${table} where element_id <> 'millrace_control'
         order by element_id, record_id`,
      )
      return rows.map(asIndexed)
    },
    refresh: async () => {},
    async put(source, id) {
      const { record_id: record = '', element_id: element = '', type = null, text = null } = source
      const { data_source: about = {}, ...metadata } = source.metadata ?? {}
      await query(
        `insert into ${table} (id, record_id, element_id, type, text, metadata, data_source, fence)
         values ($1, $2, $3, $4, $5, $6, $7, 1)
         on conflict (id) do update set (record_id, element_id, type, text, metadata, data_source) =
           (excluded.record_id, excluded.element_id, excluded.type, excluded.text, excluded.metadata,
            excluded.data_source)`,
        [id ?? elementKey(record, element), record, element, type, text, metadata, about],
      )
    },
    delete: async (id) => void (await query(`delete from ${table} where id = $1`, [id])),
    another: (suffix) => tableOn({ proxy, query }, `${table}_${suffix}`, async () => {}),
    close,
  }
}

function asIndexed({ id, version, data_source, metadata, embeddings, ...row }: Row): Indexed {
  const { record_id, element_id, type, text } = row
  // pg reads a vector as text.
  const vector = typeof embeddings === 'string' ? (JSON.parse(embeddings) as number[]) : embeddings
  return {
    _id: id,
    _version: Number(version),
    _source: {
      ...{ record_id, element_id, type, text, metadata: { ...metadata, data_source } },
      ...(vector ? { embeddings: vector } : {}),
    },
  }
}
