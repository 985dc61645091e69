import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { type Api, apiOf } from '../world/api.ts'
import { type Flow, run, startRun } from '../world/flow.ts'
import { type ModelEndpoint, startModelEndpoint } from '../world/model-endpoint.ts'
import { assertSuccess, openSpace } from '../world/open-space.ts'
import { withDatabase } from '../world/past-runs.ts'
import { firstAdministrator, type PageClient } from '../world/person.ts'
import { startMillrace, TEST_KEY } from '../world/service.ts'
import { holds } from '../world/settled.ts'
import type { World } from '../world/world.ts'

const METRICS_TOKEN = 'metrics-token-0123456789'
const MAX_KEYS = 4
const RATE = 10

type Refusal = { detail: string; code: string }
type Invalid = { detail: { loc: (string | number)[]; msg: string; type: string }[] }
type Documents = { items: { record_id: string; error: { code: string; message: string } | null }[] }

const partition = { name: 'P', type: 'partition', subtype: 'auto' }
const chunk = (settings: object = {}) => ({ name: 'C', type: 'chunk', subtype: 'chunk_by_title', settings })
const embed = (settings: object) => ({ name: 'E', type: 'embed', subtype: 'openai', settings })
const context = (model: string) =>
  chunk({
    contextual_chunking_strategy: 'v1',
    contextual_chunking_provider: 'openai',
    contextual_chunking_model: model,
  })
const own = embed({ model_name: 'own', dimensions: 8 })

