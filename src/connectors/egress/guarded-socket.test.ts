import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { AppError } from '../../errors.ts'
import { parseAllowedHosts } from './allowed-hosts.ts'
import { createEgress } from './guard.ts'
import { guardedSocket } from './guarded-socket.ts'

describe('a guarded socket', () => {
  const servers: Server[] = []
  after(() => {
    for (const server of servers) server.close()
  })
  async function listen(serve: (socket: Socket) => void): Promise<number> {
    const server = createServer(serve).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const errorOf = async (socket: Socket): Promise<Error> => (await once(socket, 'error'))[0]

  test('it refuses a private address and a name that resolves to one, and ignores the address given to connect', async () => {
    let connections = 0
    const port = await listen(() => connections++)
    for (const [host, addresses] of [
      ['127.0.0.1', []],
      ['db.example', ['8.8.8.8', '127.0.0.1']],
    ] as const) {
      const egress = createEgress({ resolve: async () => [...addresses] })
      const error = await errorOf(egress.socket({ host, port, encrypted: true }).connect(port, '127.0.0.1'))
      assert.ok(error instanceof AppError)
      assert.equal(error.code, 'egress_refused')
      await egress.close()
    }
    assert.equal(connections, 0)
  })

  test('it resolves the name of an allowed host once and connects to that address', async () => {
    let resolved = 0
    const port = await listen((socket) => socket.end('hello'))
    const egress = createEgress({
      allowedHosts: parseAllowedHosts('db.corp'),
      resolve: async () => (resolved++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']),
    })
    const socket = egress.socket({ host: 'db.corp', port, encrypted: false }).connect(1, 'other.example')
    const [data] = await once(socket, 'data')
    assert.deepEqual([String(data), resolved], ['hello', 1])
    await egress.close()
  })

  test('it never resolves a metadata service for an allowed host', async () => {
    const egress = createEgress({
      allowedHosts: parseAllowedHosts('db.corp'),
      resolve: async () => ['169.254.169.254'],
    })
    const error = await errorOf(egress.socket({ host: 'db.corp', port: 5432, encrypted: true }).connect(1))
    assert.match(error.message, /link-local/)
    await egress.close()
  })

  test('it does not connect after it was destroyed', async () => {
    let connections = 0
    const port = await listen(() => connections++)
    const { promise, resolve } = Promise.withResolvers<string[]>()
    const socket = guardedSocket({ host: 'db.corp', port, encrypted: false }, () => promise).connect(1)
    socket.destroy()
    resolve(['127.0.0.1'])
    const other = guardedSocket({ host: 'db.corp', port, encrypted: false }, async () => ['127.0.0.1'])
    await once(other.connect(1), 'connect')
    other.destroy()
    assert.ok(connections <= 1)
  })

  test('it ends a connection on which the server sends without being asked', async () => {
    const port = await listen((socket) => {
      socket.on('error', () => {})
      const send = () => {
        while (socket.write(Buffer.alloc(65_536)));
      }
      socket.on('drain', send)
      send()
    })
    const target = { host: '127.0.0.1', port, encrypted: false }
    const socket = guardedSocket(target, async () => ['127.0.0.1'], 1_000_000).connect(1)
    socket.resume()
    assert.match((await errorOf(socket)).message, /too much/)
  })
})
