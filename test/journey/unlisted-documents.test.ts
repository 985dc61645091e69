import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { NO_ONE_TOKEN } from '../../src/permissions/principals.ts'
import { byPage, contents } from '../world/agreement.ts'
import { okBody } from '../world/answers.ts'
import { finish, run, startRun, until } from '../world/flow.ts'
import { withDatabase } from '../world/past-runs.ts'
import { ALL_PEOPLE, inSmallWorld, type SmallWorld } from '../world/small-world.ts'
import { fault } from '../world/wiki/faults.ts'

/**
 * A listing hides documents that it did not show before it proves their space: search never finds a page by a proof that
 * did not include it, however long the job takes to end and however it ends.
 */

const now = () => new Date().toISOString()

type Freshness = { scopes: { scope: string; proved_at: string | null }[] }

async function provedAt({ world, flow }: SmallWorld, scope: string): Promise<string> {
  const { scopes } = okBody(await world.api.get<Freshness>(`/workflows/${flow.workflowId}/freshness`))
  return scopes.find((each) => each.scope === scope)?.proved_at ?? ''
}

/** Waits for a listing of the space that began after `since`. */
const proved = (setup: SmallWorld, since: string, scope = 'OPN') =>
  until(
    () => provedAt(setup, scope),
    (at) => at > since,
  )

/** Starts a job that waits for the body of a new page after its listing. */
async function startHeld(setup: SmallWorld): Promise<string> {
  const { control } = setup.world.wiki
  await control.createPage({ space: 'OPN', title: 'Waits', body: '<p>slow</p>' })
  await control.fail({ path: 'body[.-]', isHeld: true, times: null })
  return startRun(setup.world, setup.flow)
}

async function release({ world }: SmallWorld, job: string) {
  await world.wiki.control.clearFaults()
  const { details } = await finish(world, job)
  assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
  return details
}

const departures: Record<string, (setup: SmallWorld) => Promise<unknown>> = {
  'in the trash': ({ world, page }) => world.wiki.control.trashPage(page),
  'restricted from the service account': ({ world, page }) =>
    world.wiki.control.setAccount('crawler', { hiddenNodes: [page] }),
  'moved out of the selected spaces': async ({ world, page }) => {
    const { homepageId } = await world.wiki.control.addSpace({
      ...{ key: 'OUT', name: 'Outside', permissions: ALL_PEOPLE },
    })
    await world.wiki.control.movePage(page, homepageId)
  },
}

for (const [where, leave] of Object.entries(departures))
  test(`it hides a page that is ${where} as soon as its space is listed`, () =>
    inSmallWorld(async (setup) => {
      await run(setup.world, setup.flow)
      await leave(setup)
      const since = now()
      const job = await startHeld(setup)
      await proved(setup, since)
      assert.deepEqual(await setup.bensHits(), [])
      assert.equal((await setup.elements()).length, 1, 'the end of the job removes it')
      const { counts } = await release(setup, job)
      assert.deepEqual([counts.removed, await setup.elements()], [1, []])
    }))

test('it hides a moved page until its new space is listed, and then shows it at once', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page } = setup
      const { control } = world.wiki
      const target = await control.addSpace({ key: 'TGT', name: 'Target', permissions: ALL_PEOPLE })
      await run(world, flow)
      await control.movePage(page, target.homepageId)
      await control.fail({ path: `/spaces/${target.id}/pages`, isHeld: true, times: null })
      const since = now()
      const job = await startHeld(setup)
      await proved(setup, since)
      assert.deepEqual(await setup.bensHits(), [])
      await control.clearFaults()
      await control.fail({ path: 'body[.-]', isHeld: true, times: null })
      await proved(setup, since, 'TGT')
      // The index may hide it already, and shows it after a permission write.
      await until(
        () => setup.bensHits(),
        (hits) => hits.length === 1,
      )
      const { counts } = await release(setup, job)
      assert.deepEqual([counts.removed, counts.permissions_only], [0, 1])
      assert.equal((await setup.bensHits()).length, 1)
    },
    { source: { spaces: [] } },
  ))