/** What one tenant may use of a shared service. */
describe('limits of a workspace', () => {
  let models: ModelEndpoint
  let world: World
  let flow: Flow
  let ada: PageClient
  let workspace: string
  let page: string
  let ann: string
  let secondKey: string

  before(async () => {
    models = await startModelEndpoint()
    models.says = () => 'A page about mills.'
    const env = {
      MILLRACE_OPENAI_BASE_URL: `${models.url}/v1`,
      MILLRACE_OPENAI_API_KEY: 'sk-0123456789',
      MILLRACE_OPENAI_MODEL: 'eyes',
      MILLRACE_ALLOWED_MODELS: 'openai/eyes, openai/ow*',
      MILLRACE_MAX_KEYS: String(MAX_KEYS),
      MILLRACE_MAX_WORKSPACES: '2',
      MILLRACE_METRICS_TOKEN: METRICS_TOKEN,
    }
    ;({ world, flow, ann } = await openSpace(71, { spaces: ['OPN'] }, env))
    ;({ ada, workspace } = await firstAdministrator(world.millrace))
    page = await world.wiki.control.createPage({
      space: 'OPN',
      title: 'Mills',
      body: '<p>Water turns a wheel.</p>',
    })
  })
  after(async () => {
    await world.close()
    await models.close()
  })

  test('it refuses a secret of more than 4,096 characters, by name', async () => {
    const config = {
      url: world.wiki.siteUrl,
      username: 'a@b.example',
      token: 'x'.repeat(100_000),
      cloud: true,
    }
    const refused = [
      await world.api.post<Invalid>('/sources/options', { type: 'wiki', config }),
      await world.api.post<Invalid>('/sources', { name: 'Long', type: 'wiki', config }),
    ]
    for (const { status, body, text } of refused) {
      assert.equal(status, 422, text.slice(0, 500))
      assert.deepEqual(body.detail, [
        {
          ...{ loc: ['body', 'config', 'token'], type: 'string_too_long' },
          msg: 'a secret may have 4,096 characters at most',
        },
      ])
    }
  })

  test('it limits keys, also when they are created at the same time', async () => {
    const first = await ada.post<{ key: string }>('/keys', { name: 'second' })
    assert.equal(first.status, 201, first.text)
    secondKey = first.body.key
    const free = MAX_KEYS - 2
    const answers = await Promise.all(
      Array.from({ length: free + 3 }, (_, index) =>
        ada.post<Refusal & { id: string }>('/keys', { name: `key ${index}` }),
      ),
    )
    const created = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status !== 201)
    assert.equal(created.length, free)
    for (const { status, body } of refused) {
      assert.deepEqual([status, body.code], [409, 'not_possible'])
      assert.match(body.detail, /has 4 API keys, the limit. Delete keys .* MILLRACE_MAX_KEYS/)
    }
    assert.equal((await ada.delete(`/keys/${created[0]?.body.id}`)).status, 200)
    assert.equal((await ada.post('/keys', { name: 'in its place' })).status, 201)
  })

  test('it limits personal tokens of a person', async () => {
    const answers = await Promise.all(
      Array.from({ length: 52 }, (_, index) =>
        ada.post<Refusal>('/personal-tokens', { name: `token ${index}` }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 50)
    const refused = answers.filter(({ status }) => status === 409)
    assert.equal(refused.length, 2)
    assert.match(refused[0]?.body.detail ?? '', /50 personal tokens here, the limit. Delete tokens/)
  })

  test('it limits workspaces of the service', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map((n) => ada.post<Refusal>('/workspaces', { name: `Other ${n}` })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
    const refused = answers.find(({ status }) => status === 409)
    assert.match(refused?.body.detail ?? '', /has 2 workspaces, the limit. .* MILLRACE_MAX_WORKSPACES/)
  })

  test('it counts the requests of all keys of a workspace together', async () => {
    const strict = await startMillrace({
      ...{ databaseUrl: world.databaseUrl, role: 'api' },
      env: { MILLRACE_WORKSPACE_RATE_LIMIT: String(RATE) },
    })
    try {
      const url = strict.url ?? ''
      const callers: Api[] = [apiOf(url), apiOf(url, secondKey)]
      const answers = await Promise.all(
        Array.from({ length: RATE + 6 }, (_, index) => callers[index % 2]!.get<Refusal>('/sources')),
      )
      const refused = answers.filter(({ status }) => status === 429)
      assert.equal(answers.filter(({ status }) => status === 200).length, RATE)
      assert.equal(refused.length, 6)
      for (const { body, headers } of refused) {
        assert.equal(body.code, 'rate_limited')
        assert.match(body.detail, /Rate limit of the workspace exceeded \(10 requests per minute\), retry in/)
        const seconds = Number(headers.get('retry-after'))
        assert.ok(seconds >= 1 && seconds <= 60, `${seconds} s`)
        assert.equal(headers.get('x-ratelimit-limit'), String(RATE))
      }
      const general = await fetch(`${url}/general/v0/general`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TEST_KEY}` },
        body: new FormData(),
      })
      assert.equal(general.status, 429, await general.text())
    } finally {
      await strict.end('SIGTERM')
    }
  })

  test('it refuses models that the operator does not allow, by node', async () => {
    const cases = [
      [[partition, context('huge'), own], 1, 'contextual_chunking_model', 'openai/huge'],
      [[partition, chunk(), embed({ model_name: 'huge', dimensions: 8 })], 2, 'model_name', 'openai/huge'],
    ] as const
    for (const [workflow_nodes, index, field, model] of cases) {
      const { status, body } = await world.api.put<Invalid>(`/workflows/${flow.workflowId}`, {
        workflow_nodes,
      })
      assert.equal(status, 422)
      assert.deepEqual(
        body.detail.map(({ loc }) => loc),
        [['body', 'workflow_nodes', index, 'settings', field]],
      )
      const msg = `the model "${model}" is not allowed here; allowed are openai/eyes, openai/ow*`
      assert.equal(body.detail[0]?.msg, msg)
    }
    assert.equal(models.asked.length, 0)
  })

  test('it does not run a stored workflow with such a model', async () => {
    await setNodes([partition, context('eyes'), own])
    await withDatabase(world, (db) =>
      sql`update workflows set nodes = replace(nodes::text, '"eyes"', '"huge"')::jsonb where id = ${flow.workflowId}`.execute(
        db,
      ),
    )
    const { status, details } = await run(world, flow)
    assert.equal(status, 'FAILED')
    assert.match(
      details.message ?? '',
      /the model "openai\/huge" is not allowed here; allowed are openai\/eyes/,
    )
    const preview = await world.api.post<Invalid>(`/workflows/${flow.workflowId}/preview`, { limit: 1 })
    assert.equal(preview.status, 422, preview.text)
    assert.equal(models.asked.length, 0)
  })

  test('it counts model tokens, but not those of cached answers', async () => {
    await setNodes([partition, context('eyes'), own])
    await assertSuccess(run(world, flow))
    const counted = await tokens()
    assert.ok(counted > 0)
    assert.equal((await world.api.post(`/workflows/${flow.workflowId}/preview`, { limit: 10 })).status, 200)
    assert.equal(await tokens(), counted)
  })

  test('it fails documents beyond the tokens of a day, and processes them the next day', async () => {
    await useUpTokens()
    const asked = models.asked.length
    await world.wiki.control.editPage(page, { body: '<p>Wind turns sails.</p>' })
    const { id, details } = await run(world, flow)
    assert.equal(details.processing_status, 'COMPLETED_WITH_ERRORS')
    assert.equal(details.counts.failed, 1)
    const { items } = (await world.api.get<Documents>(`/jobs/${id}/documents?state=failed`)).body
    assert.deepEqual(
      items.map((each) => [each.record_id.split('/').at(-1), each.error?.code]),
      [[page, 'model_tokens_used_up']],
    )
    assert.match(items[0]?.error?.message ?? '', /resets at \d{4}-\d\d-\d\dT00:00:00Z \(UTC midnight\)/)

    const preview = await world.api.post<Refusal>(`/workflows/${flow.workflowId}/preview`, {
      record_ids: [items[0]?.record_id],
    })
    assert.deepEqual([preview.status, preview.body.code], [429, 'model_tokens_used_up'], preview.text)
    const seconds = Number(preview.headers.get('retry-after'))
    assert.ok(seconds >= 1 && seconds <= 24 * 3600, `${seconds} s`)
    assert.equal(models.asked.length, asked)

    await withDatabase(world, (db) => sql`delete from model_tokens`.execute(db))
    const next = await assertSuccess(run(world, flow))
    assert.equal(next.details.counts.failed, 0)
    assert.ok(models.asked.length > asked)
  })

  test('it fails documents whose embedding needs more tokens', async () => {
    await setNodes([partition, chunk(), own])
    await assertSuccess(run(world, flow))
    await useUpTokens()
    await world.wiki.control.editPage(page, { body: '<p>Steam turns a turbine.</p>' })
    const { id } = await run(world, flow)
    const { items } = (await world.api.get<Documents>(`/jobs/${id}/documents?state=failed`)).body
    assert.deepEqual(
      items.map(({ error }) => error?.code),
      ['model_tokens_used_up'],
    )
    const asked = models.asked.length
    // The index shows what was written within a second.
    await holds(async () => {
      const found = await world.api.post<{ total: number }>(`/destinations/${flow.destinationId}/search`, {
        ...{ query: 'sails wind', as: { user: ann } },
      })
      assert.deepEqual([found.status, found.body.total > 0], [200, true], found.text)
    })
    assert.equal(models.asked.length, asked, 'it searches by words')
    await withDatabase(world, (db) => sql`delete from model_tokens`.execute(db))
  })

  test('it serves metrics only with the token', async () => {
    const read = (authorization?: string) =>
      fetch(`${world.millrace.url}/metrics`, authorization ? { headers: { authorization } } : {})
    for (const wrong of [undefined, 'Bearer wrong', `Basic ${METRICS_TOKEN}`, `Bearer ${METRICS_TOKEN}x`]) {
      const refused = await read(wrong)
      assert.equal(refused.status, 401, wrong)
      assert.equal(refused.headers.get('www-authenticate'), 'Bearer')
    }
    const served = await read(`Bearer ${METRICS_TOKEN}`)
    assert.equal(served.status, 200)
    assert.match(await served.text(), /millrace_jobs/)
  })

  test('it limits the event streams of a caller', async () => {
    await world.wiki.control.fail({ path: 'spaces', isHeld: true, times: null })
    const job = await startRun(world, flow)
    // A response that nothing refers to is collected, which closes its stream.
    const open: { controller: AbortController; response: Response }[] = []
    const openWith = async (key: string) => {
      const controller = new AbortController()
      const response = await fetch(`${world.api.base}/jobs/${job}/events`, {
        headers: { authorization: `Bearer ${key}` },
        signal: controller.signal,
      })
      if (response.status === 200) open.push({ controller, response })
      return response
    }
    try {
      const head = { method: 'HEAD', headers: { authorization: `Bearer ${TEST_KEY}` } }
      assert.equal((await fetch(`${world.api.base}/jobs/${job}/events`, head)).status, 405)
      for (let count = 0; count < 20; count++) assert.equal((await openWith(TEST_KEY)).status, 200)
      const refused = await openWith(TEST_KEY)
      assert.equal(refused.status, 429)
      assert.equal(refused.headers.get('retry-after'), '10')
      const body = (await refused.json()) as Refusal
      assert.equal(body.code, 'rate_limited')
      assert.match(body.detail, /20 event streams open, the limit. Close streams .* poll GET/)
      assert.equal((await openWith(secondKey)).status, 200)
      open[0]?.controller.abort()
      await holds(async () => assert.equal((await openWith(TEST_KEY)).status, 200))
    } finally {
      for (const { controller } of open) controller.abort()
      await world.wiki.control.clearFaults()
      await world.api.post(`/jobs/${job}/cancel`)
    }
  })

  async function setNodes(workflow_nodes: object[]): Promise<void> {
    const changed = await world.api.put(`/workflows/${flow.workflowId}`, { workflow_nodes })
    assert.equal(changed.status, 200, changed.text)
  }

  const tokens = () =>
    withDatabase(world, async (db) => {
      const { rows } = await sql<{ sum: string }>`select sum(tokens) from model_tokens`.execute(db)
      return Number(rows[0]?.sum ?? 0)
    })

  /** Of tomorrow too, because the test may run at midnight. */
  const useUpTokens = () =>
    withDatabase(world, (db) =>
      sql`
        insert into model_tokens (workspace_id, day, tokens)
        select ${workspace}, (now() at time zone 'utc')::date + n, 1000000000 from generate_series(0, 1) as n
        on conflict (workspace_id, day) do update set tokens = excluded.tokens
      `.execute(db),
    )
})
