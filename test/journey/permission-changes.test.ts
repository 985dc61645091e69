import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NO_ONE_TOKEN } from '../../src/permissions/principals.ts'
import { contents } from '../world/agreement.ts'
import { detailsOf, finish, run, setSource, startRun, until } from '../world/flow.ts'
import { ALL_PEOPLE, inSmallWorld, type SmallWorld } from '../world/small-world.ts'
import { accounts } from '../world/wiki/accounts.ts'
import { startWiki } from '../world/wiki/start.ts'
import { wikiConfig } from '../world/world.ts'

/** Permissions that change during a run or a failure. After each run Ben finds what the wiki shows him. */

const listed = (setup: SmallWorld, job: string) =>
  until(
    () => detailsOf(setup.world, job),
    (details) => details.summary.total_docs >= 3,
  )
/** Requests that a fault holds or breaks have arrived. */
const hit = ({ world }: SmallWorld) =>
  until(
    () => world.wiki.control.faults(),
    ([armed]) => (armed?.hits ?? 0) > 0,
  )
const restrict = ({ world, page, ann }: SmallWorld) =>
  world.wiki.control.restrict(page, { read: { users: [ann] } })
const succeeds = async (ending: ReturnType<typeof finish>) => {
  const { details } = await ending
  assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
  return details
}

test('it corrects permissions that a killed run wrote without recording them', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page, proxy } = setup
    await restrict(setup)
    await run(world, flow)
    await world.wiki.control.restrict(page, { read: {} })
    let killed = false
    proxy.on(({ path }) => {
      if (!path.includes('_bulk') || killed) return undefined
      return {
        answer: () => {
          killed = true
          world.millrace.process.kill('SIGKILL')
        },
      }
    })
    const job = await startRun(world, flow)
    await until(async () => killed, Boolean)
    await world.kill()
    await world.restart()
    await world.api.post(`/jobs/${job}/cancel`)
    await finish(world, job)
    await restrict(setup)
    await succeeds(run(world, flow))
    assert.deepEqual(await setup.bensHits(), [])
  }))

test('it hides text written after a restriction from excluded people', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page } = setup
    await world.wiki.control.fail({ path: 'body[.-]', isHeld: true, times: null })
    const job = await startRun(world, flow)
    await listed(setup, job)
    await hit(setup)
    await restrict(setup)
    await world.wiki.control.editPage(page, { body: '<p>zebrafish: the layoffs</p>' })
    await world.wiki.control.clearFaults()
    const { counts } = await succeeds(finish(world, job))
    assert.equal(counts.new, counts.discovered, 'listed again and written by the same run')
    assert.deepEqual(await setup.bensHits(), [])
    assert.match((await setup.elements())[0]?._source.text ?? '', /layoffs/)
  }))

test('it does not keep the old permissions of a page moved to a secret space beyond its limit', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page, secret } = setup
      const { control } = world.wiki
      for (const space of ['SEC', 'OPN'])
        for (const title of ['a', 'b', 'c', 'd'])
          await control.createPage({ space, title: `${title} ${space}` })
      await run(world, flow)
      assert.equal((await setup.bensHits()).length, 1)
      await control.movePage(page, secret.homepageId)
      await succeeds(run(world, flow))
      assert.deepEqual(await setup.bensHits(), [])
    },
    { source: { max_num_of_docs_from_each_space: 2 } },
  ))

test('it writes pages that move during the listing with the permissions of their new space', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page, open, secret } = setup
    const { control } = world.wiki
    const back = await control.createPage({ space: 'SEC', title: 'Coming', body: '<p>walrus</p>' })
    await run(world, flow)
    await control.fail({ path: `/spaces/${secret.id}/pages`, isHeld: true, times: null })
    const job = await startRun(world, flow)
    await until(
      () => detailsOf(world, job),
      (details) => details.summary.total_docs >= 2,
    )
    await control.movePage(page, secret.homepageId)
    await control.movePage(back, open.homepageId)
    await control.clearFaults()
    await succeeds(finish(world, job))
    assert.deepEqual(await setup.bensHits('zebrafish'), [])
    assert.equal((await setup.bensHits('walrus')).length, 1)
  }))

