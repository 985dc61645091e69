import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type pg from 'pg'

/** The parts of the driver that its types leave out. */
type CopyConnection = {
  stream: Writable
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

const CHUNK_BYTES = 256 * 1024

/** Sends rows with COPY in its text format. */
export async function copyRows(
  client: pg.Client,
  statement: string,
  rows: Iterable<readonly string[]>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let failure: Error | null = null
  const copy = {
    submit: (connection: CopyConnection) => connection.query(statement),
    handleCopyInResponse: (connection: CopyConnection) => {
      send(connection, rows).catch((error: Error) => connection.sendCopyFail(error.message))
    },
    handleCommandComplete() {},
    handleError(error: Error) {
      failure = error
      reject(error)
    },
    handleReadyForQuery: () => failure ?? resolve(),
  }
  client.query(copy as unknown as pg.Submittable)
  return promise
}

async function send(connection: CopyConnection, rows: Iterable<readonly string[]>): Promise<void> {
  let text = ''
  const flush = async () => {
    connection.sendCopyFromChunk(Buffer.from(text))
    text = ''
    if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
  }
  for (const row of rows) {
    text += `${row.map(escaped).join('\t')}\n`
    if (text.length > CHUNK_BYTES) await flush()
  }
  await flush()
  connection.endCopyFrom()
}

function escaped(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r')
}
