import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { openEgress, silent } from '../../../test/world/search-engine/fresh-index.ts'
import { postgresConfig, type SslMode } from './config.ts'
import { openPostgres } from './destination.ts'
import { TABLE_PACE } from './pace.ts'

const { signal } = new AbortController()
const AUTHENTICATED = message('R', int32(0))
const READY = message('Z', Buffer.from('I'))

describe('a hostile PostgreSQL server', () => {
  /** The failed step of a check; `answer` gets every message of the client, the start without a type. */
  async function reasonFrom(
    answer: (socket: Socket, type: string, body: string) => void,
    mode: SslMode = 'disable',
  ): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      let [isStarted, pending] = [false, Buffer.alloc(0)]
      socket.on('data', (bytes: Buffer) => {
        pending = Buffer.concat([pending, bytes])
        for (;;) {
          const at = isStarted ? 1 : 0
          const size = pending.length < at + 4 ? Number.POSITIVE_INFINITY : pending.readInt32BE(at) + at
          if (pending.length < size) return
          const type = isStarted ? String.fromCharCode(pending[0]!) : ''
          const body = pending.subarray(at + 4, size).toString()
          pending = pending.subarray(size)
          if (!isStarted && size === 8) {
            // It asks for TLS.
            socket.write('N')
            continue
          }
          isStarted = true
          answer(socket, type, body)
        }
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const settings = { database: 'd', username: 'u', password: 'hunter2', ssl_mode: mode }
    const { port } = server.address() as AddressInfo
    const config = postgresConfig.parse({ ...settings, host: '127.0.0.1', port })
    const pace = { ...TABLE_PACE, attempts: 1, connectMs: 60_000, statementMs: 60_000 }
    const destination = openPostgres(config, { egress: openEgress(), log: silent }, pace)
    const { reason } = await destination.check(signal)
    await destination.close()
    server.close()
    return reason ?? 'accepted'
  }
  /** Whether the client asks more after this answer to its first statement. */
  async function isAccepted(answers: Buffer[]): Promise<boolean> {
    let asked = 0
    const reason = await reasonFrom((socket, type, body) => {
      if (type === '') socket.write(Buffer.concat([AUTHENTICATED, READY]))
      else if (body.startsWith('begin'))
        socket.write(Buffer.concat([...answers, message('C', Buffer.from('BEGIN\0')), READY]))
      else if (type === 'Q' || type === 'S') socket.write(READY)
      if (type === 'P') asked++
    })
    assert.match(reason, /does not respond like PostgreSQL/)
    return asked > 0
  }

  test('it cannot send more columns, rows or answers than a statement has', async () => {
    const many = (count: number, one: Buffer) => Array.from({ length: count }, () => one)
    assert.equal(await isAccepted([columns(90), row(90), row(90)]), true)
    // The driver would make them as large as the others.
    assert.equal(await isAccepted([columns(90), row(0)]), false, 'short rows')
    assert.equal(await isAccepted([columns(1000), row(1000)]), false, 'columns')
    assert.equal(await isAccepted([columns(1), ...many(1_000_001, row(1))]), false, 'rows')
    assert.equal(await isAccepted(many(100_001, message('C', Buffer.from('BEGIN\0')))), false, 'answers')
  })

  test('it cannot ask for more by answers that the driver responds to', async () => {
    const big = message('D', Buffer.concat([int16(1), int32(20_000_000), Buffer.alloc(20_000_000, 'x')]))
    const copyIn = message('G', Buffer.concat([Buffer.alloc(1), int16(0)]))
    let sent = 0
    const reason = await reasonFrom((socket, type, body) => {
      if (type === '') socket.write(Buffer.concat([AUTHENTICATED, READY]))
      else if (body.startsWith('begin')) socket.write(Buffer.concat([columns(1), copyIn]))
      else if (type === 'f' && sent++ < 10) socket.write(Buffer.concat([big, copyIn]))
      else socket.write(READY)
    })
    assert.match(reason, /does not respond like PostgreSQL/)
    assert.ok(sent < 10, `${sent} rows`)
  })

  test('it gets the password in clear text only if that was chosen', async () => {
    for (const mode of ['prefer', 'disable'] as const) {
      const received: string[] = []
      const reason = await reasonFrom((socket, type, body) => {
        received.push(body)
        if (type === '') socket.write(message('R', int32(3)))
        else socket.end()
      }, mode)
      assert.equal(
        received.some((body) => body.includes('hunter2')),
        mode === 'disable',
        mode,
      )
      if (mode === 'prefer') assert.match(reason, /asks for the password in clear text.*verify-full/)
    }
  })

  test('it gets one computed answer in a sign-in', async () => {
    let computed = 0
    await reasonFrom((socket, type, body) => {
      const nonce = /r=(.+)$/.exec(body)?.[1]
      if (type === '')
        socket.write(message('R', Buffer.concat([int32(10), Buffer.from('SCRAM-SHA-256\0\0')])))
      else if (nonce && body.startsWith('SCRAM')) {
        const first = Buffer.from(`r=${nonce}x,s=${Buffer.from('salt').toString('base64')},i=10000`)
        const one = message('R', Buffer.concat([int32(11), first]))
        socket.write(Buffer.concat([one, one, one, one]))
      } else if (++computed === 4) socket.end()
    })
    assert.ok(computed <= 1, `${computed} answers`)
  })
})

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function int16(value: number): Buffer {
  return int32(value).subarray(2)
}

function columns(count: number): Buffer {
  const one = (at: number) => Buffer.concat([Buffer.from(`c${at}\0`), Buffer.alloc(18)])
  return message('T', Buffer.concat([int16(count), ...Array.from({ length: count }, (_, at) => one(at))]))
}

/** Of nulls. */
function row(count: number): Buffer {
  return message('D', Buffer.concat([int16(count), Buffer.alloc(4 * count, 0xff)]))
}
