import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detailsOf, finish, run, startRun, until } from '../world/flow.ts'
import { assertSuccess } from '../world/open-space.ts'
import { PARTITION_NODES, pictureFile, pictures, textFile } from '../world/parts.ts'
import { inSmallWorld, type SmallWorld } from '../world/small-world.ts'
import { ownImage } from '../world/storage.ts'

const secretOnly = (setup: SmallWorld, id: string) =>
  setup.world.wiki.control.restrict(id, { read: { users: [setup.ann] } })

test('it does not keep the old permissions of a file moved to a restricted page beyond the limit', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page } = setup
      const { control } = world.wiki
      const file = await control.attach(page, textFile('walrus salaries'))
      for (const title of ['a', 'b', 'c']) await control.createPage({ space: 'OPN', title })
      const late = await control.createPage({ space: 'OPN', title: 'Late and secret' })
      await secretOnly(setup, late)
      await run(world, flow)
      assert.equal((await setup.bensHits('walrus')).length, 1)
      await control.moveAttachment(file, late)
      await assertSuccess(run(world, flow))
      await assertSuccess(run(world, flow))
      assert.deepEqual(await setup.bensHits('walrus'), [])
    },
    { source: { extract_files: true, max_num_of_docs_from_each_space: 2 } },
  ))

test('it restricts a file with its page although files cannot be listed', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page } = setup
      const { control } = world.wiki
      await control.attach(page, textFile('walrus salaries'))
      await control.set({ nestedChildren: 1 })
      await run(world, flow)
      assert.equal((await setup.bensHits('walrus')).length, 1)
      await secretOnly(setup, page)
      await control.fail({ path: `/pages/${page}/attachments`, status: 500, body: {}, times: null })
      const ended = await run(world, flow)
      assert.deepEqual(await setup.bensHits('zebrafish'), [])
      assert.deepEqual(
        await setup.bensHits('walrus'),
        [],
        `leaks, and the run says ${ended.details.processing_status}`,
      )
    },
    { source: { extract_files: true } },
  ))

test('it hides a file version uploaded after a restriction from excluded people', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page } = setup
      const { control } = world.wiki
      const file = await control.attach(page, textFile('walrus harmless'))
      await control.fail({ path: 'child/attachment/.*/download', isHeld: true, times: 1 })
      const job = await startRun(world, flow)
      await until(
        () => detailsOf(world, job),
        (details) => details.summary.total_docs >= 4,
      )
      await secretOnly(setup, page)
      await control.updateAttachment(file, { base64: textFile('walrus layoffs').base64 })
      await control.clearFaults()
      await finish(world, job)
      assert.deepEqual(
        (await setup.bensHits('walrus')).filter((hit) => hit.includes('layoffs')),
        [],
      )
    },
    { source: { extract_files: true } },
  ))

test('it hides a comment made after a restriction from excluded people', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page } = setup
      const { control } = world.wiki
      await control.addComment(page, { body: '<p>first comment</p>' })
      await control.fail({ path: 'container(\\+|%20)in', isHeld: true, times: 1 })
      const job = await startRun(world, flow)
      await until(
        () => detailsOf(world, job),
        (details) => details.summary.total_docs >= 3,
      )
      await secretOnly(setup, page)
      await control.addComment(page, { body: '<p>walrus layoffs</p>' })
      await control.clearFaults()
      await finish(world, job)
      assert.deepEqual(await setup.bensHits('walrus'), [])
    },
    { source: { include_comments: true } },
  ))

test('it does not keep the permissions of a page with unreadable labels', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page } = setup
      const { control } = world.wiki
      await control.labelPage(page, ['kb'])
      await run(world, flow)
      assert.equal((await setup.bensHits()).length, 1)
      await secretOnly(setup, page)
      await control.fail({ path: `/pages/${page}/labels`, status: 500, body: {}, times: null })
      const ended = await run(world, flow)
      assert.deepEqual(
        await setup.bensHits(),
        [],
        `leaks, and the run says ${ended.details.processing_status}`,
      )
    },
    { source: { include_labels: ['kb'] } },
  ))

test('it adds a picture once the token may fetch it', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page } = setup
      const { control } = world.wiki
      await control.attach(page, pictureFile(1))
      await control.editPage(page, {
        body: `<p>zebrafish</p>${ownImage('pic.png')}`,
      })
      await control.fail({ path: 'download', status: 403, body: {}, times: null })
      await run(world, flow)
      await control.clearFaults()
      await run(world, flow)
      assert.equal((await pictures(world)).length, 1)
    },
    {
      source: { extract_images: true },
      wanted: { nodes: PARTITION_NODES },
    },
  ))
