import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { closeDatabase, openDatabase } from '../../src/store/database.ts'
import { contents } from '../world/agreement.ts'
import { finish, run, startRun, until } from '../world/flow.ts'
import { ALL_PEOPLE, inSmallWorld, type SmallWorld } from '../world/small-world.ts'
import { accounts } from '../world/wiki/accounts.ts'
import { startWiki, type Wiki } from '../world/wiki/start.ts'
import { wikiConfig } from '../world/world.ts'

/** What was proved for one site, space or account never applies to another. */

/** Content jobs stop between the listing and the first text. */
const BODIES = { path: 'body-format=storage', isHeld: true, times: null }

async function hitsOf({ world, flow }: SmallWorld, user: string, query: string): Promise<string[]> {
  await world.destination.refresh()
  const { status, body, text } = await world.api.post<{ hits: { text: string }[] }>(
    `/destinations/${flow.destinationId}/search`,
    { query, as: { user }, size: 50 },
  )
  assert.equal(status, 200, text)
  return body.hits.map((hit) => hit.text).filter((each) => each.includes(query))
}

/** Waits until the job has listed the source. */
async function listed({ world }: SmallWorld, jobId: string): Promise<void> {
  const pending = async () =>
    (await world.api.get<{ items: unknown[] }>(`/jobs/${jobId}/documents?state=in_progress`)).body.items
  await until(pending, (items) => items.length > 0)
}

type Known = { workflows: { permissions: { everyone: string | null; status: string } }[] }

/** What search knows about a document now, before the index follows. */
async function permissionsOf({ world }: SmallWorld, pageId: string) {
  const record_id = `${new URL(world.wiki.siteUrl).host}/${pageId}`
  const { status, body, text } = await world.api.get<Known>(
    `/documents?${new URLSearchParams({ record_id })}`,
  )
  assert.equal(status, 200, text)
  return body.workflows[0]!.permissions
}

test('it shows no page of a deleted space to readers of a new space with its key', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, ann, ben } = setup
    const { control } = world.wiki
    const old = await control.createPage({ space: 'SEC', title: 'Pay', body: '<p>walrus salaries</p>' })
    await run(world, flow)
    assert.equal((await hitsOf(setup, ann, 'walrus')).length, 1)

    await control.deleteSpace('SEC')
    await control.addSpace({ key: 'SEC', name: 'Second', permissions: ALL_PEOPLE })
    await control.createPage({ space: 'SEC', title: 'Canteen', body: '<p>walrus canteen</p>' })
    await control.fail(BODIES)
    const job = await startRun(world, flow)
    await listed(setup, job)
    assert.equal((await permissionsOf(setup, old)).everyone, null)
    assert.deepEqual(await hitsOf(setup, ben, 'walrus'), [])
    await control.clearFaults()
    await finish(world, job)
    const hits = await hitsOf(setup, ben, 'walrus')
    assert.equal(hits.length, 1)
    assert.match(hits[0]!, /canteen/)
  }))

type Updated = { warnings?: { code: string; message: string }[]; detail?: string; code?: string }

const update = ({ world, flow }: SmallWorld, config: object) =>
  world.api.put<Updated>(`/sources/${flow.sourceId}`, {
    config: wikiConfig(world, { spaces: ['OPN', 'SEC'], ...config }),
  })

async function statuses({ world, flow }: SmallWorld): Promise<string[]> {
  type Freshness = { scopes: { status: string }[] }
  const { body } = await world.api.get<Freshness>(`/workflows/${flow.workflowId}/freshness`)
  return body.scopes.map(({ status }) => status)
}

/** Another wiki with the same keys and ids, in which all people read the page of `SEC`. */
async function twinOf({ world }: SmallWorld): Promise<Wiki> {
  const twin = await startWiki({ seed: 21, pages: 8, spaces: 1, people: 8, groups: 3 })
  await twin.control.addSpace({ key: 'OPN', name: 'Open', permissions: ALL_PEOPLE })
  await twin.control.createPage({ space: 'OPN', title: 'Plans', body: '<p>zebrafish two</p>' })
  await twin.control.addSpace({ key: 'SEC', name: 'Second', permissions: ALL_PEOPLE })
  await twin.control.createPage({ space: 'SEC', title: 'Pay', body: '<p>walrus canteen</p>' })
  const keysOf = async ({ control }: Wiki) => (await control.truth()).spaces.map(({ id, key }) => [id, key])
  assert.deepEqual(await keysOf(twin), await keysOf(world.wiki))
  return twin
}

