import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { byPage, contents } from '../world/agreement.ts'
import { run } from '../world/flow.ts'
import { ALL_PEOPLE, inSmallWorld, type SmallWorld } from '../world/small-world.ts'

/** What is removed or hidden when a part of the wiki cannot be listed or read. */

const failSecret = ({ world, secret }: SmallWorld) =>
  world.wiki.control.fail({ path: `/spaces/${secret.id}/pages`, status: 403, body: {}, times: null })

test('it removes trashed pages while another space cannot be listed', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page } = setup
    const { control } = world.wiki
    const more = []
    for (const title of ['b', 'c', 'd'])
      more.push(await control.createPage({ space: 'OPN', title, body: `<p>zebrafish ${title}</p>` }))
    const stays = await control.createPage({ space: 'SEC', title: 'Stays', body: '<p>walrus</p>' })
    await run(world, flow)
    assert.equal((await setup.bensHits()).length, 4)
    for (const id of [page, ...more]) await control.trashPage(id)
    await failSecret(setup)
    const { details } = await run(world, flow)
    assert.deepEqual(await setup.bensHits(), [])
    assert.equal(details.processing_status, 'COMPLETED_WITH_ERRORS')
    assert.equal(details.counts.removed, 4)
    assert.ok(byPage(await contents(world)).has(stays), 'a space that failed keeps its documents')
  }))

test('it hides a page of a table that moved into a space that cannot be listed', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page, secret } = setup
      await run(world, flow)
      await world.wiki.control.movePage(page, secret.homepageId)
      await failSecret(setup)
      const { details } = await run(world, flow)
      assert.deepEqual(await setup.bensHits(), [])
      assert.equal((await setup.elements()).length, 1)
      assert.ok(details.warnings.some(({ code }) => code === 'documents_hidden'))
      await world.wiki.control.clearFaults()
      const { counts } = (await run(world, flow)).details
      assert.equal(counts.permissions_only, 1)
      assert.deepEqual(await setup.bensHits(), [], 'only Ann reads there')
    },
    { destination: 'postgres' },
  ))

test('it hides what the deletion guard holds back until it is approved or listed again', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow } = setup
      const { control } = world.wiki
      await control.addSpace({ key: 'ARC', name: 'Archive', permissions: ALL_PEOPLE })
      for (let at = 0; at < 25; at++)
        await control.createPage({ space: 'ARC', title: `Old ${at}`, body: `<p>walrus ${at}</p>` })
      await run(world, flow)
      assert.equal((await setup.bensHits('walrus')).length, 25)

      await control.setSpaceStatus('ARC', 'archived')
      const { details } = await run(world, flow)
      assert.deepEqual(await setup.bensHits('walrus'), [])
      assert.equal(details.counts.removed, 0)
      const held = details.warnings.find(({ code }) => code === 'deletions_held_back')
      assert.match(held?.message ?? '', /hidden/)

      await control.setSpaceStatus('ARC', 'current')
      const back = await run(world, flow)
      assert.equal(back.details.counts.permissions_only, 26)
      assert.equal((await setup.bensHits('walrus')).length, 25)

      await control.setSpaceStatus('ARC', 'archived')
      const again = await run(world, flow)
      const approved = await world.api.post<{ removed: number }>(`/jobs/${again.id}/approve-deletions`)
      assert.deepEqual([approved.status, approved.body], [202, { removed: 26 }], approved.text)
      assert.ok((await contents(world)).every(({ _source }) => !_source.text.includes('walrus')))

      type Feed = { events: { payload: { held_back: number } }[] }
      const feed = await world.api.get<Feed>('/notifications?event_types=deletions.held_back')
      assert.deepEqual(
        feed.body.events.map(({ payload }) => payload.held_back),
        [26, 26],
        'one notice each time that deletions begin to wait',
      )
    },
    { source: { spaces: [] } },
  ))

test('it keeps the text of a page that cannot be read', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page } = setup
    await run(world, flow)
    await world.wiki.control.setBinaryBody(page)
    assert.equal((await run(world, flow)).details.counts.failed, 1)
    assert.equal((await setup.bensHits()).length, 1)
    await world.wiki.control.editPage(page, { body: '<p>zebrafish mended</p>' })
    await run(world, flow)
    assert.equal((await setup.bensHits('zebrafish mended')).length, 1)
  }))

test('it keeps the text of a space that cannot be listed', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, open } = setup
    await run(world, flow)
    await world.wiki.control.fail({ path: `/spaces/${open.id}/pages`, status: 403, body: {}, times: null })
    await run(world, flow)
    assert.equal((await setup.bensHits()).length, 1)
    await world.wiki.control.clearFaults()
  }))

test('it updates the permissions of a page that keeps changing', () =>
  inSmallWorld(async (setup) => {
    const { world, flow, page, ann } = setup
    const { control } = world.wiki
    await run(world, flow)
    await control.restrict(page, { read: { users: [ann] } })
    // It is newer than its listing every time it is read.
    await control.fail({ path: 'body[.-]', isHeld: true, times: null })
    const edit = (text: string) => control.editPage(page, { body: `<p>zebrafish ${text}</p>` })
    await edit('before the run')
    let isRunning = true
    const editing = (async () => {
      for (let reads = 0; isRunning; await sleep(20)) {
        const [armed] = await control.faults()
        if (!armed || armed.hits === reads) continue
        reads = armed.hits
        await edit(`during read ${reads}`)
        await control.releaseHeld()
      }
    })()
    const { status, details } = await run(world, flow).finally(() => {
      isRunning = false
    })
    await editing
    assert.equal(details.counts.failed, 1, JSON.stringify(details))
    assert.equal(status, 'COMPLETED', JSON.stringify(details))
    assert.deepEqual(await setup.bensHits(), [])
  }))
