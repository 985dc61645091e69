import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bareImage } from '../../src/sample/wiki/images.ts'
import { contents } from '../world/agreement.ts'
import { run } from '../world/flow.ts'
import { inZoo } from '../world/zoo.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PARTITION = [{ name: 'Partitioner', type: 'partition', subtype: 'auto', settings: {} }]

test('a comment that the search did not show when the page was read comes with the next run', () =>
  inZoo(
    async (zoo) => {
      const { world, flow, page } = zoo
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
      assert.equal((await zoo.bensHits('walrus')).length, 1)
    },
    { source: { include_comments: true } },
  ))

test('the picture of a blog post is taken along', () =>
  inZoo(
    async (zoo) => {
      const { world, flow } = zoo
      const { control } = world.wiki
      const post = await control.createPage({ space: 'OPN', title: 'Post', kind: 'blogpost' })
      await control.attach(post, { title: 'pic.png', mediaType: 'image/png', base64: PNG })
      await control.editPage(post, {
        view: `<p>zebrafish</p>${bareImage({ title: 'pic.png', pageId: post })}`,
      })
      await run(world, flow)
      assert.ok((await contents(world)).some((each) => JSON.stringify(each).includes('image_base64')))
    },
    { source: { extract_images: true, include_blog_posts: true }, wanted: { nodes: PARTITION } },
  ))

test('a retry whose space cannot be listed does not say SUCCESS', () =>
  inZoo(
    async (zoo) => {
      const { world, flow, page, open } = zoo
      const { control } = world.wiki
      await control.attach(page, { title: 'a.txt', mediaType: 'text/plain', base64: 'aGVsbG8=' })
      await control.fail({ path: 'download', status: 403, body: {}, times: null })
      const first = await run(world, flow)
      assert.equal(first.details.counts.failed, 1)
      await control.fail({ path: `/spaces/${open.id}/pages`, status: 403, body: {}, times: null })
      const { body, status, text } = await world.api.post<{ id: string }>(`/jobs/${first.id}/retry`)
      assert.equal(status, 202, text)
      const { finish } = await import('../world/flow.ts')
      const again = await finish(world, body.id)
      assert.notEqual(again.details.processing_status, 'SUCCESS')
    },
    { source: { extract_files: true } },
  ))

test('a page restricted to nobody the account sees and its file both go', () =>
  inZoo(
    async (zoo) => {
      const { world, flow, page, secret } = zoo
      const { control } = world.wiki
      const file = await control.attach(page, {
        title: 'a.txt',
        mediaType: 'text/plain',
        base64: Buffer.from('walrus').toString('base64'),
      })
      const post = await control.createPage({
        space: 'OPN',
        title: 'Post',
        kind: 'blogpost',
        view: '<p>ocelot</p>',
      })
      await run(world, flow)
      assert.deepEqual([(await zoo.bensHits('walrus')).length, (await zoo.bensHits('ocelot')).length], [1, 1])
      await control.restrict(post, { read: { users: [zoo.ann] } })
      await control.movePage(page, secret.homepageId)
      await control.moveAttachment(file, page)
      assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
      assert.deepEqual(
        [await zoo.bensHits('walrus'), await zoo.bensHits('ocelot'), await zoo.bensHits()],
        [[], [], []],
      )
      await control.trashPage(page)
      assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
      assert.ok(!(await contents(world)).some((each) => each._source.text.includes('walrus')))
    },
    { source: { extract_files: true, include_blog_posts: true } },
  ))