/** Ages of any length, since a workflow without a maximum age shows documents that were never proved. */
for (const maxAge of [24, null])
  test(`it hides the documents of another address (maximum age ${maxAge})`, () =>
    inSmallWorld(
      async (setup) => {
        const { world, flow, ann, ben } = setup
        const { control } = world.wiki
        const old = await control.createPage({ space: 'SEC', title: 'Pay', body: '<p>walrus salaries</p>' })
        await run(world, flow)
        assert.equal((await hitsOf(setup, ann, 'walrus')).length, 1)
        const twin = await twinOf(setup)
        const tokens = async () =>
          (
            await world.api.get<{ tokens: string[] }>(
              `/destinations/${flow.destinationId}/tokens?user=${ann}`,
            )
          ).body.tokens
        const isOf = (host: string) => (token: string) => token.startsWith(`class:${host}/`)
        const [oldHost, newHost] = [world.wiki, twin].map(({ siteUrl }) => new URL(siteUrl).host)
        assert.ok((await tokens()).some(isOf(oldHost!)))
        try {
          const changed = await update(setup, { url: twin.siteUrl })
          assert.equal(changed.status, 200, changed.text)
          assert.deepEqual(
            changed.body.warnings?.map(({ code }) => code),
            ['site_changed'],
          )
          assert.deepEqual([...new Set(await statuses(setup))], ['never'])
          const noOld = async () => {
            for (const user of [ann, ben])
              for (const text of ['walrus salaries', 'zebrafish one'])
                assert.deepEqual(await hitsOf(setup, user, text), [])
          }
          await noOld()
          assert.equal((await permissionsOf(setup, old)).status, 'hidden')
          const now = await tokens()
          assert.deepEqual([now.some(isOf(oldHost!)), now.some(isOf(newHost!))], [false, true], now.join())

          await twin.control.fail(BODIES)
          const job = await startRun(world, flow)
          await listed(setup, job)
          await noOld()
          assert.equal((await permissionsOf(setup, old)).status, 'hidden')
          await twin.control.clearFaults()
          await finish(world, job)
          await noOld()
          assert.equal((await hitsOf(setup, ben, 'walrus canteen')).length, 1)
          assert.equal((await hitsOf(setup, ben, 'zebrafish two')).length, 1)
          const ofOld = (await contents(world)).filter(({ _source }) =>
            _source.record_id.startsWith(`${oldHost}/`),
          )
          for (const { _source } of ofOld)
            assert.deepEqual(_source.metadata.data_source.permissions_data[0].read, { users: [], groups: [] })
          assert.ok(ofOld.length > 0)

          const db = openDatabase(world.databaseUrl)
          const { rows } = await sql<{ subject: { warnings: string[] } }>`
            select subject from audit where action = 'change_source'`.execute(db)
          await closeDatabase(db)
          assert.deepEqual(rows[0]?.subject.warnings, ['site_changed'])
        } finally {
          await twin.stop()
        }
      },
      { wanted: { workflow: { max_permission_age_hours: maxAge } } },
    ))

test('it hides what another account proved until the new one has read it', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow } = setup
      await run(world, flow)
      const rotated = await update(setup, { token: accounts.crawler.apiToken, max_num_of_spaces: 400 })
      assert.deepEqual([rotated.status, rotated.body.warnings], [200, []], rotated.text)
      assert.equal((await setup.bensHits()).length, 1)
      assert.ok((await statuses(setup)).every((status) => status === 'fresh'))

      const { email, apiToken } = accounts.limited
      const changed = await update(setup, { username: email, token: apiToken })
      assert.deepEqual(
        [changed.status, changed.body.warnings?.map(({ code }) => code)],
        [200, ['account_changed']],
        changed.text,
      )
      assert.deepEqual(await setup.bensHits(), [])
      assert.ok((await statuses(setup)).every((status) => status === 'never'))
      const pass = await world.api.post<{ id: string }>(`/workflows/${flow.workflowId}/sync-permissions`)
      // The pass that follows the change may run already.
      if (pass.status === 202) await finish(world, pass.body.id)
      await until(
        () => setup.bensHits(),
        (hits) => hits.length === 1,
      )
      assert.ok((await statuses(setup)).every((status) => status === 'fresh'))
    },
    { wanted: { workflow: { max_permission_age_hours: null } } },
  ))

test('it refuses another address or account while a job reads the source', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page } = setup
    const { control } = world.wiki
    await run(world, flow)
    await control.editPage(page, { body: '<p>zebrafish three</p>' })
    const refused = async (job: string) => {
      for (const config of [{ url: 'http://127.0.0.1:9' }, { username: accounts.limited.email }]) {
        const { status, body, text } = await update(setup, config)
        assert.deepEqual([status, body.code], [409, 'job_active'], text)
        assert.ok(body.detail?.includes(job), text)
      }
      assert.equal((await update(setup, {})).status, 200)
    }
    await control.fail(BODIES)
    const job = await startRun(world, flow)
    await listed(setup, job)
    await refused(job)
    await control.clearFaults()
    await finish(world, job)

    await control.fail({ path: '/api/v2/spaces', isHeld: true, times: null })
    const pass = await world.api.post<{ id: string }>(`/workflows/${flow.workflowId}/sync-permissions`)
    assert.equal(pass.status, 202, pass.text)
    await refused(pass.body.id)
    await control.clearFaults()
    await finish(world, pass.body.id)
    assert.equal((await setup.bensHits('zebrafish three')).length, 1)
  }))

test('it hides the documents of a source that a workflow no longer has', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, ann } = setup
    await world.wiki.control.createPage({ space: 'SEC', title: 'Pay', body: '<p>walrus salaries</p>' })
    await run(world, flow)
    const twin = await twinOf(setup)
    try {
      const config = wikiConfig(world, { url: twin.siteUrl, spaces: ['OPN', 'SEC'] })
      const other = await world.api.post<{ id: string }>('/sources', { name: 'twin', type: 'wiki', config })
      const changed = await world.api.put(`/workflows/${flow.workflowId}`, { source_id: other.body.id })
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual(await hitsOf(setup, ann, 'walrus'), [])
      assert.deepEqual([...new Set(await statuses(setup))], ['never'])
    } finally {
      await twin.stop()
    }
  }))