test('it hides the pages of a deleted space as soon as the wiki is listed completely', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow } = setup
      await world.wiki.control.addSpace({ key: 'DEL', name: 'Deleted', permissions: ALL_PEOPLE })
      await world.wiki.control.createPage({ space: 'DEL', title: 'Left', body: '<p>walrus</p>' })
      await world.api.put(`/workflows/${flow.workflowId}`, { max_permission_age_hours: null })
      await run(world, flow)
      assert.equal((await setup.bensHits('walrus')).length, 1)
      await world.wiki.control.deleteSpace('DEL')
      const job = await startHeld(setup)
      await until(
        () => provedAt(setup, 'DEL'),
        (at) => at === '',
      )
      assert.deepEqual(await setup.bensHits('walrus'), [])
      await release(setup, job)
    },
    { source: { spaces: [] } },
  ))

test('it does not show a page again that is hidden for its age and left the wiki', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page } = setup
    await world.wiki.control.createPage({ space: 'OPN', title: 'Stays', body: '<p>walrus</p>' })
    await run(world, flow)
    await withDatabase(world, (db) =>
      sql`update workflow_scopes set proved_at = now() - interval '25 hours'`.execute(db),
    )
    assert.deepEqual([await setup.bensHits(), await setup.bensHits('walrus')], [[], []])
    await world.wiki.control.trashPage(page)
    const since = now()
    const job = await startHeld(setup)
    await proved(setup, since)
    assert.deepEqual([await setup.bensHits(), (await setup.bensHits('walrus')).length], [[], 1])
    await release(setup, job)
  }))

test('it hides a page that left when failed documents are tried again', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page } = setup
    const broken = await world.wiki.control.createPage({ space: 'OPN', title: 'Broken' })
    await world.wiki.control.setBinaryBody(broken)
    const { id } = await run(world, flow)
    await world.wiki.control.trashPage(page)
    const since = now()
    const retry = await world.api.post<{ id: string }>(`/jobs/${id}/retry`)
    assert.equal(retry.status, 202, retry.text)
    await finish(world, retry.body.id)
    await proved(setup, since)
    assert.deepEqual(await setup.bensHits(), [])
    assert.equal((await run(world, flow)).details.counts.removed, 1)
  }))

test('it hides a page that left when an index is repaired', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page, open } = setup
    await run(world, flow)
    const [damaged] = byPage(await contents(world)).get(open.homepageId) ?? []
    assert.ok(damaged)
    await world.destination.delete(damaged._id)
    await world.wiki.control.trashPage(page)
    const since = now()
    const repair = await world.api.post<{ jobs: { id: string }[] }>(
      `/destinations/${flow.destinationId}/repair`,
    )
    assert.deepEqual([repair.status, repair.body.jobs.length], [202, 1], repair.text)
    for (const { id } of repair.body.jobs) await finish(world, id)
    await proved(setup, since)
    assert.deepEqual(await setup.bensHits(), [])
  }))

test('it hides a page that left when a job lists a moved page again', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page, secret } = setup
    const { control } = world.wiki
    const moving = await control.createPage({ space: 'OPN', title: 'Moves' })
    await run(world, flow)
    await control.editPage(moving, { body: '<p>edited</p>' })
    await control.fail({ path: `/spaces/${secret.id}/pages`, isHeld: true, times: null })
    const since = now()
    const job = await startHeld(setup)
    await proved(setup, since)
    await control.movePage(moving, secret.homepageId)
    await control.trashPage(page)
    const trashed = now()
    await release(setup, job)
    assert.ok((await provedAt(setup, 'OPN')) > trashed, 'the space was listed again')
    assert.deepEqual(await setup.bensHits(), [])
  }))

test('it keeps a page hidden after its job was cancelled, in the index too', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page } = setup
    await run(world, flow)
    await world.wiki.control.trashPage(page)
    const since = now()
    const job = await startHeld(setup)
    await proved(setup, since)
    await world.api.post(`/jobs/${job}/cancel`)
    await world.wiki.control.clearFaults()
    assert.equal((await finish(world, job)).status, 'STOPPED')
    assert.deepEqual(await setup.bensHits(), [])
    await until(
      async () => (await setup.elements()).map(({ _source }) => _source.metadata.data_source.access),
      ([access]) => JSON.stringify(access) === JSON.stringify({ c0: [NO_ONE_TOKEN] }),
    )
  }))

test('it keeps a page hidden after its job failed', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page } = setup
    await run(world, flow)
    await world.wiki.control.trashPage(page)
    await world.wiki.control.createPage({ space: 'OPN', title: 'New' })
    await world.wiki.control.fail({ ...fault.unauthorized(), path: 'body[.-]', times: null })
    const since = now()
    assert.equal((await run(world, flow)).status, 'FAILED')
    assert.ok((await provedAt(setup, 'OPN')) > since)
    assert.deepEqual(await setup.bensHits(), [])
  }))
