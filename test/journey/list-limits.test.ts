import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { closeDatabase, type Database, openDatabase } from '../../src/store/database.ts'
import { type Api, apiOf } from '../world/api.ts'
import { cloud, hosted } from '../world/api-service.ts'
import { firstAdministrator, type PageClient } from '../world/person.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'

type Named = { id: string; name: string; config: { spaces: string[] } }

describe('limits of lists', () => {
  let millrace: Millrace
  let db: Database
  let api: Api
  let ada: PageClient
  let workspace: string
  let drop: () => Promise<void>
  before(async () => {
    const database = await migratedDatabase()
    drop = database.drop
    db = openDatabase(database.url)
    millrace = await startMillrace({ databaseUrl: database.url })
    api = apiOf(millrace.url ?? '')
    ;({ ada, workspace } = await firstAdministrator(millrace))
  })
  after(async () => {
    await millrace?.end('SIGTERM')
    await closeDatabase(db)
    await drop()
  })

  const signIn = { username: 'ada@acme.example', api_token: 'a-secret-token' }
  const source = (name: string, spaces: string[] = []) => ({
    ...{ name, type: 'wiki' },
    config: { ...cloud, ...signIn, spaces },
  })
  const keys = (count: number) => Array.from({ length: count }, (_, at) => `SPACE${at}`)
  const create = async (body: ReturnType<typeof source>) => {
    const created = await api.post<Named>('/sources', body)
    assert.equal(created.status, 200, created.text)
    return created.body
  }
  const fill = (table: 'sources' | 'destinations' | 'workflows', count: number) =>
    table === 'workflows'
      ? sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
          select gen_random_uuid(), ${workspace}::uuid, 'filler ' || n, 'custom', '[]', false, 'active'
          from generate_series(1, ${count}::int) as n`.execute(db)
      : sql`insert into connectors (id, workspace_id, kind, type, name, config, secrets, wire, created_at)
          select gen_random_uuid(), workspace_id, ${table.slice(0, -1)}, type, 'filler ' || n, config, secrets, wire,
            now() + n * interval '1 microsecond'
          from connectors, generate_series(1, ${count}::int) as n
          where workspace_id = ${workspace}::uuid and kind = ${table.slice(0, -1)} and name = 'one'`.execute(
          db,
        )

  test('it refuses settings that are too long, and names the field and the limit', async () => {
    const { status, text } = await api.post('/sources', source('long', keys(20_000)))
    assert.equal(status, 422)
    assert.match(text, /"spaces"/)
    assert.match(text, /\d+ bytes, the limit is 131072/)
  })

  test('it shortens long values in lists, and never stores them like that', async () => {
    const [long, short] = [
      await create(source('long', keys(9_000))),
      await create(source('short', keys(300))),
    ]
    const listed = (await api.get<Named[]>('/sources')).body
    const of = ({ id }: Named) => listed.find((each) => each.id === id)!
    assert.deepEqual(of(short).config.spaces, keys(300))
    const shown = of(long).config.spaces
    assert.ok(JSON.stringify(shown).length < 5_000)
    assert.match(shown.at(-1) ?? '', new RegExp(`shortened: ${9_000 - shown.length + 1} more`))
    assert.deepEqual((await api.get<Named>(`/sources/${long.id}`)).body.config.spaces, keys(9_000))
    const back = await api.put<Named>(`/sources/${long.id}`, { config: of(long).config })
    assert.equal(back.status, 200, back.text)
    assert.deepEqual(back.body.config.spaces, keys(9_000))
    const other = { ...of(long).config, spaces: shown.slice(1) }
    const refused = [
      await api.put(`/sources/${long.id}`, { config: other }),
      await api.post('/sources', { ...source('copy'), config: { ...source('copy').config, spaces: shown } }),
    ]
    for (const { status, text } of refused) {
      assert.equal(status, 422)
      assert.match(text, /GET the connector by its id/)
    }
    assert.equal((await api.put(`/sources/${short.id}`, { config: of(short).config })).status, 200)
    for (const { id } of [long, short]) await api.delete(`/sources/${id}`)
  })

  test('it limits the settings of all connectors together', async () => {
    const one = await create(source('one', keys(9_500)))
    await fill('sources', 67)
    const { status, text } = await api.post('/sources', source('more', keys(9_500)))
    assert.equal(status, 409, text)
    assert.match(text, /\d+ bytes, the limit is 8388608/)
    const small = await create(source('small'))
    const grown = await api.put(`/sources/${small.id}`, source('small', keys(9_500)))
    assert.equal(grown.status, 422, 'type is no field of an update')
    const { config } = source('small', keys(9_500))
    assert.equal((await api.put(`/sources/${small.id}`, { config })).status, 409)
    await sql`delete from connectors`.execute(db)
    assert.equal((await api.get(`/sources/${one.id}`)).status, 404)
  })

  for (const [kind, body] of [
    ['sources', source('one')],
    ['destinations', { name: 'one', type: 'searchindex', config: hosted }],
  ] as const)
    test(`it lists ${kind} page by page and refuses the 501st`, async () => {
      assert.equal((await api.post(`/${kind}`, body)).status, 200)
      await fill(kind, 499)
      const all = await api.get<Named[]>(`/${kind}/`)
      assert.deepEqual([all.body.length, all.headers.get('x-next-cursor')], [500, null])
      assert.deepEqual(await namesByPage(`/${kind}?limit=150`, 4), namesOf(all.body))
      const refused = await api.post(`/${kind}`, { ...body, name: 'another' })
      assert.equal(refused.status, 409)
      assert.match(refused.text, new RegExp(`this workspace has 500 ${kind}, the limit is 500`))
      assert.equal((await api.get(`/${kind}?limit=1001`)).status, 422)
      assert.equal((await api.get(`/${kind}?cursor=x`)).status, 422)
    })

  test('it lists workflows page by page and refuses the 501st', async () => {
    await fill('workflows', 500)
    const names = await namesByPage('/workflows?limit=100&sort_by=name', 5)
    assert.deepEqual([names.length, names], [500, names.toSorted()])
    assert.equal((await api.get<Named[]>('/workflows/?sort_by=id')).body.length, 20, 'as clients expect')
    const refused = await api.post('/workflows', { name: 'another', workflow_type: 'basic' })
    assert.match(refused.text, /this workspace has 500 workflows, the limit is 500/)
    assert.equal(refused.status, 409)
  })

  test('it refuses nodes that are too long', async () => {
    const prompt = { user: 'x'.repeat(70_000) }
    const node = { name: 'E', type: 'prompter', subtype: 'openai_ner', settings: { prompt } }
    const answer = await api.post('/workflows', {
      name: 'n',
      workflow_type: 'custom',
      workflow_nodes: [node],
    })
    assert.equal(answer.status, 422)
    assert.match(answer.text, /the limit is 65536/)
  })

  test('it lists jobs page by page, at most 1,000 at once', async () => {
    await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type,
        settings, created_at, finished_at)
      select gen_random_uuid(), ${workspace}::uuid, gen_random_uuid(), 'w' || n, 'COMPLETED', 'SUCCESS', 'persistent',
        '{"nodes": []}', now() - n * interval '1 second', now() from generate_series(1, 1250) as n`.execute(
      db,
    )
    const all = await api.get<{ workflow_name: string }[]>('/jobs/')
    assert.equal(all.body.length, 1000)
    const cursor = all.headers.get('x-next-cursor')
    const rest = await api.get<{ workflow_name: string }[]>(`/jobs/?cursor=${cursor}`)
    assert.deepEqual(
      [...all.body, ...rest.body].map((job) => job.workflow_name),
      Array.from({ length: 1250 }, (_, at) => `w${at + 1}`),
    )
    assert.equal(rest.headers.get('x-next-cursor'), null)
    const [, link = ''] = /^<(.*)>; rel="next"$/.exec(all.headers.get('link') ?? '') ?? []
    const followed = await api.get<unknown[]>(`/jobs/${link}`)
    assert.equal(followed.body.length, 250, link)
  })

  test('it lists failed files page by page, at most 10,000 at once', async () => {
    type Failed = { failed_files: { document: string }[] }
    const [job] = (await api.get<{ id: string }[]>('/jobs/?limit=1')).body
    await sql`insert into job_documents (job_id, record_id, scope, state, kind, title, url)
      select ${job?.id}::uuid, 'wiki/' || n, '', 'failed', 'new', '', '' from generate_series(1, 10020) as n`.execute(
      db,
    )
    const first = await api.get<Failed>(`/jobs/${job?.id}/failed-files`)
    const next = first.headers.get('x-next-cursor')
    const rest = await api.get<Failed>(`/jobs/${job?.id}/failed-files?cursor=${next}`)
    assert.deepEqual([first.body.failed_files.length, rest.body.failed_files.length], [10_000, 20])
    const all = [...first.body.failed_files, ...rest.body.failed_files].map(({ document }) => document)
    assert.equal(new Set(all).size, 10_020)
    assert.equal(rest.headers.get('x-next-cursor'), null)
  })

  test('it lists keys, members, invitations, workspaces and destinations to search page by page', async () => {
    for (const name of ['a', 'b', 'c']) assert.equal((await ada.post('/keys', { name })).status, 201)
    const people = `/workspaces/${workspace}`
    for (const name of ['a', 'b', 'c'])
      await ada.post(`${people}/invitations`, { email: `${name}@acme.example`, role: 'viewer' })
    for (const name of ['Two', 'Three']) assert.equal((await ada.post('/workspaces', { name })).status, 201)
    for (const [path, count] of [
      ['/keys', 4],
      [`${people}/invitations`, 3],
      [`${people}/members`, 1],
      ['/workspaces', 3],
      ['/search/destinations', 500],
      ['/personal-tokens', 0],
    ] as const) {
      const whole = (await ada.get<{ id: string }[]>(path)).body
      assert.equal(whole.length, count, path)
      const found: unknown[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: Awaited<ReturnType<typeof ada.get<unknown[]>>> = await ada.get<unknown[]>(
          `${path}?limit=200${cursor && `&cursor=${cursor}`}`,
        )
        found.push(...page.body)
        cursor = page.headers.get('x-next-cursor')
      }
      assert.deepEqual(found, whole, path)
      if (count < 2) continue
      const first = await ada.get<unknown[]>(`${path}?limit=1`)
      assert.deepEqual([first.body, typeof first.headers.get('x-next-cursor')], [[whole[0]], 'string'], path)
    }
  })

  const namesOf = (items: Named[]) => items.map(({ name }) => name)
  const namesByPage = async (path: string, pages: number) => {
    const names: string[] = []
    let [cursor, count]: [string | null, number] = ['', 0]
    for (; cursor !== null; count++) {
      const page: Awaited<ReturnType<typeof api.get<Named[]>>> = await api.get<Named[]>(
        `${path}${cursor && `&cursor=${cursor}`}`,
      )
      assert.equal(page.status, 200, page.text)
      names.push(...namesOf(page.body))
      cursor = page.headers.get('x-next-cursor')
    }
    assert.equal(count, pages)
    return names
  }
})
