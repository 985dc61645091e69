import assert from 'node:assert/strict'
import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, glob, lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { okBody } from '../world/answers.ts'
import { type Api, apiOf } from '../world/api.ts'
import { until } from '../world/flow.ts'
import { buildImage, type Image } from '../world/image.ts'
import { makeNamespaces, type Namespaces } from '../world/namespaces.ts'
import { freshDatabase, temporaryFolder } from '../world/postgres.ts'
import { pythonWithOpenapiTools } from '../world/python.ts'
import { TEST_KEY } from '../world/service.ts'

const USER = 10_001
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')
const root = join(import.meta.dirname, '../..')
const files = join(root, 'test/fixtures/files')

/** At most ten; the scan needs OCR. */
const FILES = [
  'scan.pdf',
  'handbook.pdf',
  'handbook.docx',
  'handbook.doc',
  'handbook.odt',
  'talk.pptx',
  'stock.xlsx',
  'letter.msg',
  'handbook.epub',
  'stock.csv',
]

type Ended = { status: string; counts: { new: number } }

describe('the image', () => {
  let image: Image
  let namespaces: Namespaces
  let folder: string
  before(async () => {
    folder = await temporaryFolder('image-')
    image = await buildImage()
    namespaces = await makeNamespaces([])
  })
  after(async () => {
    await namespaces?.remove()
    await image?.remove()
    await rm(folder, { recursive: true, force: true })
  })

  /** Runs a command of the image and reads its lines. */
  const start = async (name: string, command: string[], env: Record<string, string> = {}) => {
    const data = join(folder, name)
    await mkdir(data, { recursive: true })
    await chown(data, USER, USER)
    return watch(image.start(namespaces, { command, data, env }))
  }
  const reach = async (port: number): Promise<Api> =>
    apiOf(`http://127.0.0.1:${await namespaces.relay(port, { from: null, to: namespaces.office.name })}`)

  test('it has a user without rights, one volume, a health check and labels', async () => {
    const { User, Volumes, Entrypoint, Cmd, StopSignal, Healthcheck, Labels } = image.config
    assert.equal(User, `${USER}:${USER}`)
    assert.deepEqual(Object.keys(Volumes), ['/data'])
    assert.equal([...Entrypoint, ...Cmd].join(' '), 'tini -- node /opt/millrace/bin/millrace.js start')
    assert.deepEqual([StopSignal, Healthcheck.Test.at(-1)], ['SIGTERM', 'health'])
    assert.equal(Labels['org.opencontainers.image.licenses'], 'Apache-2.0')
  })

  test('it holds only what runs, without rights for its user, in 375 MB above the base', async () => {
    const own = join(image.path, 'opt/millrace')
    let bytes = 0
    for await (const path of glob('**', { cwd: own })) {
      assert.doesNotMatch(path, /\.tsx?$|\.map$|\.test\.|node_modules\/(vite|typescript|@biomejs|playwright)/)
      const entry = await lstat(join(own, path))
      if (!entry.isSymbolicLink()) assert.deepEqual([entry.uid, entry.mode & 0o6022], [0, 0], path)
      bytes += entry.size
    }
    assert.ok(bytes < 375_000_000, `${bytes} bytes`)
  })

  test('it has a compose file that follows the specification', async () => {
    const python = await pythonWithOpenapiTools()
    const args = ['-m', 'check_jsonschema', '--builtin-schema', 'vendor.compose-spec', 'ops/compose.yaml']
    const { status, stdout } = spawnSync(python, args, { cwd: root, encoding: 'utf8' })
    assert.equal(status, 0, stdout)
  })

  test('it runs the service with its database on a read-only root, reads every kind of file and stops', async () => {
    const service = await start('all', ['start'], { MILLRACE_SETUP_API_KEY: TEST_KEY })
    await service.line(/millrace is ready/)
    const api = await reach(8080)
    const health = await start('all', ['health'])
    assert.equal(await health.code, 0, health.text())

    const { job_id: id } = okBody(await api.post<{ job_id: string }>('/samples/try'))
    const job = await until(
      async () => okBody(await api.get<Ended>(`/jobs/${id}`)),
      ({ status }) => !['SCHEDULED', 'IN_PROGRESS'].includes(status),
    )
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job))

    const headers = { authorization: `Bearer ${TEST_KEY}` }
    const answer = await fetch(`${api.base}/jobs/`, { method: 'POST', headers, body: await everyFile() })
    const uploaded = (await answer.json()) as { id: string }
    assert.equal(answer.status, 200, JSON.stringify(uploaded))
    const read = await until(
      async () => okBody(await api.get<Ended>(`/jobs/${uploaded.id}`)),
      ({ status }) => !['SCHEDULED', 'IN_PROGRESS'].includes(status),
      180,
    )
    assert.equal(read.status, 'COMPLETED', service.text())

    service.stop('SIGTERM')
    assert.equal(await service.code, 0)
    assert.match(service.text(), /"msg":"stopped"/)
    assert.doesNotMatch(service.text(), /EROFS|read-only file system/i)
  })

  test('it migrates a database, serves and works in parts, and writes a backup', async () => {
    const database = await freshDatabase()
    try {
      const port = Number(new URL(database.url).port)
      await namespaces.relay(port, { from: namespaces.office.name, to: null })
      const env = { DATABASE_URL: database.url, MILLRACE_MASTER_KEY: MASTER_KEY }
      const migration = await start('migrate', ['migrate'], env)
      assert.equal(await migration.code, 0, migration.text())
      assert.match(migration.text(), /Migrated: /)
      const again = await start('migrate', ['migrate'], env)
      assert.equal(await again.code, 0)
      assert.match(again.text(), /up to date/)

      const api = await start('api', ['start', '--role', 'api'], { ...env, MILLRACE_SETUP_API_KEY: TEST_KEY })
      const worker = await start('worker', ['start', '--role', 'worker'], env)
      await Promise.all([api.line(/millrace is ready/), worker.line(/millrace is ready/)])
      const { job_id: id } = okBody(await (await reach(8080)).post<{ job_id: string }>('/samples/try'))
      const { body } = await until(
        async () => (await reach(8080)).get<Ended>(`/jobs/${id}`),
        ({ body: { status } }) => !['SCHEDULED', 'IN_PROGRESS'].includes(status),
      )
      assert.equal(body.status, 'COMPLETED')
      const backup = await start('backup', ['backup', '/data/millrace.backup'], env)
      assert.equal(await backup.code, 0, backup.text())
      assert.deepEqual(
        (await readdir(join(folder, 'backup'))).filter((name) => name.endsWith('.backup')),
        ['millrace.backup'],
      )
      for (const container of [api, worker]) container.stop('SIGTERM')
      assert.deepEqual(await Promise.all([api.code, worker.code]), [0, 0])
    } finally {
      await database.drop()
    }
  })
})

