import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { okBody } from '../world/answers.ts'
import { apiOf } from '../world/api.ts'
import { WITH_FAST_EMBEDDING } from '../world/fast-embedding.ts'
import { finish } from '../world/flow.ts'
import { startIssuer } from '../world/issuer.ts'
import { firstAdministrator, joinWorkspace } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { pythonWithRetrievers } from '../world/python.ts'
import { personas } from '../world/sample/people.ts'
import { startMillrace, TEST_KEY } from '../world/service.ts'

const execute = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const SCRIPT = join(import.meta.dirname, 'python_package.py')
const QUERY = 'salary bands'
const { priya, lena } = personas
const SECRET = priya.searches[0]?.finds.find((title) => lena.doesNotSee.includes(title)) ?? ''

type Try = { source_id: string; destination_id: string; workflow_id: string; job_id: string }
type Settings = Record<string, string>

describe('the Python package', () => {
  const closing: (() => Promise<unknown>)[] = []
  let python: string
  let oldest: string
  let folder: string
  let installed: string
  let wheel: string
  let settings: Settings
  let busy: BusyServer

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'python-package-'))
    closing.push(() => rm(folder, { recursive: true, force: true }))
    busy = await startBusyServer()
    closing.push(busy.stop)
    const service = openSample(closing)
    ;[python, oldest] = await Promise.all([pythonWithRetrievers('current'), pythonWithRetrievers('oldest')])
    const pip = (...args: string[]) => execute(python, ['-m', 'pip', '--quiet', ...args], { cwd: folder })
    await pip('wheel', '--no-build-isolation', '--no-deps', join(root, 'packages/python'))
    wheel = join(folder, (await readdir(folder)).find((name) => name.endsWith('.whl')) ?? '')
    installed = join(folder, 'installed')
    await pip('install', '--no-deps', '--no-index', '--target', installed, wheel)
    settings = { ...(await service), busy: busy.url }
  })
  after(async () => {
    for (const close of closing.reverse()) await close()
  })

  const run = (program: string, args: string[], env: Settings = {}) =>
    execute(program, args, { cwd: folder, env: { PATH: process.env.PATH, PYTHONPATH: installed, ...env } })

  test('it is a wheel with types and a licence, and nothing else', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    assert.equal(wheel, join(folder, `millrace-${version}-py3-none-any.whl`))
    const { stdout } = await run(python, ['-m', 'zipfile', '--list', wheel])
    const names = stdout.split('\n').flatMap((line) => /^(\S+) .*\d$/.exec(line)?.[1] ?? [])
    const modules = ['__init__', '_async', '_hits', '_session', '_sync', 'errors', 'langchain', 'llama_index']
    const about = ['METADATA', 'RECORD', 'WHEEL', 'licenses/LICENSE']
    assert.deepEqual(
      names.sort(),
      [
        ...about.map((name) => `millrace-${version}.dist-info/${name}`),
        ...[...modules, 'options', 'types'].map((name) => `millrace/${name}.py`),
        'millrace/py.typed',
      ].sort(),
    )
    const [metadata, licence] = await Promise.all(
      ['METADATA', 'licenses/LICENSE'].map((name) =>
        readFile(join(installed, `millrace-${version}.dist-info`, name), 'utf8'),
      ),
    )
    assert.match(metadata ?? '', /^License-Expression: Apache-2\.0$/m)
    assert.equal(licence, await readFile(join(root, 'LICENSE'), 'utf8'))
  })

  test('it passes mypy --strict, and so does a program that uses it', async () => {
    const options = ['--config-file', join(root, 'packages/python/pyproject.toml')]
    const cache = ['--cache-dir', join(dirname(python), '../mypy-cache')]
    const checked = [SCRIPT, join(installed, 'millrace')]
    const { stdout } = await run(python, ['-m', 'mypy', ...options, ...cache, ...checked], {
      MYPYPATH: installed,
    })
    assert.match(stdout, /Success: no issues found/)
  })

  for (const versions of ['oldest', 'current'])
    test(`it works with the ${versions} versions of what it needs`, async () => {
      busy.counts.clear()
      const program = versions === 'oldest' ? oldest : python
      const { stdout } = await run(program, [SCRIPT, JSON.stringify(settings)])
      const { priya: priyas, lena: lenas, read, ...others } = JSON.parse(stdout)
      for (const [{ searches, doesNotSee }, titles] of [
        [priya, priyas],
        [lena, lenas],
      ] as const) {
        const { finds, mustNotFind } = searches.find(({ query }) => query === QUERY)!
        for (const title of finds) assert.ok(titles.includes(title), title)
        for (const title of [...mustNotFind, ...doesNotSee]) assert.ok(!titles.includes(title), title)
      }
      assert.ok(priyas.includes(read))
      assert.deepEqual(others, {
        prompt: 0,
        expired: ['unauthorized', 'person_token_invalid'],
        job: ['COMPLETED', 0],
        unreachable: 0,
      })
      const counts = { search: 3, final: 1, run: 1, moved: 1, proxy: 1, running: 3, silent: 1 }
      assert.deepEqual(Object.fromEntries(busy.counts), counts)
    })

  test('it runs the examples of the documentation', async () => {
    const page = await readFile(join(root, 'docs/python.md'), 'utf8')
    const examples = [...page.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code = '']) => code)
    assert.equal(examples.length, 6)
    const outputs = examples.map(async (code) => (await run(python, ['-c', code], envOf(settings))).stdout)
    const [quick, asLena, chain, engine, waited] = await Promise.all(outputs)
    for (const output of [quick, chain, engine])
      assert.match(output ?? '', new RegExp(`${SECRET} http://sample-wiki`))
    assert.match(chain ?? '', /^They are in \[1\]\.\n\[1\] /)
    assert.match(engine ?? '', /^\[1\] /m)
    assert.match(asLena ?? '', new RegExp(lena.searches[0]?.finds[0] ?? ''))
    assert.ok(!asLena?.includes(SECRET))
    assert.match(waited ?? '', /^(\d+ found\n)*SUCCESS \{/)
    const read =
      'import pyarrow.parquet as p; print(*set(p.read_table("elements.parquet")["title"].to_pylist()), sep="\\n")'
    const titles = (await run(python, ['-c', read])).stdout.split('\n')
    for (const title of lena.sees) assert.ok(titles.includes(title), title)
    for (const title of lena.doesNotSee) assert.ok(!titles.includes(title), title)
  })
})

