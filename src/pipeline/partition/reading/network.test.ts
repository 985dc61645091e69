import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readlinkSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { confinement } from './confinement.ts'
import { createFileReading } from './file-reading.ts'
import { isUsable, networkConfinement } from './network.ts'

/** What a hostile reader would do: reach loopback, another address, a socket without a path, and one that is a file. */
const SCRIPT = `
  const [port, abstract, file] = process.argv.slice(1)
  const { connect } = require('node:net')
  const attempt = (to) => new Promise((resolve) => {
    const socket = connect(to, () => { socket.destroy(); resolve('connected') })
    socket.on('error', (error) => resolve(error.code))
  })
  const datagram = () => new Promise((resolve) => {
    const socket = require('node:dgram').createSocket('udp4')
    socket.send('x', Number(port), '127.0.0.1', (error) => { socket.close(); resolve(error?.code ?? 'sent') })
  })
  ;(async () => console.log(JSON.stringify({
    loopback: await attempt({ host: '127.0.0.1', port: Number(port) }),
    datagram: await datagram(),
    abstract: await attempt({ path: '\\0' + abstract }),
    file: await attempt({ path: file }),
  })))()`

describe('a reader and the network', { skip: process.platform !== 'linux' }, () => {
  const own = mkdtempSync(join(tmpdir(), 'network-'))
  const sockets = mkdtempSync(join(tmpdir(), 'sockets-'))
  after(() => {
    for (const folder of [own, sockets]) rmSync(folder, { recursive: true, force: true })
  })

  test('it reaches nothing where the system has namespaces', async () => {
    const name = `millrace-test-${process.pid}`
    const server = createServer().listen(0, '127.0.0.1')
    const socket = join(sockets, 'a.sock')
    const servers = [server, createServer().listen(`\0${name}`), createServer().listen(socket)]
    await Promise.all(servers.map((each) => each.listening || once(each, 'listening')))
    const { port } = server.address() as AddressInfo
    const attempts = async (command: string[]) => {
      const line = [...command, process.execPath, '--no-warnings', ...confinement(own), '-e', SCRIPT]
      const [program = '', ...args] = [...line, String(port), name, socket]
      const child = spawn(program, args, { env: {}, cwd: own, stdio: ['ignore', 'pipe', 'inherit'] })
      const chunks = await child.stdout.toArray()
      return JSON.parse(chunks.join('')) as unknown
    }
    const open = { loopback: 'connected', datagram: 'sent', abstract: 'connected', file: 'connected' }
    assert.deepEqual(await attempts([]), open)
    const { kind, command } = networkConfinement()
    const file = kind.includes('mount') ? 'ENOENT' : 'connected'
    const closed = { loopback: 'ENETUNREACH', datagram: 'ENETUNREACH', abstract: 'ECONNREFUSED', file }
    assert.deepEqual(await attempts(command(own)), kind === 'none' ? open : closed)
    for (const each of servers) each.close()
  })

  test('it is confined even if the system is too slow to try it', () => {
    assert.equal(isUsable(['/bin/sh', '-c', 'exec sleep 1000'], 50), true)
    assert.equal(isUsable(['/bin/sh', '-c', 'exit 1']), false)
    assert.equal(isUsable(['/does/not/exist']), false)
  })

  test('it is started in its own network namespace', async () => {
    const files = createFileReading({ readers: 1 })
    const file = {
      filename: 'a.csv',
      filetype: 'text/csv',
      url: '',
      strategy: 'auto' as const,
      languages: [],
    }
    const { signal } = new AbortController()
    await files.read({ ...file, bytes: Buffer.from('a,b\n1,2') }, signal)
    const isShared = readlinkSync(`/proc/${files.pids()[0]}/ns/net`) === readlinkSync('/proc/self/ns/net')
    await files.close()
    assert.equal(isShared, networkConfinement().kind === 'none')
  })
})
