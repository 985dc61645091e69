import pg from 'pg'

/** As if the processes on this database were silent for a minute: another may take their tasks over. */
export async function passHeartbeat(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query(
      `update pgboss.job set heartbeat_on = heartbeat_on - interval '1 minute' where state = 'active'`,
    )
    await client.query(`update site_leases set seen_at = seen_at - interval '1 minute'`)
    await client.query(`update leases set until = until - interval '1 minute'`)
  } finally {
    await client.end()
  }
}