function envOf(settings: Settings): Settings {
  const { url = '', destination = '', workflow = '', first_job: job = '' } = settings
  return {
    MILLRACE_URL: url,
    MILLRACE_DESTINATION: destination,
    MILLRACE_WORKFLOW: workflow,
    MILLRACE_JOB: job,
    MILLRACE_KEY: TEST_KEY,
    MILLRACE_SEARCH_KEY: settings.search_key ?? '',
    MILLRACE_PERSONAL_TOKEN: settings.priya_token ?? '',
    MILLRACE_PERSON_TOKEN: settings.lena_token ?? '',
  }
}

/** The sample wiki in the sandbox: Priya has a personal token, Lena one of the identity provider. */
async function openSample(closing: (() => Promise<unknown>)[]): Promise<Settings> {
  const [database, issuer] = await Promise.all([migratedDatabase(), startIssuer()])
  closing.push(database.drop, issuer.stop)
  const env = WITH_FAST_EMBEDDING
  const millrace = await startMillrace({ databaseUrl: database.url, allowedHosts: [issuer.host], env })
  closing.push(() => millrace.end('SIGTERM'))
  const url = millrace.url ?? ''
  const api = apiOf(url)
  const sample = okBody(await api.post<Try>('/samples/try'))
  const { ada, workspace } = await firstAdministrator(millrace)
  const { email } = priya.person
  const reader = await joinWorkspace(ada, url, { email, role: 'reader', workspace })
  const identities = [priya, lena].map(({ person }) => ({ email: person.email, account: person.accountId }))
  okBody(await ada.put('/identities', { source_id: sample.source_id, identities }))
  okBody(await ada.put('/identity', { issuer: issuer.url, audience: 'search', mapping: 'email' }))
  const key = await ada.post<{ key: string }>('/keys', { name: 'application', scope: 'search' })
  const token = async () =>
    (await reader.post<{ id: string; token: string }>('/personal-tokens', { name: 'script' })).body
  const [current, expired] = [await token(), await token()]
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client
    .query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [expired.id])
    .finally(() => client.end())
  const claims = { aud: 'search', sub: 'lena', email: lena.person.email, email_verified: true }
  const { status } = await finish({ api } as Parameters<typeof finish>[0], sample.job_id)
  assert.equal(status, 'COMPLETED')
  const found = await api.post<{ hits: { record_id: string; title: string }[] }>(
    `/destinations/${sample.destination_id}/search`,
    { query: QUERY, as: { user: priya.person.accountId }, size: 50 },
  )
  return {
    ...{ url, query: QUERY, destination: sample.destination_id, workflow: sample.workflow_id },
    ...{
      first_job: sample.job_id,
      full_key: TEST_KEY,
      search_key: key.body.key,
      lena: lena.person.accountId,
    },
    priya_token: current.token,
    lena_token: issuer.accessToken(claims),
    expired_personal_token: expired.token,
    expired_person_token: issuer.accessToken({ ...claims, exp: Math.floor(Date.now() / 1000) - 120 }),
    secret_title: SECRET,
    secret_record: found.body.hits.find(({ title }) => title === SECRET)?.record_id ?? '',
  }
}

type BusyServer = { url: string; counts: Map<string, number>; stop(): Promise<void> }

/** Refuses a search twice, and answers other requests as a failing service and a proxy do. */
async function startBusyServer(): Promise<BusyServer> {
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    const [, kind = ''] = /(search|final|run|moved|proxy|running|silent)$/.exec(request.url ?? '') ?? []
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    answer(response, kind, count)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const stop = () =>
    new Promise<void>((done) => {
      server.closeAllConnections()
      server.close(() => done())
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, counts, stop }
}

function answer(response: ServerResponse, kind: string, count: number): void {
  const json = (status: number, body: object, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  const unavailable = { detail: 'the source does not respond', code: 'source_unreachable', retryable: false }
  if (kind === 'search' && count === 1) json(429, { detail: 'too many' }, { 'retry-after': '1' })
  else if (kind === 'search' && count === 2) json(503, { detail: 'later' })
  else if (kind === 'search') json(200, { hits: [], next: null })
  else if (kind === 'final') json(503, unavailable)
  else if (kind === 'run') json(503, { detail: 'later' })
  else if (kind === 'moved') json(302, {}, { location: '/api/v1/jobs/other' })
  else if (kind === 'running') json(200, { status: 'IN_PROGRESS' })
  else if (kind === 'proxy') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>')
}
