import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { contents } from '../world/agreement.ts'
import { type Flow, finish, run } from '../world/flow.ts'
import { assertSuccess, type OpenSpace, openSpace } from '../world/open-space.ts'
import { textFile } from '../world/parts.ts'
import type { World } from '../world/world.ts'

/** With `files: embedded`, only files that the body of a page shows or links to are documents. */
describe('embedded files', () => {
  let world: World
  let flow: Flow
  let setSource: OpenSpace['setSource']
  let page: string
  const linkTo = (...names: string[]) =>
    names
      .map((name) => `<p><ac:link><ri:attachment ri:filename="${name}" /></ac:link></p>`)
      .join('<p>and</p>')

  before(async () => {
    ;({ world, flow, setSource } = await openSpace(37, scope))
    page = await world.wiki.control.createPage({ space: 'OPN', title: 'Holder', body: linkTo('a.txt') })
    for (const name of ['a.txt', 'b.txt'])
      await world.wiki.control.attach(page, textFile(`Words of ${name}.`, name))
  })
  after(() => world.close())

  test('it adds a file that becomes linked and removes one that no longer is', async () => {
    await assertSuccess(run(world, flow))
    assert.deepEqual(await files(), ['a.txt'])
    await world.wiki.control.editPage(page, { body: linkTo('a.txt', 'b.txt') })
    assert.equal((await assertSuccess(run(world, flow))).details.counts.new, 1)
    assert.deepEqual(await files(), ['a.txt', 'b.txt'])
    await world.wiki.control.editPage(page, { body: linkTo('b.txt') })
    assert.equal((await assertSuccess(run(world, flow))).details.counts.removed, 1)
    assert.deepEqual(await files(), ['b.txt'])
  })

  test('it keeps them in an unchanged run without reading a body', async () => {
    await world.wiki.control.resetCounts()
    const { counts } = (await assertSuccess(run(world, flow))).details
    assert.deepEqual([counts.unchanged, counts.discovered, counts.removed], [3, 3, 0])
    const read = (await world.wiki.control.requests()).filter(({ url }) => /storage|download/.test(url))
    assert.deepEqual(read, [])
  })

  test('it keeps them if a changed body cannot be read, and retries', async () => {
    await world.wiki.control.editPage(page, { body: linkTo('a.txt') })
    await world.wiki.control.fail({ path: 'body-format=storage', status: 403, times: null })
    const failed = await run(world, flow)
    await world.wiki.control.clearFaults()
    assert.equal(failed.details.processing_status, 'COMPLETED_WITH_ERRORS')
    assert.ok(failed.details.warnings.some(({ code }) => code === 'files_not_listed'))
    assert.deepEqual(await files(), ['b.txt'], 'an unread body proves nothing')
    const retried = await world.api.post<{ id: string }>(`/jobs/${failed.id}/retry`)
    assert.equal(retried.status, 202, retried.text)
    await assertSuccess(finish(world, retried.body.id))
    assert.deepEqual(await files(), ['b.txt'], 'a retry covers the failed page only')
    await assertSuccess(run(world, flow))
    assert.deepEqual(await files(), ['a.txt'])
  })

  test('it reads all files of a page if the setting changes back', async () => {
    await setSource({ files: 'all' })
    await assertSuccess(run(world, flow))
    assert.deepEqual(await files(), ['a.txt', 'b.txt'])
    await setSource({})
    assert.equal((await assertSuccess(run(world, flow))).details.counts.removed, 1)
    assert.deepEqual(await files(), ['a.txt'])
  })

  async function files(): Promise<string[]> {
    const names = (await contents(world)).map(({ _source }) => String(_source.metadata.filename))
    return [...new Set(names)].filter((name) => name.endsWith('.txt')).toSorted()
  }
})

const scope = { spaces: ['OPN'], extract_files: true, files: 'embedded' }
