import pg from 'pg'
import { createMessageCheck } from './message-check.ts'

/** What the connection needs of a socket; its type is not part of pg's types. */
type Listening = { on(event: string, listener: (...values: unknown[]) => void): unknown }
type Stream = Listening & { destroy(error?: Error): void }
type DriverConnection = Listening & { stream: Stream; attachListeners(stream: Listening): void }
/** A parsed message of the server. */
type Message = { name: string; length: number; fieldCount?: number }

export type ConnectionOptions = pg.ClientConfig & { refusesClearText?: boolean }

/** The server asks for the password itself, and no one knows who it is. */
export class ClearTextRefused extends Error {}

/** For one statement, and for the sign-in; ours have fewer. */
const MAX_COLUMNS = 100
const MAX_ROWS = 1_000_000
const MAX_OTHERS = 100_000
const MAX_BYTES = 96 * 1024 * 1024

/** Ends its own connection if the server sends messages that the driver cannot parse, or too many. */
export class TableConnection extends pg.Client {
  #received = { columns: 0, rows: 0, others: 0, bytes: 0, challenges: 0 }

  constructor(options?: ConnectionOptions) {
    super(options)
    // An error without a listener ends the process; the running statement reports it.
    this.on('error', () => {})
    const { connection } = this as unknown as { connection: DriverConnection }
    const attach = connection.attachListeners.bind(connection)
    connection.attachListeners = (stream: Listening) => {
      attach({ on: (event, listener) => stream.on(event, guarded(listener, connection)) })
    }
    connection.on('message', (message) => this.#count(message as Message))
    if (options?.refusesClearText)
      connection.on('message', (message) => {
        if ((message as Message).name === 'authenticationCleartextPassword') throw new ClearTextRefused()
      })
    const query = this.query.bind(this) as (...values: unknown[]) => unknown
    this.query = ((...values: unknown[]) => {
      this.#received = { columns: 0, rows: 0, others: 0, bytes: 0, challenges: 1 }
      return query(...values)
    }) as pg.Client['query']
  }

  /** The driver keeps rows in memory, and computes an answer to every challenge. */
  #count({ name, length, fieldCount = 0 }: Message): void {
    const received = this.#received
    received.bytes += length
    if (name === 'rowDescription') received.columns = fieldCount
    if (name === 'authenticationSASLContinue') received.challenges++
    if (name === 'dataRow') received.rows++
    else received.others++
    const isTooMuch =
      received.columns > MAX_COLUMNS ||
      received.rows > MAX_ROWS ||
      received.others > MAX_OTHERS ||
      received.bytes > MAX_BYTES ||
      received.challenges > 1 ||
      (name === 'dataRow' && fieldCount !== received.columns)
    if (isTooMuch) throw new RangeError('the server sent more than was asked for')
  }

  /** Cuts the connection at once, with the running statement. */
  destroy(): void {
    const { connection } = this as unknown as { connection: DriverConnection }
    connection.stream.destroy()
  }
}

function guarded(listener: (...values: unknown[]) => void, { stream }: DriverConnection) {
  const check = createMessageCheck()
  return (...values: unknown[]) => {
    try {
      if (values[0] instanceof Buffer) check(values[0])
      listener(...values)
    } catch (cause) {
      stream.destroy(new Error('the server sent an invalid message', { cause }))
    }
  }
}
