import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { emoji, imageOf, ownImage } from '../../../test/world/storage.ts'
import { accounts } from '../../../test/world/wiki/accounts.ts'
import { invalidFiles } from '../../../test/world/wiki/render/images.ts'
import {
  embedded,
  HTML,
  missing,
  OTHER_PNG,
  onPicturedSites,
  PNG,
  picture,
  pictureOf,
} from '../../../test/world/wiki-images.ts'
import { bytesSent, listAll, ownVersion, pageOf, readDocument } from '../../../test/world/wiki-source.ts'

const GIF = Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff;', 'latin1')

onPicturedSites((site) => {
  const { deployment, isCloud, newSpace, newPage, open, attach, pictured, read, readOne, requests } = site

  const withPicture = async (pageId: string) => {
    await attach(pageId, PNG)
    return picture
  }

  describe('from the wiki', () => {
    test('are embedded in full size, not as a thumbnail', async () => {
      await site.control.resetCounts()
      const document = await readOne(async (pageId) => {
        await attach(pageId, PNG, { title: 'a b&c+d.png' })
        return `<p>before</p>${ownImage('a b&c+d.png')}<p>after</p>`
      })
      assert.deepEqual(document.sources, [embedded(PNG)])
      assert.match(
        document.html,
        /^<p>before<\/p><img src="data:[^"]*" data-image-src="[^"]*\/a%20b%26c%2Bd\.png" data-linked-resource-default-alias="a b&amp;c\+d\.png"><p>after<\/p>$/,
      )
      assert.equal(missing(document), 0)
      assert.equal(document.incomplete, undefined)
      assert.deepEqual(
        (await requests()).filter((url) => url.includes('thumbnail')),
        [],
      )
    })

    test('are found by address, thumbnails and absolute URLs included', async () => {
      const document = await readOne(async (pageId) => {
        await attach(pageId, PNG, { title: 'ä b.png' })
        await attach(pageId, OTHER_PNG, { title: 'small.png' })
        const home = deployment.home(site.wiki)
        const host = `<img src="${home}/download/attachments/${pageId}/${encodeURIComponent('ä b.png')}"/>`
        const thumbnail = `<img src="${home}/download/thumbnails/${pageId}/small.png?version=1&amp;api=v2"/>`
        return thumbnail + host
      })
      assert.deepEqual(document.sources, [embedded(OTHER_PNG), embedded(PNG)])
      assert.equal(missing(document), 0)
      assert.equal(document.incomplete, undefined)
    })

    test('are read for blog posts too', async () => {
      const space = await newSpace()
      const pageId = await newPage(space, { kind: 'blogpost' })
      await attach(pageId, PNG)
      await site.control.editPage(pageId, { body: picture })
      const document = await read(space, pageId, { include_blog_posts: true })
      assert.deepEqual(document.sources, [embedded(PNG)])
    })

    test('are read in comments too', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      await attach(pageId, PNG)
      const body = `<p>Look:</p>${picture}`
      await site.control.addComment(pageId, { body })
      assert.deepEqual((await read(space, pageId, { include_comments: true })).sources, [embedded(PNG)])
    })

    test('have the type of their content, whatever their name says', async () => {
      const document = await readOne(async (pageId) => {
        const gif = { title: 'photo.jpg', mediaType: 'image/jpeg' }
        const png = { title: 'data.bin', mediaType: 'application/octet-stream' }
        await attach(pageId, GIF, gif)
        await attach(pageId, PNG, png)
        return ownImage(gif.title) + ownImage(png.title)
      })
      assert.deepEqual(document.sources, [embedded(GIF, 'image/gif'), embedded(PNG)])
    })

    test('leave emoji and inline images unchanged', async () => {
      await site.control.resetCounts()
      const document = await readOne(`<p>${emoji}<img src="data:image/png;base64,AAAA" /></p>`)
      assert.match(document.html, /data-emoji-fallback="😀"/)
      assert.match(document.html, /<img src="data:image\/png;base64,AAAA">/)
      assert.equal(missing(document), 0)
      assert.deepEqual(
        (await requests()).filter((url) => /\/s\/|emoticons/.test(url)),
        [],
      )
    })

    test('cost two requests each at most, and a few for their page', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      await attach(pageId, PNG)
      await site.control.editPage(pageId, { body: picture.repeat(30) })
      const source = open(space)
      const ref = pageOf((await listAll(source)).refs, pageId)
      await site.control.resetCounts()
      assert.equal(missing(await readDocument(source, ref)), 0)
      assert.ok((await requests()).length <= 2 * 30 + 3, `${(await requests()).length} requests`)
    })

    test('are read only if the setting is on', async () => {
      await site.control.resetCounts()
      const document = await readOne(withPicture, { extract_images: false })
      assert.match(document.sources[0]!, /\/download\/attachments\/\d+\/picture\.png$/)
      assert.equal(document.warnings, undefined)
      assert.deepEqual(
        (await requests()).filter((url) => /download|binary|attachment/.test(url)),
        [],
      )
    })

    if (isCloud) {
      test('are read through the gateway too', async () => {
        await site.control.resetCounts()
        const document = await readOne(withPicture, { token: accounts.crawler.scopedToken })
        assert.deepEqual(document.sources, [embedded(PNG)])
        const media = (await site.control.requests()).filter(({ site }) => site === 'media')
        assert.ok(media.length >= 1 && media.every(({ authorized }) => !authorized))
      })

      test('come from the media host, which gets no credentials', async () => {
        await site.control.resetCounts()
        const document = await readOne(withPicture)
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

  describe('that cannot be read', () => {
    test('leave the page intact and are counted', async () => {
      const document = await readOne(async (pageId) => {
        await attach(pageId, PNG)
        await site.control.attach(pageId, invalidFiles.missing)
        await site.control.attach(pageId, { ...invalidFiles.disguised, title: 'trick.png' })
        return [
          '<h1>Plan</h1>',
          picture,
          ownImage(invalidFiles.missing.title),
          ownImage('trick.png'),
          ownImage('never.png'),
          '<p>The end.</p>',
        ].join('')
      })
      const { sources, html, warnings } = document
      assert.equal(sources[0], embedded(PNG))
      assert.equal(sources.length, 4)
      assert.ok(
        sources.slice(1).every((source) => source.startsWith(`${deployment.home(site.wiki)}/`)),
        String(sources.slice(1)),
      )
      assert.ok(html.startsWith('<h1>Plan</h1>') && html.endsWith('<p>The end.</p>'))
      assert.equal(warnings?.length, 1)
      assert.equal(warnings[0]!.code, 'images_missing')
      assert.equal(warnings[0]!.count, 3)
      assert.match(warnings[0]!.message, /^reading an image/)
      assert.equal(document.incomplete, undefined, 'none of them comes back without a change')
    })

    test('include those above 1.5 MB, named with sizes and not fetched', async () => {
      await site.control.resetCounts()
      const document = await readOne(async (pageId) => {
        const huge = { title: 'huge.png', mediaType: 'image/png', size: 2e9 }
        await attach(pageId, pictureOf(1_500_000), { title: 'exact.png' })
        await attach(pageId, pictureOf(1_600_000), { title: 'over.png' })
        await site.control.attachHuge(pageId, huge)
        return ['exact.png', 'over.png', 'huge.png'].map(ownImage).join('')
      })
      assert.equal(
        document.warnings?.[0]?.message,
        'larger than max_image_bytes (1.5 MB): huge.png (2000.0 MB), over.png (1.6 MB)',
      )
      assert.deepEqual(
        document.sources.map((source) => source.startsWith('data:')),
        [true, false, false],
      )
      assert.equal(missing(document), 2)
      assert.equal(document.incomplete, undefined)
      await assert.rejects(bytesSent(site.wiki, isCloud ? /huge/ : /download.*huge/), /nothing was sent/)
    })

    test('include those above the configured limit', async () => {
      const large = async (pageId: string) => {
        await attach(pageId, pictureOf(1_600_000))
        return picture
      }
      assert.equal(missing(await readOne(large, { max_image_bytes: 1_600_000 })), 0)
      assert.equal(missing(await readOne(large, { max_image_bytes: 1_599_999 })), 1)
    })

    test('include those above 16 MB in total', async () => {
      const document = await readOne(async (pageId) => {
        await attach(pageId, pictureOf(1_400_000))
        return picture.repeat(13)
      })
      assert.equal(document.sources.filter((source) => source.startsWith('data:')).length, 11)
      assert.equal(missing(document), 2)
    })

    test('include those after the two hundredth, emoji not counted', async () => {
      const document = await readOne(async (pageId) => {
        await attach(pageId, PNG)
        return emoji.repeat(50) + picture.repeat(203)
      })
      const isIn = document.sources.map((source) => source.startsWith('data:'))
      assert.deepEqual(isIn, [...Array(200).fill(true), ...Array(3).fill(false)])
      assert.equal(missing(document), 3)
    })

    test('are read again if the wiki failed', async () => {
      const space = await newSpace()
      const { pageId } = await pictured(space)
      await site.control.fail({ path: '/binary|/download/attachments', status: 500, times: null })
      const first = await read(space, pageId)
      assert.equal(missing(first), 1)
      assert.equal(first.incomplete, true)
      await site.control.clearFaults()
      const second = await read(space, pageId)
      assert.deepEqual(second.sources, [embedded(PNG)])
      assert.equal(second.incomplete, undefined)
    })

    test('include those for which the wiki sends its sign-in page', async () => {
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

  describe('of another page', () => {
    test('keep their text and are not requested', async () => {
      const space = await newSpace()
      const owner = await newPage(space, { title: 'Owner' })
      await attach(owner, PNG)
      const pageId = await newPage(space)
      const image = imageOf('picture.png', 'Owner', 'the plan')
      const storage = image.replace('</ac:image>', '<ac:caption><p>As drawn</p></ac:caption></ac:image>')
      const address = `${deployment.home(site.wiki)}/download/attachments/${owner}/picture.png`
      await site.control.editPage(pageId, { body: `${storage}<img src="${address}" alt="by address"/>` })
      const source = open(space)
      const ref = pageOf((await listAll(source)).refs, pageId)
      await site.control.resetCounts()
      const document = await readDocument(source, ref)
      assert.equal(
        document.body,
        '<img alt="the plan"><figcaption><p>As drawn</p></figcaption><img alt="by address">',
      )
      assert.equal(missing(document), 0)
      assert.deepEqual(
        (await requests()).filter((url) => /download|attachment/.test(url)),
        [],
      )
    })
  })

  describe('that change', () => {
    test('change the version of the unedited page and are read again', async () => {
      const space = await newSpace()
      const { pageId, id } = await pictured(space)
      const source = open(space)
      const versionNow = async () => pageOf((await listAll(source)).refs, pageId).version
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

    test('change it too if the wiki does not recognise them as images', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const file = { title: 'chart', mediaType: 'application/octet-stream' }
      const id = await attach(pageId, PNG, file)
      await site.control.editPage(pageId, { body: ownImage(file.title) })
      const source = open(space)
      const before = pageOf((await listAll(source)).refs, pageId)
      assert.deepEqual((await read(space, pageId)).sources, [embedded(PNG)], 'it is shown')
      await site.control.updateAttachment(id, { base64: OTHER_PNG.toString('base64') })
      assert.notEqual(pageOf((await listAll(source)).refs, pageId).version, before.version)
    })

    test('change nothing while images are not read', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await attach(pageId, PNG)
      const source = open(space, { extract_images: false })
      const before = pageOf((await listAll(source)).refs, pageId).version
      await site.control.updateAttachment(id, { base64: OTHER_PNG.toString('base64') })
      assert.equal(pageOf((await listAll(source)).refs, pageId).version, before)
      assert.notEqual(source.rendition, open(space).rendition)
    })
  })
})
