import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { dropDatabase, testServer } from './postgres.ts'
import type { World } from './world.ts'

/** A copy of the database of a stopped service, as a backup would hold it. */
export type DatabaseCopy = { restore(): Promise<void>; drop(): Promise<void> }

export async function copyDatabase({ databaseUrl }: World): Promise<DatabaseCopy> {
  const name = new URL(databaseUrl).pathname.slice(1)
  const copy = `millrace_copy_${randomBytes(6).toString('hex')}`
  await runOnServer(`create database ${copy} template ${name}`)
  return {
    async restore() {
      await dropDatabase(name)
      await runOnServer(`create database ${name} template ${copy}`)
    },
    drop: () => dropDatabase(copy),
  }
}

async function runOnServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: await testServer() })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
