import { addAbortSignal, Readable } from 'node:stream'
import { sql } from 'kysely'
import { createLimiter, type Limiter } from '../concurrency.ts'
import { AppError } from '../errors.ts'
import { type Database, databasePoolUse } from '../store/database.ts'

/** Reads whose work in the database grows with what a workspace has stored. */
export interface ExpensiveReads {
  /** A few reads of a workspace at a time, each in a read-only transaction with a time limit. */
  run<T>(workspaceId: string, work: (db: Database) => Promise<T>): Promise<T>
  /** A response of several reads; it waits for its reader, so it holds no connection in between. */
  stream(response: StreamedResponse, lines: AsyncGenerator<string>): Promise<Readable>
}

/** `streams` of a workspace with this name may be open at once. */
export type StreamedResponse = { workspaceId: string; name: string; streams: number }

/** A person waits for the answer. */
const STATEMENT_MS = 5_000
/** Requests of a workspace that wait for their turn; they hold no connection. */
const MAX_WAITING = 20
const RETRY_AFTER_S = 5
const STREAM_MS = 600_000
const RETRY_STREAM_AFTER_S = 30
const DEFAULT_CONNECTIONS = 5

/** All workspaces together use at most half of the connections of the process, and one of them half of these. */
export function createExpensiveReads(db: Database): ExpensiveReads {
  const connections = databasePoolUse(db)?.max ?? DEFAULT_CONNECTIONS
  const total = half(connections)
  const inTotal = createLimiter(total)
  const waiting = new Map<string, { turn: Limiter; count: number }>()
  const open = new Map<string, number>()

  function beginStream({ workspaceId, name, streams }: StreamedResponse): () => void {
    const key = `${workspaceId} ${name}`
    const before = open.get(key) ?? 0
    if (before >= streams) throw tooManyStreams(name, streams)
    open.set(key, before + 1)
    return () => {
      const left = (open.get(key) ?? 1) - 1
      if (left > 0) open.set(key, left)
      else open.delete(key)
    }
  }

  return {
    async run(workspaceId, work) {
      const queue = waiting.get(workspaceId) ?? { turn: createLimiter(half(total)), count: 0 }
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
  return new AppError('rate_limited', `${MAX_WAITING} reads of this workspace are waiting, the limit`, {
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
