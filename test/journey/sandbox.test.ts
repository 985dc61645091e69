import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { sandboxName, sandboxPassword } from '../../src/store/sandbox/sandbox.ts'
import { createVault } from '../../src/store/vault.ts'
import { assertFieldRefused, assertRefused, okBody, type Refusal } from '../world/answers.ts'
import { type Api, apiOf } from '../world/api.ts'
import { WITH_FAST_EMBEDDING } from '../world/fast-embedding.ts'
import { PLAIN_NODES, until } from '../world/flow.ts'
import { firstAdministrator, type PageClient } from '../world/person.ts'
import { dropDatabase, type FreshDatabase, migratedDatabase, testServer } from '../world/postgres.ts'
import { MASTER_KEY, type Millrace, type ServiceOptions, startMillrace } from '../world/service.ts'

type Sandbox = {
  available: boolean
  reason: string | null
  destination_id: string | null
  max_documents: number
  documents: number
}
type Destination = { id: string; name: string; sandbox: boolean; config: Record<string, unknown> }
type Try = {
  source_id: string
  destination_id: string
  workflow_id: string
  job_id: string
  people: { id: string; name: string; role: string; query: string }[]
}
type Job = { id: string; status: string; processing_status: string; counts: Record<string, number> }

describe('the sandbox', () => {
  let database: FreshDatabase
  let millrace: Millrace
  let api: Api
  let ada: PageClient
  let workspace: string
  let sandbox: Destination
  const log: string[] = []

  const start = async (options: ServiceOptions = {}) => {
    millrace = await startMillrace({ databaseUrl: database.url, env: WITH_FAST_EMBEDDING, ...options })
    api = apiOf(millrace.url ?? '')
  }
  const stop = async () => {
    await millrace.end('SIGTERM')
    log.push(...millrace.lines, ...api.answers)
  }
  before(async () => {
    database = await migratedDatabase()
    await start()
    ;({ ada, workspace } = await firstAdministrator(millrace))
  })
  after(async () => {
    await stop()
    await database.drop()
  })

  const state = async () => okBody(await api.get<Sandbox>('/sandbox'))
  const created = async () => okBody(await api.post<Destination>('/sandbox'))
  const tried = async () => okBody(await api.post<Try>('/samples/try'))
  async function setupOf(caller: Pick<typeof api, 'get'>) {
    return okBody(await caller.get<{ setup: Record<string, unknown> }>('/overview')).setup
  }
  async function rowsOf(statement: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    return (await client.query(statement).finally(() => client.end())).rows
  }
  /** No job ends meanwhile: it waits for a fence, and locks no other row meanwhile. */
  async function withoutListings(work: () => Promise<void>): Promise<void> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('begin; lock table fences in exclusive mode')
    await work().finally(() => client.end())
  }
  async function checked(): Promise<void> {
    const path = `/destinations/${sandbox.id}/connection-check`
    assert.equal((await api.post(path)).status, 202)
    const { status, reason, steps } = await until(
      async () => (await api.get<{ status: string; reason: string | null; steps: object[] }>(path)).body,
      (check) => check.status !== 'SCHEDULED',
    )
    assert.equal(status, 'SUCCESS', reason ?? '')
    assert.doesNotMatch(JSON.stringify(steps), /millrace_sandbox_\w+\.elements/)
  }
  const ended = async (id: string) => {
    const answer = await until(
      () => api.get<Job>(`/jobs/${id}`),
      ({ status, body }) => status === 200 && !['SCHEDULED', 'IN_PROGRESS'].includes(body.status),
      180,
    )
    return answer.body
  }

  test('it is one destination of the workspace, also when created several times at once', async () => {
    assert.deepEqual(await state(), {
      ...{ available: true, reason: null, destination_id: null, max_documents: 5000, documents: 0 },
    })
    const all = await Promise.all([created(), created(), created()])
    sandbox = all[0]
    assert.deepEqual([...new Set(all.map(({ id }) => id))], [sandbox.id])
    assert.deepEqual(
      [sandbox.name, sandbox.sandbox, sandbox.config.password],
      ['Sandbox', true, '**********'],
    )
    assert.equal((await state()).destination_id, sandbox.id)
    const check = okBody(await api.get<Destination>(`/destinations/${sandbox.id}`))
    assert.deepEqual(check, sandbox)
    const listed = okBody(await api.get<Destination[]>('/search/destinations'))
    assert.deepEqual(listed, [{ id: sandbox.id, name: 'Sandbox', sandbox: true, last_written_at: null }])
  })

  test('it passes its connection check', () => checked())

  test('it keeps its settings: only the name changes', async () => {
    const put = (config: object, name?: string) =>
      api.put<Refusal>(`/destinations/${sandbox.id}`, { config, ...(name ? { name } : {}) })
    for (const [field, value] of Object.entries({
      host: 'db.example.com',
      username: 'millrace',
      password: 'guess',
      table_name: 'public.connectors',
      ssl_mode: 'disable',
      user: 'postgres',
    }))
      assertFieldRefused(await put({ ...sandbox.config, [field]: value }), new RegExp(`config.${field}$`))
    assert.equal((await put(sandbox.config, 'Playground')).status, 200)
    const { name, config } = okBody(await api.get<Destination>(`/destinations/${sandbox.id}`))
    assert.deepEqual([name, config], ['Playground', sandbox.config])
  })

  test('it is the only destination inside the database of the service', async () => {
    const server = { host: 'db.example.com', database: 'd', username: 'u', password: 'p' }
    const post = (config: object) =>
      api.post<Refusal & Destination>('/destinations', {
        name: `no ${Math.random()}`,
        type: 'postgres',
        config,
      })
    for (const host of [
      'sandbox.millrace.internal',
      'x.SANDBOX.millrace.internal',
      'sandbox.millrace.internal.',
    ])
      assertFieldRefused(await post({ ...server, host }), /config.host$/)
    const own = okBody(await post(server))
    assert.equal(own.sandbox, false)
    const moved = { ...server, host: 'sandbox.millrace.internal' }
    assertFieldRefused(await api.put(`/destinations/${own.id}`, { config: moved }), /config.host$/)
    assert.equal((await api.delete(`/destinations/${own.id}`)).status, 200)
  })

  let first: Try
  test('it holds the sample wiki after a run, and a try finds that run', async () => {
    const source = okBody(await api.post<Destination>('/samples'))
    const workflow = okBody(
      await api.post<{ id: string }>('/workflows', {
        ...{ name: 'By hand', source_id: source.id, destination_id: sandbox.id },
        workflow_nodes: PLAIN_NODES,
      }),
    )
    const { body } = await api.post<Job>(`/workflows/${workflow.id}/run`)
    const job = await ended(body.id)
    assert.equal(job.processing_status, 'SUCCESS', JSON.stringify(job))
    assert.equal((await state()).documents, job.counts.new)
    const own = { has_source: false, has_destination: false, has_run: false, has_schedule: false }
    const { systems, ...setup } = await setupOf(api)
    const people = { has_colleague: false, has_token: false }
    assert.deepEqual(setup, { ...own, ...people, has_sample_run: true, sample_reason: null })
    assert.deepEqual(systems, {
      sources: ['Confluence Cloud', 'Confluence Data Center'],
      destinations: ['Elasticsearch', 'OpenSearch', 'PostgreSQL'],
    })
    first = await tried()
    assert.deepEqual(
      [first.workflow_id, first.job_id, first.source_id, first.destination_id],
      [workflow.id, job.id, source.id, sandbox.id],
    )
    assert.deepEqual(
      first.people.map(({ name, role, query }) => [name, role, query]),
      [
        ['Priya Nair', 'Chief people officer', 'salary bands'],
        ['Lena Fischer', 'Software engineer', 'salary bands'],
      ],
    )
  })

  test('it runs again in a try after a run into a full sandbox', async () => {
    const table = `"${sandboxName(workspace)}".elements`
    await rowsOf(`delete from ${table} where element_id <> 'millrace_control'`)
    await rowsOf(`insert into ${table} (id, record_id, element_id, fence)
      select n, 'other/' || n, 'e', 1 from generate_series(1, 5000) as n`)
    const path = `/workflows/${first.workflow_id}`
    okBody(await api.put(path, { reprocess_all: true }))
    const full = await ended((await api.post<Job>(`${path}/run`)).body.id)
    assert.equal(full.processing_status, 'COMPLETED_WITH_ERRORS')
    assert.equal(full.counts.failed, full.counts.discovered)
    await rowsOf(`delete from ${table} where record_id like 'other/%'`)
    const again = await tried()
    assert.notEqual(again.job_id, full.id)
    assert.equal((await ended(again.job_id)).processing_status, 'SUCCESS')
    assert.equal((await tried()).job_id, again.job_id)
    // A dump without the sandboxes lacks the table.
    await rowsOf(`drop table ${table}`)
    const restored = await tried()
    assert.notEqual(restored.job_id, again.job_id)
    assert.equal((await ended(restored.job_id)).processing_status, 'SUCCESS')
  })

  test('it is not deleted while a workflow uses it, and leaves nothing behind after that', async () => {
    assertRefused(await api.delete(`/destinations/${sandbox.id}`), 409, /By hand/)
    assert.equal((await api.delete(`/workflows/${first.workflow_id}`)).status, 200)
    assert.notEqual((await state()).documents, 0, 'the elements of a deleted workflow stay')
    assert.equal((await api.delete(`/destinations/${sandbox.id}`)).status, 200)
    const name = sandboxName(workspace)
    assert.deepEqual(await rowsOf(`select from pg_roles where rolname = '${name}'`), [])
    assert.deepEqual(await rowsOf(`select from pg_namespace where nspname = '${name}'`), [])
    assert.deepEqual([(await state()).destination_id, (await state()).documents], [null, 0])
  })

  test('it is created and filled by a try, once for several people at the same time', async () => {
    await withoutListings(async () => {
      const all = await Promise.all([tried(), tried(), tried()])
      const [again] = all
      assert.deepEqual(all, [again, again, again])
      assert.notEqual(again?.workflow_id, first.workflow_id)
      sandbox = okBody(await api.get<Destination>(`/destinations/${again?.destination_id}`))
      assert.ok(sandbox.sandbox)
      okBody(await api.post(`/jobs/${again?.job_id}/cancel`))
      await ended(again?.job_id ?? '')
      const restarted = await tried()
      assert.equal(restarted.workflow_id, again?.workflow_id)
      assert.notEqual(restarted.job_id, again?.job_id, 'a stopped job does not count')
      okBody(await api.post(`/jobs/${restarted.job_id}/cancel`))
      await ended(restarted.job_id)
    })
    const audit = okBody(await ada.get<{ items: { action: string }[] }>('/audit'))
    const count = (action: string) => audit.items.filter((each) => each.action === action).length
    assert.deepEqual(['make_sandbox', 'delete_sandbox', 'make_sample', 'try_sample'].map(count), [2, 1, 1, 4])
  })

  test('it is another one in another workspace', async () => {
    const other = await ada.post<{ id: string }>('/workspaces', { name: 'Other' })
    ada.workspace = other.body.id
    assert.equal((await setupOf(ada)).has_sample_run, false)
    const theirs = okBody(await ada.post<Destination>('/sandbox'))
    assert.notEqual(theirs.config.username, sandbox.config.username)
    assert.equal((await ada.get(`/destinations/${sandbox.id}`)).status, 404)
    assert.equal((await ada.delete(`/destinations/${theirs.id}`)).status, 200)
    assert.equal((await rowsOf(`select from pg_roles where rolname = '${sandboxName(workspace)}'`)).length, 1)
    ada.workspace = workspace
  })

  test('it gets its role again when the service starts on a restored database', async () => {
    await stop()
    const role = sandboxName(workspace)
    await rowsOf(`reassign owned by "${role}" to current_user; drop owned by "${role}"; drop role "${role}"`)
    await start()
    assert.match(millrace.lines.join('\n'), /the sandbox was repaired/)
    await checked()
  })

  test('it is neither offered nor reachable if switched off, but can be deleted', async () => {
    await stop()
    await start({ role: 'api', env: { MILLRACE_SANDBOX: 'off' } })
    const off = await state()
    assert.deepEqual([off.available, off.destination_id], [false, sandbox.id])
    assert.match(off.reason ?? '', /MILLRACE_SANDBOX=on/)
    assertRefused(await api.post('/sandbox'), 409, /MILLRACE_SANDBOX=on/)
    assertRefused(await api.post('/samples/try'), 409, /MILLRACE_SANDBOX=on/)
    assert.match(String((await setupOf(api)).sample_reason), /MILLRACE_SANDBOX=on/)
    const check = await api.post<{ code: string }>(`/destinations/${sandbox.id}/search`, {
      ...{ query: 'salary', as: { user: 'x' } },
    })
    assert.equal(check.body.code, 'egress_refused', check.text)
    for (const { id } of okBody(await api.get<{ id: string }[]>('/workflows')))
      await api.delete(`/workflows/${id}`)
    assert.equal((await api.delete(`/destinations/${sandbox.id}`)).status, 200)
    assert.deepEqual(await rowsOf(`select from pg_roles where rolname = '${sandboxName(workspace)}'`), [])
  })

  test('it never shows its password', () => {
    const password = sandboxPassword(createVault(MASTER_KEY), workspace)
    log.push(...millrace.lines, ...api.answers)
    assert.ok(log.length > 50)
    assert.deepEqual(
      log.filter((line) => line.includes(password)),
      [],
    )
  })

  test('it names what the database account lacks, and the service works without it', async () => {
    const limited = `millrace_limited_${process.pid}`
    const server = new pg.Client({ connectionString: await testServer() })
    await server.connect()
    const url = new URL(database.url)
    Object.assign(url, { username: limited, password: 'limited', pathname: limited })
    let other: Millrace | undefined
    try {
      await server.query(`create role ${limited} login password 'limited'`)
      await server.query(`grant ${limited} to current_user`)
      await server.query(`create database ${limited} owner ${limited}`)
      other = await startMillrace({ databaseUrl: url.href, role: 'api' })
      const there = apiOf(other.url ?? '')
      const { available, reason } = okBody(await there.get<Sandbox>('/sandbox'))
      assert.equal(available, false)
      assert.match(reason ?? '', new RegExp(`alter role ${limited} createrole`))
      assertRefused(await there.post('/sandbox'), 409, /createrole/)
      assertRefused(await there.post('/samples/try'), 409, /createrole/)
      assert.deepEqual(okBody(await there.get('/sources')), [])
    } finally {
      await other?.end('SIGTERM')
      await dropDatabase(limited)
        .then(() => server.query(`drop role if exists ${limited}`))
        .finally(() => server.end())
    }
  })
})
