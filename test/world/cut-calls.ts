import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { AppError } from '../../src/errors.ts'
import type { Connections } from '../../src/jobs/connections.ts'
import type { Database } from '../../src/store/database.ts'
import type { Schema } from '../../src/store/schema.ts'

/**
 * `before` and `after` end the process at a call: it and every later call fail, with or without its effect. `answer`
 * loses the connection of one database call after its effect, and the process continues.
 */
export type CutMode = 'before' | 'after' | 'answer'
export const CUT_MODES: CutMode[] = ['before', 'after', 'answer']
/** `failing`: every call of this name fails instead. */
export type CutAt = { call: number; mode: CutMode } | { failing: string }

/** Counts the calls of a task to database, source and destination, and cuts at one of them. */
export class Cutter {
  calls = 0
  /** What was cut, or null. */
  cut: string | null = null
  readonly #at: CutAt | null
  readonly #process = new AbortController()

  constructor(at: CutAt | null = null) {
    this.#at = at
  }

  /** Aborted when the process ends. */
  get signal(): AbortSignal {
    return this.#process.signal
  }

  async call<T>(name: string, work: () => Promise<T>, isDatabase = false): Promise<T> {
    this.signal.throwIfAborted()
    this.calls++
    const at = this.#at
    if (at && 'failing' in at && at.failing === name)
      throw new AppError('destination_overloaded', `${name} fails`)
    const mode = at && 'call' in at && this.calls === at.call ? at.mode : null
    if (mode === 'before') this.#end(name)
    const result = await work()
    if (mode === 'after') this.#end(name)
    this.signal.throwIfAborted()
    if (mode === 'answer' && isDatabase) {
      this.cut = name
      throw new LostAnswer()
    }
    return result
  }

  #end(name: string): never {
    this.cut = name
    this.#process.abort(new Error('the process was ended'))
    throw this.signal.reason
  }
}

class LostAnswer extends Error {
  constructor() {
    super('Connection terminated unexpectedly')
  }
}

/** A database whose statements are calls, transaction statements too. */
export function cuttableDatabase(url: string, cutter: Cutter): Database {
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    // Closing the connection rolls its transaction back.
    const close = () =>
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
    cutter.signal.addEventListener('abort', close, { once: true })
    const query = client.query.bind(client) as (text: string, values?: unknown[]) => Promise<pg.QueryResult>
    const counted = async (text: string, values?: unknown[]) => {
      try {
        return await cutter.call(text, () => query(text, values), true)
      } catch (error) {
        if (error instanceof LostAnswer) close()
        throw error
      }
    }
    client.query = counted as typeof client.query
  })
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}

/** Connections whose sources and destinations make calls. */
export function cuttableConnections(connections: Connections, cutter: Cutter): Connections {
  return {
    openSource: async (...args) => cuttable(await connections.openSource(...args), 'source', cutter),
    openDestination: async (id) => cuttable(await connections.openDestination(id), 'destination', cutter),
  }
}

const ITERATIONS = new Set<PropertyKey>(['list', 'read', 'inventory'])
const SYNCHRONOUS = new Set<PropertyKey>(['close', 'nameFor'])

/** Every asynchronous method is a call, and so is every step of an iteration. */
function cuttable<T extends object>(target: T, name: string, cutter: Cutter): T {
  return new Proxy(target, {
    get(_, key) {
      const value: unknown = Reflect.get(target, key, target)
      const path = `${name}.${String(key)}`
      if (typeof value === 'object' && value !== null) return cuttable(value, path, cutter)
      if (typeof value !== 'function') return value
      if (SYNCHRONOUS.has(key)) return value.bind(target)
      return (...args: unknown[]) => {
        const call = () => Reflect.apply(value, target, args)
        // The control document is read at once.
        if (ITERATIONS.has(key) && !name.endsWith('.control')) return steps(call(), path, cutter)
        return key === 'destinationFor' ? cuttable(call(), path, cutter) : cutter.call(path, call)
      }
    },
  })
}

async function* steps(
  iterable: AsyncIterable<unknown>,
  path: string,
  cutter: Cutter,
): AsyncGenerator<unknown> {
  const iterator = iterable[Symbol.asyncIterator]()
  try {
    while (true) {
      const { done, value } = await cutter.call(path, () => iterator.next())
      if (done) return
      yield value
    }
  } finally {
    await iterator.return?.()
  }
}
