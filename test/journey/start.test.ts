import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, test } from 'node:test'
import { apiOf } from '../world/api.ts'
import { freshDatabase } from '../world/postgres.ts'
import { startPostgresProxy } from '../world/postgres-proxy.ts'
import { compileCache, type Millrace, type ServiceOptions, startMillrace } from '../world/service.ts'

const running: { end(name: NodeJS.Signals): unknown }[] = []

// A service that a failed assertion left running would keep this process alive.
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.end('SIGKILL')))
})

async function start(options: ServiceOptions): Promise<Millrace> {
  const millrace = await startMillrace(options)
  running.push(millrace)
  return millrace
}

test('it starts several processes at once on an empty database', async () => {
  const database = await freshDatabase()
  const started = await Promise.all(
    (['all', 'api', 'worker', 'api'] as const).map((role) => start({ databaseUrl: database.url, role })),
  )
  try {
    const [first, second, worker] = started
    assert.equal(worker?.url, null)
    const made = await apiOf(first?.url ?? '').post<{ id: string }>('/sources', {
      name: 'one',
      type: 'wiki',
      config: { url: 'https://wiki.acme.example', token: 'some-token-1' },
    })
    assert.equal(made.status, 200, made.text)
    assert.equal((await apiOf(second?.url ?? '').get(`/sources/${made.body.id}`)).status, 200)
  } finally {
    await Promise.all(started.map((each) => each.end('SIGTERM')))
    await database.drop()
  }
})

