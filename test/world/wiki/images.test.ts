import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fetchReply, requestCloud, requestDataCenter } from './ask.ts'
import * as images from './render/images.ts'
import { startWiki, type Wiki } from './start.ts'

describe('pictures in the bodies of the simulated wiki', () => {
  let wiki: Wiki
  let cloud: ReturnType<typeof requestCloud>
  let dc: ReturnType<typeof requestDataCenter>
  let [page, other]: string[] = []

  before(async () => {
    wiki = await startWiki({ seed: 25, pages: 80 })
    cloud = requestCloud(wiki.cloudUrl)
    dc = requestDataCenter(wiki.dataCenterUrl)
    page = await wiki.control.createPage({ space: 'ENG', title: 'Pictures' })
    other = await wiki.control.createPage({ space: 'ENG', title: 'Gallery' })
  })
  after(() => wiki.stop())

  const viewOnCloud = async (id = page) =>
    (await cloud(`/api/v2/pages/${id}?body-format=view`)).json.body.view.value
  const viewOnDataCenter = async (id = page) =>
    (await dc(`/rest/api/content/${id}?expand=body.view`)).json.body.view.value

  test('it names an attachment by its number, its page, its media id and the base of the site', async () => {
    const id = await wiki.control.attach(other ?? '', {
      title: 'a b&c.png',
      mediaType: 'image/png',
      base64: 'AA==',
    })
    const file = (await wiki.control.truth()).attachments.find((each) => each.id === id)
    assert.ok(file)
    await wiki.control.editPage(page ?? '', { body: images.attachmentImage(file) })
    const view = await viewOnCloud()
    assert.match(view, new RegExp(` data-linked-resource-id="${id.slice(3)}"`))
    assert.match(view, new RegExp(` data-linked-resource-container-id="${other}"`))
    assert.match(view, new RegExp(` data-media-id="${file.fileId}"`))
    assert.ok(view.includes(` data-base-url="${wiki.cloudUrl}"`))
    assert.ok(view.includes(` src="/wiki/download/thumbnails/${other}/a%20b%26c.png?version=1&amp;api=v2"`))
    assert.ok(view.includes(` data-linked-resource-default-alias="a b&amp;c.png"`))
  })

  test('it renders the context path of Data Center, no media ids, and absolute addresses if configured', async () => {
    const view = await viewOnDataCenter()
    assert.ok(view.includes(`src="/confluence/download/thumbnails/${other}/`))
    assert.ok(view.includes(` data-base-url="${wiki.dataCenterUrl}"`))
    assert.ok(!view.includes('data-media-id') && !view.includes('/wiki'))
    await wiki.control.set({ absoluteViews: true })
    assert.ok((await viewOnDataCenter()).includes(`src="${wiki.dataCenterUrl}/download/thumbnails/${other}/`))
    assert.ok(
      (await viewOnCloud()).includes(`data-image-src="${wiki.cloudUrl}/download/attachments/${other}/`),
    )
    await wiki.control.set({ absoluteViews: false })
  })

  test('it serves the pictures of generated pages at their addresses', async () => {
    const { attachments } = await wiki.control.truth()
    const picture = attachments.find(({ mediaType }) => mediaType === 'image/png')
    assert.ok(picture)
    const view = await viewOnCloud(picture.pageId)
    const [, id] = /<img[^>]* data-linked-resource-id="(\d+)"/.exec(view) ?? []
    assert.equal(id, picture.id.slice(3))
    const { headers } = await cloud(`/rest/api/content/${picture.pageId}/child/attachment/${id}/download`)
    assert.match((await fetchReply(headers.get('location') ?? '')).text, /PNG/)
    const [, src] = /<img[^>]* data-image-src="([^"]+)"/.exec(await viewOnDataCenter(picture.pageId)) ?? []
    const path = (src ?? '').replaceAll('&amp;', '&').replace('/confluence', '')
    assert.match((await dc(path)).text, /PNG/)
  })

  test('it shows external, inline and missing pictures, and emoji', async () => {
    const shown = { title: 'x.png', pageId: page ?? '' }
    const cases: [string, RegExp][] = [
      [
        images.bareImage(shown),
        new RegExp(`<img [^>]*src="/wiki/download/attachments/${page}/x\\.png\\?version=1&amp;api=v2">`),
      ],
      [
        images.externalImage('https://pictures.example/a.png?b=1&c=2', 'A "b"'),
        /confluence-external-resource" alt="A &quot;b&quot;" [^>]*src="https:\/\/pictures\.example\/a\.png\?b=1&amp;c=2"/,
      ],
      [images.inlineImage('image/png', 'AA=='), /<img [^>]*src="data:image\/png;base64,AA=="/],
      [images.emojiImage('1f680', 'rocket', '🚀'), /class="emoticon [^>]*data-emoji-fallback="🚀"/],
      [images.unknownImage('gone.png'), /title="gone\.png" [^>]*placeholder\/unknown-attachment/],
    ]
    for (const [body, view] of cases) {
      await wiki.control.editPage(page ?? '', { body })
      assert.match(await viewOnCloud(), view)
    }
  })

  test('it lists files with missing or wrong content', async () => {
    const missing = await wiki.control.attach(page ?? '', images.invalidFiles.missing)
    const disguised = await wiki.control.attach(page ?? '', images.invalidFiles.disguised)
    const fetched = async (id: string) => {
      const { headers } = await cloud(`/rest/api/content/${page}/child/attachment/${id}/download`)
      return fetchReply(headers.get('location') ?? '')
    }
    assert.equal((await cloud(`/api/v2/pages/${page}/attachments`)).json.results.length, 2)
    assert.equal((await fetched(missing)).status, 404)
    const wrong = await fetched(disguised)
    assert.equal(wrong.headers.get('content-type'), 'image/png')
    assert.match(wrong.text, /^<!DOCTYPE html>/)
  })
})
