import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { finish, makeFlow, run, startRun, until } from '../world/flow.ts'
import { TEST_KEY } from '../world/service.ts'
import { fault } from '../world/wiki/faults.ts'
import { crawler, openWorld, type World } from '../world/world.ts'

test('it shows no secret in responses, logs or database rows', async () => {
  const world = await openWorld({
    wiki: { seed: 9, pages: 30, spaces: 2, people: 6, groups: 3 },
    env: { LOG_LEVEL: 'trace' },
  })
  try {
    const wrong = { token: 'canary-wiki-token-that-is-wrong', password: 'canary-wiki-password-9c41' }
    const wrongKey = btoa('canary-key-id:canary-key-value')
    const canaries = [
      crawler.apiToken,
      world.indexKey,
      TEST_KEY,
      wrong.token,
      wrong.password,
      wrongKey,
      'canary-key-value',
    ]

    const flow = await makeFlow(world)
    await run(world, flow)
    await everyRead(world, flow)

    // Refusals, updates and failures contain many details, but no secret.
    await world.api.post('/sources', {
      name: 'both',
      type: 'wiki',
      config: { url: world.wiki.siteUrl, username: 'a', ...wrong },
    })
    await world.api.post('/sources', {
      name: 'inside',
      type: 'wiki',
      config: { url: `https://user:${wrong.password}@10.1.2.3`, token: wrong.token },
    })
    await world.api.put(`/sources/${flow.sourceId}`, {
      config: { url: 'https://elsewhere.example', username: crawler.email, token: '**********' },
    })
    const broken = await makeFlow(world, {
      source: { token: wrong.token },
      destination: { search_api_key: wrongKey },
      workflow: { name: 'broken' },
      suffix: ' broken',
    }).catch(() => null)
    assert.equal(broken, null, 'the same wiki and index again are refused')
    await checked(
      world,
      await made(world, '/sources', {
        name: 'wrong token',
        type: 'wiki',
        config: { url: world.wiki.siteUrl, username: crawler.email, token: wrong.token, cloud: true },
      }),
    )
    await checked(
      world,
      await made(world, '/destinations', {
        name: 'wrong key',
        type: 'searchindex',
        config: { hosts: [world.engine.url], index_name: world.index, search_api_key: wrongKey },
      }),
    )
    await world.wiki.control.fail({
      ...fault.serverError(),
      times: null,
      body: { message: `echo ${crawler.apiToken}` },
    })
    await finish(world, await startRun(world, flow))
    await world.wiki.control.clearFaults()
    await world.api.post(`/destinations/${flow.destinationId}/search`, {
      query: 'anything',
      as: { groups: [] },
    })

    for (const canary of canaries) {
      const forms = [canary, encodeURIComponent(canary), btoa(`${crawler.email}:${canary}`), btoa(canary)]
      for (const form of forms) {
        for (const answer of world.api.answers)
          assert.ok(!answer.includes(form), `an answer holds a secret: ${answer.slice(0, 200)}`)
        for (const line of world.millrace.lines)
          assert.ok(!line.includes(form), `a log line holds a secret: ${line.slice(0, 200)}`)
      }
    }
    assert.ok(
      world.millrace.lines.length > 5 && world.api.answers.length > 20,
      'there are responses to search',
    )

    const rows = await everyRow(world.databaseUrl)
    assert.ok(rows.includes(flow.sourceId), 'the rows were read')
    for (const canary of canaries) assert.ok(!rows.includes(canary), 'a row holds a secret')
  } finally {
    await world.close()
  }
})

async function everyRead(
  world: World,
  flow: { sourceId: string; destinationId: string; workflowId: string },
): Promise<void> {
  const jobs = (await world.api.get<{ id: string }[]>('/jobs/')).body
  const paths = [
    '/sources/',
    '/destinations/',
    '/workflows/',
    `/sources/${flow.sourceId}`,
    `/destinations/${flow.destinationId}`,
    `/workflows/${flow.workflowId}`,
    '/connector-types',
    '/templates/',
    ...jobs.flatMap(({ id }) => [`/jobs/${id}`, `/jobs/${id}/details`, `/jobs/${id}/failed-files`]),
  ]
  for (const path of paths) assert.equal((await world.api.get(path)).status, 200, path)
}

async function made(world: World, base: string, body: object): Promise<string> {
  const answer = await world.api.post<{ id: string }>(base, body)
  assert.equal(answer.status, 200, answer.text)
  return `${base}/${answer.body.id}`
}

async function checked(world: World, path: string): Promise<void> {
  await world.api.post(`${path}/connection-check`)
  const { status } = await until(
    async () => (await world.api.get<{ status: string }>(`${path}/connection-check`)).body,
    (check) => check.status !== 'SCHEDULED',
  )
  assert.equal(status, 'FAILURE')
}

/** Every table of ours and of the queue, as text. */
async function everyRow(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
    )
    const texts: string[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} as t`)
      texts.push(...rows.map(({ row }) => row))
    }
    return texts.join('\n')
  } finally {
    await client.end()
  }
}