/** To be read and embedded. */
async function everyFile(): Promise<FormData> {
  const form = new FormData()
  form.set(
    'request_data',
    JSON.stringify({
      job_nodes: [
        { name: 'Partitioner', type: 'partition', subtype: 'auto' },
        { name: 'Chunker', type: 'chunk', subtype: 'chunk_by_title' },
        { name: 'Embedder', type: 'embed', subtype: 'local' },
      ],
    }),
  )
  for (const name of FILES) form.append('input_files[]', new File([await readFile(join(files, name))], name))
  return form
}

function childrenOf(pid: number | undefined): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return stdout.trim().split(/\s+/).filter(Boolean).map(Number)
}

type Container = {
  /** Resolves when a line matches; fails when the process ends before. */
  line(pattern: RegExp): Promise<void>
  text(): string
  /** The exit code, or null after a signal. */
  code: Promise<number | null>
  stop(signal: NodeJS.Signals): void
}

function watch(child: ChildProcess): Container {
  const lines: string[] = []
  const code = once(child, 'exit').then(([exitCode]) => exitCode as number | null)
  const reading = createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line))
  return {
    async line(pattern) {
      const ended = code.then(() => {
        throw new Error(`it ended before ${pattern}: ${lines.join('\n')}`)
      })
      ended.catch(() => {})
      while (!lines.some((line) => pattern.test(line))) await Promise.race([once(reading, 'line'), ended])
    },
    text: () => lines.join('\n'),
    code,
    stop(signal) {
      // What separates the container from the test ignores signals that are meant for it.
      const [inside] = signal === 'SIGKILL' ? [] : childrenOf(child.pid)
      process.kill(inside ?? child.pid!, signal)
    },
  }
}
