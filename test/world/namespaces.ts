import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { lastLine, provideInstalled } from './debian-packages.ts'

const run = promisify(execFile)
const PREFIX = 'millrace-test-'
const RELAY = join(import.meta.dirname, 'relay.ts')

/** Two network namespaces, joined by one cable. Neither reaches any other network. */
export type Namespaces = {
  office: { name: string; address: string }
  outside: { name: string; address: string }
  /** Makes a port at the loopback address of `to` reachable at that of `from`; null is the namespace of the test. */
  relay(port: number, way: { from: string | null; to: string | null }): Promise<number>
  /** Starts a program there, which ends with the test. */
  start(namespace: string | null, command: string[]): ChildProcess
  remove(): Promise<void>
}

/** `hosts` are names that only the outside knows; they lead to its loopback address. */
export async function makeNamespaces(hosts: string[]): Promise<Namespaces> {
  const ip = await provideInstalled('ip', 'iproute2')
  await removeStale(ip)
  const [office, outside] = ['office', 'outside'].map((each) => ({
    name: `${PREFIX}${process.pid}-${each}`,
    cable: `mr${process.pid}${each === 'office' ? 'a' : 'b'}`,
    address: each === 'office' ? '192.168.249.2' : '192.168.249.1',
  })) as [Side, Side]
  const sides = [office, outside]
  const folder = await mkdtemp(join(tmpdir(), 'millrace-relays-'))
  const children: ChildProcess[] = []
  const etc = sides.map(({ name }) => join('/etc/netns', name))
  const call = (...args: string[]) => run(ip, args)
  // Also runs after a failure outside of the test's own hooks.
  const onExit = () => {
    for (const { name } of sides) {
      try {
        execFileSync(ip, ['netns', 'delete', name], { stdio: 'ignore' })
      } catch {}
    }
  }
  process.once('exit', onExit)

  const start = (namespace: string | null, [command = '', ...args]: string[]): ChildProcess => {
    const [program, ...all] = namespace
      ? [ip, 'netns', 'exec', namespace, command, ...args]
      : [command, ...args]
    const child = spawn(program ?? '', all, { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    return child
  }
  const remove = async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    for (const { name } of sides) await call('netns', 'delete', name).catch(() => {})
    for (const path of [...etc, folder]) await rm(path, { recursive: true, force: true })
    process.off('exit', onExit)
  }

  try {
    for (const { name } of sides) await call('netns', 'add', name)
    await call(
      '-n',
      office.name,
      'link',
      'add',
      office.cable,
      'type',
      'veth',
      'peer',
      'name',
      outside.cable,
      'netns',
      outside.name,
    )
    for (const { name, cable, address } of sides) {
      await call('-n', name, 'address', 'add', `${address}/30`, 'dev', cable)
      for (const device of ['lo', cable]) await call('-n', name, 'link', 'set', device, 'up')
    }
    for (const [index, path] of etc.entries()) {
      await mkdir(path, { recursive: true })
      const names = index === 1 ? hosts : []
      await writeFile(
        join(path, 'hosts'),
        ['127.0.0.1 localhost', ...names.map((name) => `127.0.0.1 ${name}`), ''].join('\n'),
      )
      await writeFile(join(path, 'resolv.conf'), '')
    }
  } catch (error) {
    await remove()
    throw new Error(
      `this test needs network namespaces, which need root or CAP_SYS_ADMIN and CAP_NET_ADMIN: ${lastLine(error)}`,
      { cause: error },
    )
  }

  return {
    office,
    outside,
    start,
    async relay(port, { from, to }) {
      const file = join(folder, `${port}-${children.length}`)
      await ready(start(to, [process.execPath, RELAY, file, String(port)]))
      // A new namespace has every port; that of the test may not.
      return ready(start(from, [process.execPath, RELAY, from ? String(port) : '0', file]))
    },
    remove,
  }
}

type Side = { name: string; cable: string; address: string }

/** The port that it listens on. */
async function ready(child: ChildProcess): Promise<number> {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('a relay ended before it listened')))
  ended.catch(() => {})
  const [line] = await Promise.race([once(createInterface({ input: child.stdout! }), 'line'), ended])
  return Number(line)
}

/** Of test processes that were killed. */
async function removeStale(ip: string): Promise<void> {
  for (const name of await readdir('/run/netns').catch(() => [])) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN
    if (Number.isNaN(pid) || isAlive(pid)) continue
    await run(ip, ['netns', 'delete', name]).catch(() => {})
    await rm(join('/etc/netns', name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
