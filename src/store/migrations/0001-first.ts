import { type Kysely, sql } from 'kysely'
import { accounts } from './first/accounts.ts'
import { connectors } from './first/connectors.ts'
import { counts } from './first/counts.ts'
import { jobs } from './first/jobs.ts'
import { ledger } from './first/ledger.ts'
import { notifications } from './first/notifications.ts'

export async function up(db: Kysely<never>): Promise<void> {
  const statements = [accounts, connectors, ledger, jobs, notifications, counts].flat()
  for (const statement of statements) await sql.raw(statement).execute(db)
}