test('it keeps everything on its embedded database after a kill', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-start-'))
  const env = { MILLRACE_DATA_DIR: join(dataDir, 'data'), MILLRACE_MASTER_KEY: '' }
  try {
    const first = await start({ env })
    const source = {
      name: 'kept',
      type: 'wiki',
      config: { url: 'https://wiki.acme.example', token: 'some-token-1' },
    }
    assert.equal((await apiOf(first.url ?? '').post('/sources', source)).status, 200)
    await first.end('SIGKILL')
    const second = await start({ env })
    const kept = await apiOf(second.url ?? '').get<{ name: string }[]>('/sources')
    assert.deepEqual(
      kept.body.map((each) => each.name),
      ['kept'],
    )
    assert.equal(await second.end('SIGTERM'), 0)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('it ends its output on a terminal with the set-up link, in a plain line', async () => {
  const database = await freshDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-start-'))
  const command = `'${process.execPath}' '${join(import.meta.dirname, '../../src/main.ts')}'`
  const inTerminal =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qec', command, '/dev/null']
  const { PATH } = process.env
  const env = { PATH, ...compileCache(), PORT: '0', DATABASE_URL: database.url, MILLRACE_DATA_DIR: dataDir }
  const terminal = spawn('script', inTerminal, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(terminal, 'exit')
  running.push({ end: (name) => terminal.kill(name) })
  try {
    let output = ''
    await new Promise<void>((resolve, reject) => {
      const fail = () => reject(new Error(`no link in: ${output}`))
      const late = setTimeout(fail, 180_000)
      terminal.once('exit', fail)
      terminal.stdout.setEncoding('utf8').on('data', (part: string) => {
        output += part
        if (!/first account: \S+\r?\n/.test(output)) return
        clearTimeout(late)
        resolve()
      })
    })
    const lines = output.trimEnd().split(/\r?\n/)
    assert.match(
      lines.at(-1) ?? '',
      /^Create the first account: http:\/\/127\.0\.0\.1:\d+\/setup\?token=[\w-]+$/,
    )
    assert.doesNotMatch(output, /setup_url/)
    assert.match(output, /^\S+ .*millrace is ready/m)
    assert.doesNotMatch(output, /"msg":/)
  } finally {
    terminal.stdin.write('\x03') // Ctrl-C
    await exited
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('it reports a wrong master key at start', async () => {
  const database = await freshDatabase()
  try {
    const first = await start({ databaseUrl: database.url })
    await first.end('SIGTERM')
    const other = Buffer.alloc(32, 8).toString('base64')
    await assert.rejects(
      start({ databaseUrl: database.url, env: { MILLRACE_MASTER_KEY: other } }),
      (error: Error) => {
        assert.match(error.message, /ended with 1 .*master key is not the one/s)
        return !error.message.includes(other)
      },
    )
  } finally {
    await database.drop()
  }
})

test('it creates a set-up key while there is none and ignores later ones with a message', async () => {
  const database = await freshDatabase()
  const startWith = (key: string) =>
    start({ databaseUrl: database.url, env: { MILLRACE_SETUP_API_KEY: key } })
  const warnings = (lines: string[]) => lines.filter((line) => line.includes('MILLRACE_SETUP_API_KEY'))
  const [first, second] = ['first-key-'.repeat(4), 'second-key-'.repeat(4)] as const
  try {
    const without = await startWith('')
    assert.match(warnings(without.lines).join(), /"warn".*no API key exists/)
    assert.equal(warnings(without.lines).length, 1)
    await without.end('SIGTERM')

    const late = await startWith(first)
    assert.deepEqual(warnings(late.lines), [])
    assert.equal((await apiOf(late.url ?? '', first).get('/sources')).status, 200)
    await late.end('SIGTERM')

    const other = await startWith(second)
    assert.equal(warnings(other.lines).length, 1)
    assert.match(warnings(other.lines).join(), /"warn".*ignored/)
    assert.equal((await apiOf(other.url ?? '', second).get('/sources')).status, 401)
    assert.equal((await apiOf(other.url ?? '', first).get('/sources')).status, 200)
    await other.end('SIGTERM')

    const again = await startWith(first)
    assert.deepEqual(warnings(again.lines), [])
    await again.end('SIGTERM')
  } finally {
    await database.drop()
  }
})

test('it ends with 1 and one line when its embedded database is killed, started or adopted, and starts again', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-start-'))
  const env = { MILLRACE_DATA_DIR: join(dataDir, 'data'), MILLRACE_MASTER_KEY: '' }
  await chmod(dataDir, 0o711)
  const killPostgres = async () => {
    const pidFile = await readFile(join(dataDir, 'data/postgres/data/postmaster.pid'), 'utf8')
    process.kill(Number.parseInt(pidFile, 10), 'SIGKILL')
  }
  try {
    const first = await start({ env })
    const second = await start({ env }) // finds the server running
    // Not `exit`: the last lines may still be in the pipe then.
    const ended = Promise.all([first, second].map((each) => once(each.process, 'close')))
    await killPostgres()
    for (const [code] of await ended) assert.equal(code, 1)
    for (const { lines } of [first, second]) {
      assert.equal(lines.filter((line) => /"fatal".*embedded PostgreSQL .* ended;/.test(line)).length, 1)
    }
    await Promise.all([first, second].map((each) => each.end('SIGTERM')))

    const third = await start({ env })
    assert.equal((await apiOf(third.url ?? '').get('/sources')).status, 200)
    assert.equal(await third.end('SIGTERM'), 0)
    assert.ok(!third.lines.some((line) => line.includes('ended; the next start')), third.lines.join('\n'))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

type ErrorBody = { detail: string; code: string; retryable: boolean }

test('it serves metrics without its database, and routes report it', async () => {
  const database = await freshDatabase()
  const millrace = await start({ databaseUrl: database.url })
  try {
    await database.drop()
    const metrics = await fetch(`${millrace.url}/metrics`)
    assert.equal(metrics.status, 200)
    assert.match(await metrics.text(), /process_cpu_seconds_total/)
    assert.equal((await fetch(`${millrace.url}/readyz`)).status, 503)
    assert.equal((await fetch(`${millrace.url}/healthz`)).status, 200)
    const api = apiOf(millrace.url ?? '')
    for (const answer of [api.get<ErrorBody>('/sources'), api.post<ErrorBody>('/workflows', { name: 'x' })]) {
      const { status, body, text } = await answer
      assert.deepEqual([status, body.code, body.retryable], [503, 'database_unreachable', true], text)
      assert.match(body.detail, /database .* cannot be reached/)
    }
  } finally {
    await millrace.end('SIGKILL')
  }
})

test('it stops with 0 without its database', async () => {
  const database = await freshDatabase()
  const proxy = await startPostgresProxy(database.url)
  const started = await Promise.all(
    (['all', 'worker'] as const).map((role) => start({ databaseUrl: proxy.url, role })),
  )
  try {
    proxy.away()
    for (const each of started) assert.equal(await each.end('SIGTERM'), 0, each.lines.join('\n'))
  } finally {
    await proxy.close()
    await database.drop()
  }
})

test('it reports a taken port before it creates a database', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-start-'))
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  try {
    await refuses({ PORT: String(port), MILLRACE_DATA_DIR: dataDir }, `another program uses port ${port}`)
    assert.deepEqual(await readdir(dataDir), [])
  } finally {
    holder.close()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('it reports why a database refuses the connection', async () => {
  const database = await freshDatabase()
  const changed = (change: (url: URL) => void) => {
    const url = new URL(database.url)
    change(url)
    return { DATABASE_URL: url.href }
  }
  try {
    await refuses(
      changed((url) => {
        url.password = 'canary-password'
      }),
      'DATABASE_URL: .* rejected the user',
    )
    await refuses(
      changed((url) => {
        url.pathname = '/nowhere'
      }),
      'DATABASE_URL: there is no database "nowhere"',
    )
  } finally {
    await database.drop()
  }
})

for (const [what, env, says] of [
  ['a wrong value', { PORT: 'eighty' }, 'PORT must be'],
  ['a short key', { MILLRACE_SETUP_API_KEY: 'canary-too-short' }, 'MILLRACE_SETUP_API_KEY must be'],
  // In a network reserved for documentation; no machine has it.
  ['a host of another machine', { HOST: '192.0.2.1' }, '192.0.2.1 is not an address of this machine.*HOST'],
  [
    'a database that is not there',
    { DATABASE_URL: 'postgresql://u:canary-password@127.0.0.1:9/x' },
    'DATABASE_URL: no PostgreSQL listens on 127.0.0.1:9',
  ],
  [
    'a database address with half an escape',
    { DATABASE_URL: 'postgresql://u:canary%zz@127.0.0.1:9/x' },
    'DATABASE_URL must be .*%25',
  ],
  [
    'a data directory that cannot be created',
    { MILLRACE_DATA_DIR: '/proc/millrace/data' },
    '/proc/millrace/data cannot be created.*MILLRACE_DATA_DIR',
  ],
  ['a data directory that is a file', { MILLRACE_DATA_DIR: '/etc/passwd' }, '/etc/passwd.*MILLRACE_DATA_DIR'],
] as const) {
  test(`it exits with one clear line: ${what}`, () => refuses(env, says))
}

async function refuses(env: Record<string, string>, says: string): Promise<void> {
  await assert.rejects(start({ env: { MILLRACE_MASTER_KEY: '', ...env } }), (error: Error) => {
    assert.match(error.message, new RegExp(`ended with 2 .*\nmillrace: .*${says}`))
    assert.doesNotMatch(error.message, /canary/)
    assert.equal(error.message.split('\n').length, 2, error.message)
    return true
  })
}
