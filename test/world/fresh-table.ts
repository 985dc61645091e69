import pg from 'pg'
import { elementKey } from '../../src/connectors/kit/stored-element.ts'
import { type PostgresConfig, postgresConfig, tableOf } from '../../src/connectors/postgres/config.ts'
import { openPostgres, type PostgresTable } from '../../src/connectors/postgres/destination.ts'
import { TABLE_PACE, type TablePace } from '../../src/connectors/postgres/pace.ts'
import { freshDatabase } from './postgres.ts'
import { openEgress, silent } from './search-engine/fresh-index.ts'

export type FreshTable = AsyncDisposable & {
  destination: PostgresTable
  config: PostgresConfig
  /** As the account that owns the database. */
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  /** An element in the form of the index: metadata with data_source. */
  source(recordId: string, elementId: string): Promise<Record<string, unknown> | undefined>
  count(): Promise<number>
}

/** Short waits between attempts. */
export const FAST_PACE: TablePace = { ...TABLE_PACE, attempts: 3, firstMs: 10, maxMs: 20 }

/** A test's own database and a destination on it; `url` is a database with pgvector or behind a proxy. */
export async function freshTable(
  options: { url?: string; settings?: Partial<PostgresConfig>; pace?: TablePace } = {},
): Promise<FreshTable> {
  const database = options.url === undefined ? await freshDatabase() : null
  const url = options.url ?? database?.url ?? ''
  const config = { ...configOf(url), ...options.settings }
  const egress = openEgress()
  const destination = openPostgres(config, { egress, log: silent }, options.pace ?? FAST_PACE)
  const pool = new pg.Pool({ connectionString: database?.url ?? url, max: 2, allowExitOnIdle: true })
  pool.on('error', () => {})
  const sql = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await pool.query(text, values)).rows as Row[]
  const { schema, table } = tableOf(config)
  const name = `"${schema}"."${table}"`
  return {
    destination,
    config,
    sql,
    async source(recordId, elementId) {
      const [row] = await sql<Record<string, unknown>>(`select * from ${name} where id = $1`, [
        elementKey(recordId, elementId),
      ])
      if (!row) return undefined
      const { id: _, metadata, data_source, access, words, title_words, fence, ...rest } = row
      return { ...rest, metadata: { ...(metadata as object), data_source } }
    },
    async count() {
      const [row] = await sql<{ count: number }>(
        `select count(*)::int from ${name} where element_id <> 'millrace_control'`,
      )
      return row?.count ?? 0
    },
    [Symbol.asyncDispose]: async () => {
      await destination.close()
      await egress.close()
      await pool.end()
      await database?.drop()
    },
  }
}

export function configOf(url: string): PostgresConfig {
  const { hostname, port, pathname, username, password } = new URL(url)
  return postgresConfig.parse({
    host: hostname,
    port: port || 5432,
    database: decodeURIComponent(pathname.slice(1)),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    ssl_mode: 'disable',
  })
}

export function urlOfTable({ config }: Pick<FreshTable, 'config'>): string {
  const { host, port, database, username, password } = config
  return `postgresql://${username}:${password}@${host}:${port}/${database}`
}

/** As the superuser, to which the embedded server gives the same password. */
export async function superuserSql(table: Pick<FreshTable, 'config'>, text: string): Promise<void> {
  const url = new URL(urlOfTable(table))
  url.username = 'postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(text).finally(() => client.end())
}
