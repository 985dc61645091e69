import { connect, createServer, type Socket } from 'node:net'

/** PostgreSQL's messages from a client: a simple query, and the execution of a prepared one. */
const QUERY = 'Q'.charCodeAt(0)
const EXECUTE = 'E'.charCodeAt(0)

export type StatementCounter = { url: string; count(): number; close(): void }

/** A proxy in front of PostgreSQL that counts statements, `begin` and `commit` included. */
export async function countStatements(databaseUrl: string): Promise<StatementCounter> {
  const target = new URL(databaseUrl)
  let statements = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    const parse = messageReader((type) => {
      if (type === QUERY || type === EXECUTE) statements++
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
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Calls back with the type of each message; the first message of a connection has none. */
function messageReader(onMessage: (type: number) => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0)
  let skip = 0
  let isFirst = true
  return (data) => {
    let at = 0
    if (skip > 0) {
      at = Math.min(skip, data.length)
      skip -= at
      if (skip > 0) return
    }
    rest = Buffer.concat([rest, data.subarray(at)])
    for (;;) {
      const header = isFirst ? 4 : 5
      if (rest.length < header) return
      const size = isFirst ? rest.readUInt32BE(0) : rest.readUInt32BE(1) + 1
      if (!isFirst) onMessage(rest[0] as number)
      isFirst = false
      if (size > rest.length) {
        skip = size - rest.length
        rest = Buffer.alloc(0)
        return
      }
      rest = rest.subarray(size)
    }
  }
}