test('it does not write old permissions of a page restricted while a killed run waits', () =>
  inSmallWorld(async (setup) => {
    const { world, flow } = setup
    await world.wiki.control.fail({ path: 'body[.-]', breaks: 'hang', times: null })
    const job = await startRun(world, flow)
    await listed(setup, job)
    await hit(setup)
    await world.kill()
    await restrict(setup)
    await world.wiki.control.clearFaults()
    await world.restart()
    await succeeds(finish(world, job))
    assert.deepEqual(await setup.bensHits(), [])
  }))

test('it applies a revocation made while a killed listing waits', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, secret } = setup
    await run(world, flow)
    await world.wiki.control.fail({ path: `/spaces/${secret.id}/pages`, breaks: 'hang', times: null })
    const job = await startRun(world, flow)
    await until(
      () => detailsOf(world, job),
      (details) => details.summary.total_docs >= 2,
    )
    await world.kill()
    await restrict(setup)
    await world.wiki.control.clearFaults()
    await world.restart()
    await succeeds(finish(world, job))
    // The listing continues where it was; a pass reads the rest again at once.
    await until(
      () => setup.bensHits(),
      (hits) => hits.length === 0,
      120,
    )
  }))

test('it ignores a bulk that arrives after a later restriction', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page, proxy } = setup
    await run(world, flow)
    await world.wiki.control.editPage(page, { body: '<p>zebrafish two</p>' })
    const held = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    let isHeld = false
    proxy.on(async ({ path }) => {
      if (!path.includes('_bulk') || isHeld) return undefined
      isHeld = true
      held.resolve()
      await release.promise
      return { answer: () => answered.resolve() }
    })
    const job = await startRun(world, flow)
    await held.promise
    await world.api.post(`/jobs/${job}/cancel`)
    await finish(world, job)
    await restrict(setup)
    await succeeds(run(world, flow))
    release.resolve()
    await answered.promise
    await succeeds(run(world, flow))
    assert.deepEqual(await setup.bensHits(), [])
  }))

test('it ignores writes of a worker that was frozen', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page, proxy } = setup
      const first = await world.start('worker')
      let frozen = false
      proxy.on(({ path }) => {
        if (!path.includes('_bulk') || frozen) return undefined
        return {
          answer: () => {
            frozen = true
            first.process.kill('SIGSTOP')
          },
        }
      })
      const job = await startRun(world, flow)
      await until(async () => frozen, Boolean)
      await world.start('worker')
      await succeeds(finish(world, job))
      await world.wiki.control.editPage(page, { body: '<p>zebrafish two</p>' })
      await succeeds(run(world, flow))
      first.process.kill('SIGCONT')
      await sleep(2000)
      await world.wiki.control.editPage(page, { body: '<p>zebrafish three</p>' })
      await restrict(setup)
      await succeeds(run(world, flow))
      const texts = (await setup.elements()).map((element) => element._source.text)
      assert.equal(texts.length, 1, JSON.stringify(texts))
      assert.match(texts[0] ?? '', /three/)
      assert.deepEqual(await setup.bensHits(), [])
    },
    { role: 'api' },
  ))

test('it hides a changed page that is trashed before it is read', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page } = setup
    await run(world, flow)
    await world.wiki.control.editPage(page, { body: '<p>zebrafish edited</p>' })
    await world.wiki.control.fail({ path: 'body[.-]', isHeld: true, times: 1 })
    const job = await startRun(world, flow)
    await listed(setup, job)
    await hit(setup)
    await world.wiki.control.trashPage(page)
    await world.wiki.control.clearFaults()
    await finish(world, job)
    assert.deepEqual(await setup.bensHits(), [])
    assert.deepEqual(await setup.elements(), [])
  }))

