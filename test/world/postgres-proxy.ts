import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy on loopback between Millrace and PostgreSQL that can break connections. */
export type PostgresProxy = {
  /** The address of the database through the proxy. */
  url: string
  openConnections(): number
  /** Resets all connections and returns how many there were. */
  cut(): number
  /** Resets one connection, by a number below 1. */
  cutOne(random: number): void
  /** Cuts all connections and refuses new ones until `back`. */
  away(): void
  back(): void
  /** Accepts connections and passes nothing on. Those of that time stay silent after `back`. */
  blackHole(): void
  /** Delays every packet in both directions. */
  delay(ms: number): void
  /** Cuts the connection that sends the next bytes after this many. */
  cutAfterBytes(bytes: number): void
  /** Cuts the next connection that commits; `isForwarded`: PostgreSQL commits and the answer is lost. */
  cutAtCommit(options: { isForwarded: boolean }): Promise<void>
  /** Leaves the next connection that commits open and silent, as after a lost network. */
  silenceAtCommit(): Promise<void>
  close(): Promise<void>
}

type Mode = 'open' | 'away' | 'black hole'
type Pair = { client: Socket; server: Socket; isSilent: boolean }
type Packet = { to: Socket; chunk: Buffer; atCommit: CommitCut | null }
type CommitCut = { isForwarded: boolean | 'never'; done(): void }

// Kysely sends transaction statements as simple queries: Q, length, text, NUL.
const COMMIT = /Q....commit\0/is

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl)
  const pairs = new Set<Pair>()
  let mode: Mode = 'open'
  let delayMs = 0
  let bytesLeft: number | null = null
  let commitCut: CommitCut | null = null

  const listener = createServer((client) => {
    client.on('error', () => {})
    if (mode === 'away') return void client.resetAndDestroy()
    const server = connect(Number(target.port || 5432), target.hostname)
    const pair: Pair = { client, server, isSilent: mode === 'black hole' }
    pairs.add(pair)
    server.on('error', () => {})
    for (const each of [client, server])
      each.setNoDelay(true).on('close', () => {
        pairs.delete(pair)
        client.destroy()
        server.destroy()
      })
    client.on('data', (chunk) => forward(pair, { to: server, chunk, atCommit: takeCommitCut(chunk) }))
    server.on('data', (chunk) => forward(pair, { to: client, chunk, atCommit: null }))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')

  function takeCommitCut(chunk: Buffer): CommitCut | null {
    if (!commitCut || !COMMIT.test(chunk.toString('latin1'))) return null
    const taken = commitCut
    commitCut = null
    return taken
  }

  function forward(pair: Pair, { to, chunk, atCommit }: Packet): void {
    if (pair.isSilent) return
    if (bytesLeft !== null) bytesLeft -= chunk.length
    const isLast = bytesLeft !== null && bytesLeft <= 0
    if (isLast) bytesLeft = null
    if (atCommit?.isForwarded === 'never') {
      pair.isSilent = true
      atCommit.done()
    } else if (isLast || atCommit?.isForwarded === false) {
      reset(pair)
      atCommit?.done()
    } else if (atCommit) {
      // PostgreSQL gets the statement, and the client hears nothing.
      pair.isSilent = true
      pair.server.once('data', () => {
        reset(pair)
        atCommit.done()
      })
      to.write(chunk)
    } else if (delayMs === 0) to.write(chunk)
    else setTimeout(() => to.destroyed || to.write(chunk), delayMs)
  }

  function reset(pair: Pair): void {
    pairs.delete(pair)
    pair.client.resetAndDestroy()
    pair.server.destroy()
  }

  function cut(): number {
    const all = [...pairs]
    for (const pair of all) reset(pair)
    return all.length
  }

  const url = new URL(databaseUrl)
  const address = listener.address() as { port: number }
  url.hostname = '127.0.0.1'
  url.port = String(address.port)
  return {
    url: url.href,
    openConnections: () => pairs.size,
    cut,
    cutOne(random) {
      const pair = [...pairs][Math.floor(random * pairs.size)]
      if (pair) reset(pair)
    },
    away() {
      mode = 'away'
      cut()
    },
    back() {
      mode = 'open'
    },
    blackHole() {
      mode = 'black hole'
      for (const pair of pairs) pair.isSilent = true
    },
    delay(ms) {
      delayMs = ms
    },
    cutAfterBytes(bytes) {
      bytesLeft = bytes
    },
    cutAtCommit: ({ isForwarded }) =>
      new Promise((done) => {
        commitCut = { isForwarded, done }
      }),
    silenceAtCommit: () =>
      new Promise((done) => {
        commitCut = { isForwarded: 'never', done }
      }),
    async close() {
      cut()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}
