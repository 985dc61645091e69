import { addAbortSignal, Readable } from 'node:stream'
import { sql } from 'kysely'
import { createSharedLimiter } from '../../concurrency.ts'
import { AppError } from '../../errors.ts'
import { type Database, databasePoolUse } from '../../store/database.ts'

/** Reads whose work in the database grows with what a workspace has stored. */
export interface ExpensiveReads {
  /** A few reads of a workspace at a time, each in a read-only transaction with a time limit. */
  run<T>(workspaceId: string, work: (db: Database) => Promise<T>): Promise<T>
  /** A response of several reads; it waits for its reader, so it holds no connection in between. */
  stream(response: StreamedResponse, lines: AsyncGenerator<string>): Promise<Readable>
}

/** `streams` of a workspace with this name may be open at once. */
type StreamedResponse = { workspaceId: string; name: string; streams: number }

/** A person waits for the answer. */
const STATEMENT_MS = 5_000
/** Reads of a workspace that run or wait for their turn; those that wait hold no connection. */
const MAX_READS = 20
const RETRY_AFTER_S = 5
const STREAM_MS = 600_000
const RETRY_STREAM_AFTER_S = 30
const DEFAULT_CONNECTIONS = 5

/** All workspaces together use at most half of the connections of the process, and a single one half of that. */
export function createExpensiveReads(db: Database): ExpensiveReads {
  const connections = databasePoolUse(db)?.max ?? DEFAULT_CONNECTIONS
  const total = half(connections)
  const queue = { max: MAX_READS, refuse: tooManyReads }
  const limit = createSharedLimiter({ total, each: half(total), queue })
  const open = new Map<string, number>()

  function beginStream({ workspaceId, name, streams }: StreamedResponse): () => void {
    const key = `${workspaceId} ${name}`
    if ((open.get(key) ?? 0) >= streams) throw tooManyStreams(name, streams)
    add(open, key, 1)
    return () => add(open, key, -1)
  }

  return {
    run(workspaceId, work) {
      return limit(workspaceId, () => readOnly(db, work))
    },

    async stream(response, lines) {
      const end = beginStream(response)
      // Until the first read is done, a refusal has its own status.
      const first = await lines.next().catch((error) => {
        end()
        throw error
      })
      const stream = Readable.from(beginningWith(first, lines), { highWaterMark: 2 })
      addAbortSignal(AbortSignal.timeout(STREAM_MS), stream)
      return stream.once('close', end)
    },
  }
}

async function* beginningWith(
  first: IteratorResult<string>,
  lines: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (first.done) return
  yield first.value
  yield* lines
}

function add(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}

function half(places: number): number {
  return Math.max(1, Math.floor(places / 2))
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
  return new AppError('rate_limited', `${MAX_READS} reads of this workspace are waiting, the limit`, {
    fix: 'Wait for their answers before you send more',
    retryAfterSeconds: RETRY_AFTER_S,
  })
}

function tooManyStreams(name: string, streams: number): AppError {
  return new AppError('rate_limited', `${streams} ${name} of this workspace are running, the limit`, {
    fix: 'Wait for their end',
    retryAfterSeconds: RETRY_STREAM_AFTER_S,
  })
}
