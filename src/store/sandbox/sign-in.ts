import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'

export type DatabaseAddress = {
  host: string
  port: number
  database: string
  ssl: boolean | ConnectionOptions
}

/** Where a connection string leads, without its account. */
export function addressOf(url: string): DatabaseAddress {
  const { host, port, database = '', ssl } = new pg.Client({ connectionString: url })
  return { host, port, database, ssl }
}

const TIMEOUT_MS = 10_000

const OWNS = `
  select bool_and(n.nspowner = r.oid and coalesce(c.relowner, r.oid) = r.oid) as owns
  from pg_roles r join pg_namespace n on n.nspname = r.rolname left join pg_class c on c.relnamespace = n.oid
  where r.rolname = current_user`

/**
 * Whether the account owns its schema and all tables in it. Throws if the server does not let it in: its rules or a
 * pooler may know only the account of the service.
 */
export async function trySignIn(
  address: DatabaseAddress,
  account: { user: string; password: string },
): Promise<boolean> {
  const client = new pg.Client({ ...address, ...account, connectionTimeoutMillis: TIMEOUT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows: roles } = await client.query(
      'select $1 = all (array[session_user, current_user]::text[]) as "isSame"',
      [account.user],
    )
    if (!roles[0]?.isSame) throw new Error(`the server signs in another role than ${account.user}`)
    const { rows } = await client.query<{ owns: boolean }>(OWNS)
    return rows[0]?.owns ?? false
  } finally {
    await client.end().catch(() => {})
  }
}
