import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accounts } from '../../../test/world/wiki/accounts.ts'
import {
  bothWays,
  embedded,
  HTML,
  missing,
  OTHER_PNG,
  onPicturedSites,
  PNG,
  picture,
  pictureOf,
} from '../../../test/world/wiki-images.ts'
import { bytesSent, documentOf, listed, ownVersion, pageOf } from '../../../test/world/wiki-source.ts'
import * as shown from '../../sample/wiki/images.ts'

const GIF = Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff;', 'latin1')

onPicturedSites((site) => {
  const { deployment, isCloud, newSpace, newPage, open, attach, pictured, read, readOne, requests } = site

  describe('out of the wiki', () => {
    test('are part of it, as the full picture and not its thumbnail', async () => {
      await site.control.resetCounts()
      const document = await readOne(async (pageId) => {
        const id = await attach(pageId, PNG, { title: 'a b&c+d.png' })
        return `<p>before</p>${shown.attachmentImage({ id, title: 'a b&c+d.png', pageId })}<p>after</p>`
      })
      assert.deepEqual(document.sources, [embedded(PNG)])
      assert.match(document.html, /^<p>before<\/p><span.*<\/span><p>after<\/p>$/)
      assert.equal(missing(document), 0)
      assert.equal(document.revisit, undefined)
      assert.deepEqual(
        (await requests()).filter((url) => url.includes('thumbnail')),
        [],
      )
    })

    test('are found where only the address tells them, thumbnails and whole addresses too', async () => {
      const document = await readOne(async (pageId) => {
        await attach(pageId, PNG, { title: 'ä b.png' })
        await attach(pageId, OTHER_PNG, { title: 'small.png' })
        const host = `<img src="${deployment.home(site.wiki)}/download/attachments/${pageId}/${encodeURIComponent('ä b.png')}">`
        const thumbnail = `<img src="/wiki/download/thumbnails/${pageId}/small.png?version=1&amp;api=v2">`
        return shown.bareImage({ title: 'ä b.png', pageId }) + thumbnail + host
      })
      assert.deepEqual(document.sources, [embedded(PNG), embedded(OTHER_PNG), embedded(PNG)])
      assert.equal(missing(document), 0)
      assert.equal(document.revisit, undefined)
    })

    test('are found in views that name the host of the wiki', async () => {
      await site.control.set({ absoluteViews: true })
      try {
        const document = await readOne(async (pageId) => {
          return bothWays(await attach(pageId, PNG), pageId)
        })
        assert.deepEqual(document.sources, [embedded(PNG), embedded(PNG)])
      } finally {
        await site.control.set({ absoluteViews: false })
      }
    })

    test('are those of a blog post as well, with what tells them and without', async () => {
      const space = await newSpace()
      const pageId = await newPage(space, { kind: 'blogpost' })
      const view = bothWays(await attach(pageId, PNG), pageId)
      await site.control.editPage(pageId, { view })
      const document = await read(space, pageId, { include_blog_posts: true })
      assert.deepEqual(document.sources, [embedded(PNG), embedded(PNG)])
    })

    test('are in comments too', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await attach(pageId, PNG)
      const body = `<p>Look:</p>${picture(id, pageId)}`
      await site.control.addComment(pageId, { body })
      assert.deepEqual((await read(space, pageId, { include_comments: true })).sources, [embedded(PNG)])
    })

    test('have the type of their content, whatever their name says', async () => {
      const document = await readOne(async (pageId) => {
        const gif = { title: 'photo.jpg', mediaType: 'image/jpeg' }
        const png = { title: 'data.bin', mediaType: 'application/octet-stream' }
        const ids = [await attach(pageId, GIF, gif), await attach(pageId, PNG, png)]
        return [gif, png].map((each, at) => shown.attachmentImage({ id: ids[at]!, pageId, ...each })).join('')
      })
      assert.deepEqual(document.sources, [embedded(GIF, 'image/gif'), embedded(PNG)])
    })

    test('leave characters and pictures inside the page as they are', async () => {
      await site.control.resetCounts()
      const emoji = shown.emojiImage('1f600', 'grinning', '😀')
      const inline = shown.inlineImage('image/png', 'AAAA')
      const document = await readOne(`<p>${emoji}${inline}</p>`)
      assert.equal(document.html, `<p>${emoji.replace('"/wiki/', `"${deployment.context}/`)}${inline}</p>`)
      assert.equal(missing(document), 0)
      assert.deepEqual(
        (await requests()).filter((url) => /\/s\/|emoticons/.test(url)),
        [],
      )
    })

    test('cost two requests each at most, and a few for their page', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const pair = bothWays(await attach(pageId, PNG), pageId)
      await site.control.editPage(pageId, { view: pair.repeat(15) })
      const source = open(space)
      const ref = pageOf((await listed(source)).refs, pageId)
      await site.control.resetCounts()
      assert.equal(missing(await documentOf(source, ref)), 0)
      assert.ok((await requests()).length <= 2 * 30 + 3, `${(await requests()).length} requests`)
    })

    test('are not asked for unless they are wanted', async () => {
      await site.control.resetCounts()
      const document = await readOne(async (pageId) => picture(await attach(pageId, PNG), pageId), {
        extract_images: false,
      })
      assert.match(document.sources[0]!, /\/download\/thumbnails\//)
      assert.equal(document.warnings, undefined)
      assert.deepEqual(
        (await requests()).filter((url) => /download|binary|attachment/.test(url)),
        [],
      )
    })

    if (isCloud) {
      test('are had through the gateway as well', async () => {
        const document = await readOne(
          async (pageId) => {
            return bothWays(await attach(pageId, PNG), pageId)
          },
          { token: accounts.crawler.scopedToken },
        )
        assert.deepEqual(document.sources, [embedded(PNG), embedded(PNG)])
        const media = (await site.control.requests()).filter(({ site }) => site === 'media')
        assert.ok(media.length >= 2 && media.every(({ authorized }) => !authorized))
      })

      test('come from the media host, which gets no credentials', async () => {
        await site.control.resetCounts()
        const document = await readOne(async (pageId) => picture(await attach(pageId, PNG), pageId))
        assert.deepEqual(document.sources, [embedded(PNG)])
        const seen = await site.control.requests()
        const media = seen.filter(({ site }) => site === 'media')
        assert.deepEqual(
          media.map(({ authorized, status }) => ({ authorized, status })),
          [{ authorized: false, status: 200 }],
        )
        const handed = seen.filter(({ url }) => url.includes('/download'))
        assert.deepEqual(
          handed.map(({ authorized, status }) => ({ authorized, status })),
          [{ authorized: true, status: 302 }],
        )
      })
    }
  })

  describe('that cannot be had', () => {
    test('leave the page whole, and are counted', async () => {
      const document = await readOne(async (pageId) => {
        const good = await attach(pageId, PNG)
        const { title, mediaType } = shown.trickFiles.missing
        const lost = await site.control.attach(pageId, shown.trickFiles.missing)
        const disguised = await site.control.attach(pageId, {
          ...shown.trickFiles.disguised,
          title: 'trick.png',
        })
        return [
          '<h1>Plan</h1>',
          picture(good, pageId),
          shown.attachmentImage({ id: lost, title, mediaType, pageId }),
          shown.attachmentImage({ id: disguised, title: 'trick.png', pageId }),
          shown.bareImage({ title: 'never.png', pageId }),
          shown.unknownImage('deleted.png'),
          '<p>The end.</p>',
        ].join('')
      })
      const { sources, html, warnings } = document
      assert.equal(sources[0], embedded(PNG))
      assert.equal(sources.length, 5)
      assert.ok(
        sources.slice(1).every((source) => source.startsWith(`${deployment.context}/`)),
        String(sources.slice(1)),
      )
      assert.ok(html.startsWith('<h1>Plan</h1>') && html.endsWith('<p>The end.</p>'))
      assert.equal(warnings?.length, 1)
      assert.equal(warnings[0]!.code, 'images_missing')
      assert.equal(warnings[0]!.count, 4)
      assert.match(warnings[0]!.message, /^reading a picture/)
      assert.equal(document.revisit, undefined, 'none of them comes back without a change')
    })

    test('are those above 1.5 MB, of which nothing much is fetched', async () => {
      await site.control.resetCounts()
      const document = await readOne(async (pageId) => {
        const huge = { title: 'huge.png', mediaType: 'image/png', size: 2e9 }
        const ids = {
          'exact.png': await attach(pageId, pictureOf(1_500_000), { title: 'exact.png' }),
          'over.png': await attach(pageId, pictureOf(1_500_001), { title: 'over.png' }),
          'huge.png': await site.control.attachHuge(pageId, huge),
        }
        return Object.entries(ids)
          .map(([title, id]) => shown.attachmentImage({ id, title, pageId }))
          .join('')
      })
      assert.deepEqual(
        document.sources.map((source) => source.startsWith('data:')),
        [true, false, false],
      )
      assert.equal(missing(document), 2)
      assert.equal(document.revisit, undefined)
      assert.ok((await bytesSent(site.wiki, isCloud ? /huge/ : /download.*huge/)) < 20e6)
    })

    test('are those above 16 MB together', async () => {
      const document = await readOne(async (pageId) => {
        const id = await attach(pageId, pictureOf(1_400_000))
        return picture(id, pageId).repeat(13)
      })
      assert.equal(document.sources.filter((source) => source.startsWith('data:')).length, 11)
      assert.equal(missing(document), 2)
    })

    test('are those after the two hundredth, characters not counted', async () => {
      const document = await readOne(async (pageId) => {
        const id = await attach(pageId, PNG)
        const emoji = shown.emojiImage('1f600', 'grinning', '😀').repeat(50)
        return emoji + picture(id, pageId).repeat(203)
      })
      const isIn = document.sources.map((source) => source.startsWith('data:'))
      assert.deepEqual(isIn, [...Array(50).fill(false), ...Array(200).fill(true), ...Array(3).fill(false)])
      assert.equal(missing(document), 3)
    })

    test('are looked for again where it was the wiki that failed', async () => {
      const space = await newSpace()
      const { pageId } = await pictured(space)
      await site.control.fail({ path: '/binary|/download/attachments', status: 500, times: null })
      const first = await read(space, pageId)
      assert.equal(missing(first), 1)
      assert.equal(first.revisit, true)
      await site.control.clearFaults()
      const second = await read(space, pageId)
      assert.deepEqual(second.sources, [embedded(PNG)])
      assert.equal(second.revisit, undefined)
    })

    test('are those for which the wiki sends its sign-in page', async () => {
      const space = await newSpace()
      const { pageId } = await pictured(space)
      const headers = { 'content-type': 'text/html' }
      await site.control.fail({
        path: '/binary|/download/',
        status: 200,
        headers,
        body: String(HTML),
        times: null,
      })
      const document = await read(space, pageId)
      assert.equal(missing(document), 1)
      assert.ok(!document.sources[0]!.startsWith('data:'))
    })
  })

  describe('that change', () => {
    test('change the version of the page, which was not edited, and are read anew', async () => {
      const space = await newSpace()
      const { pageId, id } = await pictured(space)
      const source = open(space)
      const versionNow = async () => pageOf((await listed(source)).refs, pageId).version
      const before = await versionNow()
      assert.equal(await versionNow(), before, 'nothing changed')
      assert.equal((await read(space, pageId)).version, before)

      await site.control.updateAttachment(id, { base64: OTHER_PNG.toString('base64') })
      const afterwards = await versionNow()
      assert.notEqual(afterwards, before)
      assert.equal(ownVersion(afterwards), ownVersion(before))
      const document = await read(space, pageId)
      assert.deepEqual(document.sources, [embedded(OTHER_PNG)])
      assert.equal(document.version, afterwards)

      await site.control.trashAttachment(id)
      assert.notEqual(await versionNow(), afterwards)
    })

    test('change it too where the wiki does not know them for pictures', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const file = { title: 'chart', mediaType: 'application/octet-stream' }
      const id = await attach(pageId, PNG, file)
      await site.control.editPage(pageId, { view: shown.attachmentImage({ id, pageId, ...file }) })
      const source = open(space)
      const before = pageOf((await listed(source)).refs, pageId)
      assert.deepEqual((await read(space, pageId)).sources, [embedded(PNG)], 'it is shown')
      await site.control.updateAttachment(id, { base64: OTHER_PNG.toString('base64') })
      assert.notEqual(pageOf((await listed(source)).refs, pageId).version, before.version)
    })

    test('change nothing while images are not read', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await attach(pageId, PNG)
      const source = open(space, { extract_images: false })
      const before = pageOf((await listed(source)).refs, pageId).version
      await site.control.updateAttachment(id, { base64: OTHER_PNG.toString('base64') })
      assert.equal(pageOf((await listed(source)).refs, pageId).version, before)
      assert.notEqual(source.rendition, open(space).rendition)
    })
  })
})