test('it applies revocations to a table although another space cannot be listed', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, secret } = setup
      await run(world, flow)
      await restrict(setup)
      await world.wiki.control.fail({
        path: `/spaces/${secret.id}/pages`,
        status: 403,
        body: {},
        times: null,
      })
      const { status, details } = await run(world, flow)
      assert.deepEqual([status, details.processing_status], ['COMPLETED', 'COMPLETED_WITH_ERRORS'])
      assert.match(details.message ?? '', /SEC/)
      assert.equal(details.counts.failed, 0)
      assert.deepEqual(await setup.bensHits(), [])
    },
    { destination: 'postgres' },
  ))

test('it applies a restricted ancestor beyond the limit and hides a space without permissions', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page, ann } = setup
      const { control } = world.wiki
      for (const title of ['a', 'b', 'c']) await control.createPage({ space: 'OPN', title })
      const parent = await control.createPage({ space: 'OPN', title: 'Late parent' })
      await control.restrict(parent, { read: { users: [ann] } })
      await run(world, flow)
      await control.movePage(page, parent)
      await succeeds(run(world, flow))
      assert.deepEqual(await setup.bensHits(), [])
      await control.restrict(parent, { read: {} })
      await control.setSpacePermissions('OPN', [])
      const { details } = await run(world, flow)
      assert.match(details.message ?? '', /OPN/)
      assert.deepEqual(await setup.bensHits(), [])
    },
    { source: { max_num_of_docs_from_each_space: 2 } },
  ))

test('it grants nothing with an account that cannot read permissions and restores them later', () =>
  inSmallWorld(async ({ world, flow, bensHits }) => {
    await run(world, flow)
    const powerless = { username: accounts.powerless.email, token: accounts.powerless.apiToken }
    const spaces = ['OPN', 'SEC']
    await setSource(world, flow.sourceId, wikiConfig(world, { ...powerless, spaces }))
    await run(world, flow)
    for (const element of await contents(world)) {
      assert.deepEqual(element._source.metadata.data_source.access, { c0: [NO_ONE_TOKEN] })
    }
    await setSource(world, flow.sourceId, wikiConfig(world, { spaces }))
    await run(world, flow)
    assert.equal((await bensHits()).length, 1)
  }))

test('it separates licensed people of two wikis in one index', () =>
  inSmallWorld(async ({ world, flow }) => {
    await run(world, flow)
    const other = await startWiki({ seed: 77, pages: 5, spaces: 1, people: 4, groups: 2 })
    try {
      const stranger = '557058:only-in-the-other-wiki'
      await other.control.addPerson({ accountId: stranger, name: 'Stranger' })
      const config = wikiConfig(world, { url: other.siteUrl })
      const source = await world.api.post<{ id: string }>('/sources', { name: 'other', type: 'wiki', config })
      const made = await world.api.post('/workflows', {
        name: 'other',
        workflow_type: 'custom',
        source_id: source.body.id,
        destination_id: flow.destinationId,
      })
      assert.equal(made.status, 200, made.text)
      await world.destination.refresh()
      const search = { query: 'zebrafish', as: { user: stranger } }
      const found = await world.api.post<{ total: number }>(
        `/destinations/${flow.destinationId}/search`,
        search,
      )
      assert.deepEqual([found.status, found.body.total], [200, 0], found.text)
    } finally {
      await other.stop()
    }
  }))

test('it refuses a second workflow for the same wiki and index', () =>
  inSmallWorld(async ({ world, flow }) => {
    await world.wiki.control.addSpace({ key: 'BBB', name: 'B', permissions: ALL_PEOPLE })
    const config = wikiConfig(world, { spaces: ['BBB'] })
    const source = await world.api.post<{ id: string }>('/sources', { name: 'b', type: 'wiki', config })
    const body = {
      name: 'b',
      workflow_type: 'custom',
      source_id: source.body.id,
      destination_id: flow.destinationId,
    }
    assert.equal((await world.api.post('/workflows', body)).status, 409)
  }))
