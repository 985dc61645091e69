import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contents } from '../world/agreement.ts'
import { finish, run } from '../world/flow.ts'
import { assertSuccess } from '../world/open-space.ts'
import { PARTITION_NODES, pictureFile, pictures, textFile } from '../world/parts.ts'
import { inSmallWorld } from '../world/small-world.ts'
import { ownImage } from '../world/storage.ts'

test('it adds a comment that the search index had missed in the next run', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page } = setup
      const { control } = world.wiki
      await control.addComment(page, { body: '<p>walrus answer</p>' })
      await control.fail({
        path: 'container(\\+|%20)in',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: { results: [], _links: {} },
        times: 1,
      })
      await run(world, flow)
      await run(world, flow)
      assert.equal((await setup.bensHits('walrus')).length, 1)
    },
    { source: { include_comments: true } },
  ))

test('it includes the picture of a blog post', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow } = setup
      const { control } = world.wiki
      const post = await control.createPage({ space: 'OPN', title: 'Post', kind: 'blogpost' })
      await control.attach(post, pictureFile(1))
      await control.editPage(post, {
        body: `<p>zebrafish</p>${ownImage('pic.png')}`,
      })
      await run(world, flow)
      assert.ok((await pictures(world)).length > 0)
    },
    { source: { extract_images: true, include_blog_posts: true }, wanted: { nodes: PARTITION_NODES } },
  ))

test('it does not report SUCCESS for a retry whose space cannot be listed', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page, open } = setup
      const { control } = world.wiki
      await control.attach(page, textFile('hello'))
      await control.fail({ path: 'download', status: 403, body: {}, times: null })
      const first = await run(world, flow)
      assert.equal(first.details.counts.failed, 1)
      await control.fail({ path: `/spaces/${open.id}/pages`, status: 403, body: {}, times: null })
      const { body, status, text } = await world.api.post<{ id: string }>(`/jobs/${first.id}/retry`)
      assert.equal(status, 202, text)
      const again = await finish(world, body.id)
      assert.notEqual(again.details.processing_status, 'SUCCESS')
    },
    { source: { extract_files: true } },
  ))

test('it removes a page and its file that the account can no longer see', () =>
  inSmallWorld(
    async (setup) => {
      const { world, flow, page, secret } = setup
      const { control } = world.wiki
      const file = await control.attach(page, textFile('walrus'))
      const post = await control.createPage({
        space: 'OPN',
        title: 'Post',
        kind: 'blogpost',
        body: '<p>ocelot</p>',
      })
      await run(world, flow)
      assert.deepEqual(
        [(await setup.bensHits('walrus')).length, (await setup.bensHits('ocelot')).length],
        [1, 1],
      )
      await control.restrict(post, { read: { users: [setup.ann] } })
      await control.movePage(page, secret.homepageId)
      await control.moveAttachment(file, page)
      await assertSuccess(run(world, flow))
      assert.deepEqual(
        [await setup.bensHits('walrus'), await setup.bensHits('ocelot'), await setup.bensHits()],
        [[], [], []],
      )
      await control.trashPage(page)
      await assertSuccess(run(world, flow))
      assert.ok(!(await contents(world)).some((each) => each._source.text.includes('walrus')))
    },
    { source: { extract_files: true, include_blog_posts: true } },
  ))
