import { connect, createServer, type Socket } from 'node:net'

/** PostgreSQL's messages from a client: a simple query, a text to prepare, and the execution of a prepared one. */
const QUERY = 'Q'.charCodeAt(0)
const PARSE = 'P'.charCodeAt(0)
const EXECUTE = 'E'.charCodeAt(0)

export type StatementCounter = {
  url: string
  count(): number
  /** Texts since the last call, in order; a text that is prepared once and executed often counts once. */
  takeTexts(): string[]
  close(): void
}

type Message = { type: number; body: Buffer }

/** A proxy in front of PostgreSQL that counts statements, `begin` and `commit` included. */
export async function countStatements(databaseUrl: string): Promise<StatementCounter> {
  const target = new URL(databaseUrl)
  let statements = 0
  const texts: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    const parse = messageReader(({ type, body }) => {
      if (type === QUERY || type === EXECUTE) statements++
      if (type === QUERY) texts.push(textIn(body))
      // The name of the prepared statement comes first.
      if (type === PARSE) texts.push(textIn(body.subarray(body.indexOf(0) + 1)))
    })
    client.setNoDelay()
    upstream.setNoDelay()
    client.on('data', parse)
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url: url.href,
    count: () => statements,
    takeTexts: () => texts.splice(0),
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function textIn(body: Buffer): string {
  return body.toString('utf8', 0, body.indexOf(0))
}

/** Calls back with each message; only those with a text get a body. The first message of a connection has no type. */
function messageReader(onMessage: (message: Message) => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0)
  let skip = 0
  let isFirst = true
  return (data) => {
    const at = Math.min(skip, data.length)
    skip -= at
    rest = Buffer.concat([rest, data.subarray(at)])
    for (;;) {
      const header = isFirst ? 4 : 5
      if (rest.length < header) return
      const size = isFirst ? rest.readUInt32BE(0) : rest.readUInt32BE(1) + 1
      const type = rest[0] as number
      const hasText = !isFirst && (type === QUERY || type === PARSE)
      if (hasText && rest.length < size) return
      if (!isFirst) onMessage({ type, body: rest.subarray(header, hasText ? size : header) })
      isFirst = false
      skip = Math.max(0, size - rest.length)
      rest = rest.subarray(Math.min(size, rest.length))
    }
  }
}
