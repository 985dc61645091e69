import { sql } from 'kysely'
import { createLimiter, type Limiter } from '../concurrency.ts'
import { AppError } from '../errors.ts'
import { type Database, databasePoolUse } from '../store/database.ts'

/** Reads whose cost grows with what a workspace has stored. */
export interface ExpensiveReads {
  /** One read of a workspace at a time, in a read-only transaction with a time limit. */
  run<T>(workspaceId: string, work: (db: Database) => Promise<T>): Promise<T>
}

/** A person waits for the answer. */
const STATEMENT_MS = 5_000
/** Requests of a workspace that wait for their turn; they hold no connection. */
const MAX_WAITING = 20
const RETRY_AFTER_S = 5
const DEFAULT_CONNECTIONS = 5

/** All workspaces together use at most half of the connections of the process. */
export function createExpensiveReads(db: Database): ExpensiveReads {
  const connections = databasePoolUse(db)?.max ?? DEFAULT_CONNECTIONS
  const inTotal = createLimiter(Math.max(1, Math.floor(connections / 2)))
  const waiting = new Map<string, { turn: Limiter; count: number }>()

  return {
    async run(workspaceId, work) {
      const queue = waiting.get(workspaceId) ?? { turn: createLimiter(1), count: 0 }
      if (queue.count >= MAX_WAITING) throw tooManyReads()
      waiting.set(workspaceId, queue)
      queue.count++
      try {
        return await queue.turn(() => inTotal(() => readOnly(db, work)))
      } finally {
        queue.count--
        if (queue.count === 0) waiting.delete(workspaceId)
      }
    },
  }
}

async function readOnly<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().execute(async (transaction) => {
      await sql`set transaction read only`.execute(transaction)
      await sql`set local statement_timeout = ${sql.lit(STATEMENT_MS)}`.execute(transaction)
      return work(transaction)
    })
  } catch (error) {
    if ((error as { code?: unknown }).code === QUERY_CANCELLED) throw readTimeout(error)
    throw error
  }
}

const QUERY_CANCELLED = '57014'

function readTimeout(cause: unknown): AppError {
  return new AppError('read_timeout', `the database needed more than ${STATEMENT_MS / 1000} s for this`, {
    cause,
    fix: 'Ask for less: fewer entries, a shorter time or more filters',
  })
}

function tooManyReads(): AppError {
  return new AppError('rate_limited', `${MAX_WAITING} reads of this workspace are waiting, the limit`, {
    fix: 'Wait for their answers before you send more',
    retryAfterSeconds: RETRY_AFTER_S,
  })
}
