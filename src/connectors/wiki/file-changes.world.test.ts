import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { requestsWithoutChecks } from '../../../test/world/checks.ts'
import { onBothSites, type SitesOptions } from '../../../test/world/sites.ts'
import { pngFile } from '../../../test/world/wiki/model/files.ts'
import { bytesIn, filesOfPages, text } from '../../../test/world/wiki-files.ts'
import {
  fileOf,
  listAll,
  locationsOf,
  pageOf,
  readDocument,
  readOutcomes,
} from '../../../test/world/wiki-source.ts'
import { isFile } from './document-page.ts'

onBothSites('the files of pages', filesOfPages, (site) => {
  const { newSpace, newPage, open, refsOf } = site

  describe('over time', () => {
    test('have a new version only if they change', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const ids = [
        await site.control.attach(pageId, { title: 'a.txt', ...text('a') }),
        await site.control.attach(pageId, { title: 'b.txt', ...text('b') }),
        await site.control.attach(pageId, {
          title: 'c.png',
          mediaType: 'image/png',
          base64: pngFile(1).toString('base64'),
        }),
      ]
      const before = await refsOf(space)
      assert.deepEqual(await refsOf(space), before)
      await site.control.updateAttachment(ids[0]!, { base64: Buffer.from('new').toString('base64') })
      await site.control.updateAttachment(ids[2]!, { base64: pngFile(2).toString('base64') })
      const now = await refsOf(space)
      assert.notEqual(fileOf(now, ids[0]!).version, fileOf(before, ids[0]!).version)
      assert.equal(fileOf(now, ids[1]!).version, fileOf(before, ids[1]!).version)
      assert.notEqual(fileOf(now, ids[2]!).version, fileOf(before, ids[2]!).version)
      assert.equal(pageOf(now, pageId).version, pageOf(before, pageId).version)
      assert.equal(String(bytesIn(await readDocument(open(space), fileOf(now, ids[0]!)))), 'new')
    })

    test('stay the same document after a move, at the new place', async () => {
      const [space, other] = [await newSpace(), await newSpace()]
      const [from, to, away] = [await newPage(space), await newPage(space), await newPage(other)]
      const id = await site.control.attach(from, { title: 'a.txt', ...text('moved') })
      const before = fileOf(await refsOf(space), id)
      await site.control.moveAttachment(id, to)
      const moved = fileOf(await refsOf(space), id)
      assert.equal(moved.recordId, before.recordId)
      assert.equal(moved.locator.page_id, to)
      assert.equal(String(bytesIn(await readDocument(open(space), moved))), 'moved')
      await site.control.moveAttachment(id, away)
      assert.deepEqual(await locationsOf(open([space, other]), [before]), [other])
      assert.deepEqual(await locationsOf(open(space), [before]), [null])
    })

    test('are gone only after removal or if no longer selected', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const ids = [
        await site.control.attach(pageId, { title: 'a.txt', ...text('a') }),
        await site.control.attach(pageId, { title: 'b.txt', ...text('b') }),
      ]
      const refs = await refsOf(space)
      const [removed, kept] = ids.map((id) => fileOf(refs, id))
      await site.control.removeAttachment(ids[0]!)
      assert.deepEqual(await locationsOf(open(space), [removed!, kept!]), [null, space])
      assert.deepEqual(await locationsOf(open(space, { extract_files: false }), [removed!, kept!]), [
        null,
        null,
      ])
      const page = pageOf(refs, pageId)
      assert.deepEqual(await locationsOf(open(space, { extract_files: false }), [page]), [space])
    })

    test('do not count as gone if the wiki does not answer', async () => {
      const space = await newSpace()
      const id = await site.control.attach(await newPage(space), { title: 'a.txt', ...text('a') })
      const source = open(space)
      const file = fileOf((await listAll(source)).refs, id)
      for (const status of [403, 500]) {
        await site.control.fail({ path: `/${id}`, status, times: null })
        assert.deepEqual(await locationsOf(source, [file]), ['unknown'], String(status))
        await site.control.clearFaults()
      }
    })

    test('are reported and kept if they cannot be listed', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const ids: string[] = []
      for (let at = 0; at < 30; at++)
        ids.push(await site.control.attach(pageId, { title: `${at}.txt`, ...text(`${at}`) }))
      const known = (await refsOf(space)).filter(isFile)
      assert.equal(known.length, 30)
      await site.control.fail({
        path: `${pageId}/(child/attachment|attachments)\\?`,
        status: 403,
        times: null,
      })
      const source = open(space)
      const { refs, warnings } = await listAll(source)
      assert.ok(pageOf(refs, pageId))
      assert.deepEqual(
        warnings.map(({ code, documents }) => ({ code, documents })),
        [{ code: 'files_not_listed', documents: 1 }],
      )
      const missing = known.filter(({ recordId }) => !refs.some((ref) => ref.recordId === recordId))
      assert.deepEqual(new Set(await locationsOf(source, missing)), new Set([space]))
    })
  })

  test('do not count toward the page limit, and come with the pages read', async () => {
    const space = await newSpace()
    const pages = [await newPage(space), await newPage(space), await newPage(space)]
    for (const page of pages)
      for (const title of ['a.txt', 'b.txt', 'c.txt'])
        await site.control.attach(page, { title, ...text(title) })
    // The home page of the space is the first.
    const { refs, warnings, ends } = await listAll(open(space, { max_num_of_docs_from_each_space: 3 }))
    assert.equal(refs.filter((ref) => !isFile(ref)).length, 3)
    const files = refs.filter(isFile)
    assert.deepEqual(
      files.map(({ locator }) => locator.page_id),
      pages.slice(0, 2).flatMap((page) => [page, page, page]),
    )
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['documents_left_out'],
    )
    assert.equal(ends[0]!.upTo, files.at(-1)!.position)
  })
})

const manyPages: SitesOptions = {
  ...filesOfPages,
  wiki: { seed: 43, spaces: 3, pages: 300, people: 20, groups: 6 },
  async fill({ control }) {
    for (const { id, kind, status } of (await control.truth()).pages)
      if (kind === 'page' && status === 'current') await control.attach(id, { title: 'a.txt', ...text(id) })
  },
}
onBothSites('the files of 300 pages', manyPages, (site) => {
  test('are listed with hardly more requests than the pages alone, and read with two each', async (context) => {
    const count = async <T>(work: () => Promise<T>) => {
      await site.control.resetCounts()
      const value = await work()
      return { value, requests: await requestsWithoutChecks(site) }
    }
    const plain = await count(() => listAll(site.open(undefined, { extract_files: false })))
    const source = site.open()
    const filed = await count(() => listAll(source))
    const { refs, warnings } = filed.value
    const files = refs.filter(isFile)
    const pages = refs.length - files.length
    assert.deepEqual(warnings, [])
    assert.equal(pages, 300)
    assert.ok(files.length >= 300)
    context.diagnostic(
      `${plain.requests} requests for pages alone, ${filed.requests} with ${files.length} files`,
    )
    assert.ok(filed.requests <= plain.requests + 5, `${filed.requests} requests instead of ${plain.requests}`)
    assert.ok(filed.requests / pages <= 0.1, `${filed.requests} requests for ${pages} pages`)

    const some = files.slice(0, 100)
    const read = await count(() => readOutcomes(source, some))
    assert.equal(read.value.length, 100)
    assert.ok(read.value.every((outcome) => 'document' in outcome))
    assert.ok(read.requests <= 2 * some.length, `${read.requests} requests for ${some.length} files`)
  })
})
