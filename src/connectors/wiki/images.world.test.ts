import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect as dial } from 'node:net'
import { after, afterEach, before, describe, test } from 'node:test'
import { accounts } from '../../../test/world/wiki/accounts.ts'
import { startWiki, type Wiki } from '../../../test/world/wiki/start.ts'
import {
  addSpace,
  bytesSent,
  type Deployment,
  deployments,
  documentOf,
  everyone,
  listed,
  type Opened,
  openSource,
  pageOf,
  visitors,
} from '../../../test/world/wiki-source.ts'
import type { SourceDocument } from '../../document.ts'
import { pngFile } from '../../sample/wiki/files.ts'
import * as shown from '../../sample/wiki/images.ts'
import type { Principals } from '../../sample/wiki/model.ts'
import { parseAllowedHosts } from '../egress/allowed-hosts.ts'
import { createEgress } from '../egress/guard.ts'
import type { Egress } from '../egress.ts'

const PNG = pngFile(3)
const OTHER_PNG = pngFile(5)
const GIF = Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff;', 'latin1')
const HTML = Buffer.from('<!DOCTYPE html><html><body>no picture</body></html>')
/** As `short` tells it. */
const embedded = (bytes: Buffer, type = 'image/png') =>
  short(`data:${type};base64,${bytes.toString('base64')}`)
/** A picture of that many bytes: what follows its end is no part of it, and is sent all the same. */
const pictureOf = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)])

/** Public names lead to one server, and one machine stands inside; both are on this one. */
type Internet = { seen: IncomingMessage[]; inside: IncomingMessage[]; insideUrl: string; dialled: string[] }
const PUBLIC = '8.8.8.8'
const answers: Record<string, (port: number) => { status?: number; headers?: object; body?: Buffer }> = {
  '/good.png': () => ({
    body: PNG,
    headers: { 'content-type': 'text/plain', 'set-cookie': 'session=canary' },
  }),
  '/page.png': () => ({ body: HTML, headers: { 'content-type': 'image/png' } }),
  '/broken.png': () => ({ status: 500 }),
  '/inside.png': (port) => ({ status: 302, headers: { location: `http://127.0.0.1:${port}/x.png` } }),
  '/away.png': () => ({ status: 302, headers: { location: 'http://other.example/good.png' } }),
  '/large.png': () => ({ body: pictureOf(1_500_001) }),
}

for (const deployment of deployments)
  describe(`the images of a page (${deployment.name})`, () => pictures(deployment))

function pictures(deployment: Deployment): void {
  const isCloud = deployment.site === 'cloud'
  let wiki: Wiki
  let egress: Egress
  let opened: Opened
  let servers: Server[] = []
  const internet: Internet = { seen: [], inside: [], insideUrl: '', dialled: [] }
  let spaces = 0

  before(async () => {
    wiki = await startWiki({ seed: 31, spaces: 3, pages: 30, people: 10, groups: 4 })
    const inside = createServer((request, response) => {
      internet.inside.push(request)
      response.end(PNG)
    })
    const outside = createServer((request, response) => {
      internet.seen.push(request)
      const made = answers[request.url ?? '']?.(portOf(inside)) ?? { status: 404 }
      response.writeHead(made.status ?? 200, { ...made.headers }).end(made.body)
    })
    servers = [inside, outside]
    for (const server of servers) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    internet.insideUrl = `http://127.0.0.1:${portOf(inside)}`
    egress = createEgress({
      // The wiki and what is inside are both listed: the one is what people configured, the other what a page names.
      allowedHosts: parseAllowedHosts('127.0.0.1, inside.example, localhost'),
      resolve: async (host) => [host === 'inside.example' ? '10.0.0.5' : PUBLIC],
      connect: ({ addresses: [address], port }, callback) => {
        internet.dialled.push(`${address}`)
        const to = address === PUBLIC ? portOf(outside) : Number(port)
        const socket = dial(to, '127.0.0.1', () => callback(null, socket))
      },
    })
    opened = { wiki, deployment, egress }
  })
  after(async () => {
    await egress.close()
    await wiki.stop()
    for (const server of servers) server.close()
  })
  afterEach(async () => {
    await wiki.control.clearFaults()
    internet.seen.length = 0
    internet.inside.length = 0
    internet.dialled.length = 0
  })

  const newSpace = (...readers: Parameters<typeof addSpace>[2] & object) =>
    addSpace(wiki, `PIC${++spaces}`, readers.length > 0 ? readers : undefined)
  const newPage = (space: string, more: object = {}) =>
    wiki.control.createPage({ space, title: `Page ${Math.random()}`, ...more })
  const attach = (
    pageId: string,
    bytes: Buffer,
    more: { title?: string; mediaType?: string; broken?: 'missing' } = {},
  ) =>
    wiki.control.attach(pageId, {
      title: 'picture.png',
      mediaType: 'image/png',
      base64: bytes.toString('base64'),
      ...more,
    })
  const open = (space: string, more: object = {}) =>
    openSource(opened, { spaces: [space], extract_images: true, ...more })
  const read = async (space: string, pageId: string, more: object = {}): Promise<Read> => {
    const source = open(space, more)
    const document = await documentOf(source, pageOf((await listed(source)).refs, pageId))
    const html = String(document.body)
    return { ...document, html, sources: sourcesIn(html) }
  }
  /** A page of a new space that shows this, and is read. */
  const readOne = async (view: string | ((pageId: string) => Promise<string>), more: object = {}) => {
    const space = await newSpace()
    const id = await newPage(space)
    await wiki.control.editPage(id, { view: typeof view === 'string' ? view : await view(id) })
    return read(space, id, more)
  }
  const requests = async () => (await wiki.control.requests()).map(({ url }) => url)
  const missing = ({ warnings = [] }: SourceDocument) => {
    assert.ok(warnings.every(({ code }) => code === 'images_missing'))
    return warnings.reduce((sum, { count }) => sum + count, 0)
  }

  describe('out of the wiki', () => {
    test('are part of it, as the full picture and not its thumbnail', async () => {
      await wiki.control.resetCounts()
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
        const host = `<img src="${deployment.home(wiki)}/download/attachments/${pageId}/${encodeURIComponent('ä b.png')}">`
        const thumbnail = `<img src="/wiki/download/thumbnails/${pageId}/small.png?version=1&amp;api=v2">`
        return shown.bareImage({ title: 'ä b.png', pageId }) + thumbnail + host
      })
      assert.deepEqual(document.sources, [embedded(PNG), embedded(OTHER_PNG), embedded(PNG)])
      assert.equal(missing(document), 0)
      assert.equal(document.revisit, undefined)
    })

    test('are found in views that name the host of the wiki', async () => {
      await wiki.control.set({ absoluteViews: true })
      try {
        const document = await readOne(async (pageId) => {
          const id = await attach(pageId, PNG)
          const title = 'picture.png'
          return shown.attachmentImage({ id, title, pageId }) + shown.bareImage({ title, pageId })
        })
        assert.deepEqual(document.sources, [embedded(PNG), embedded(PNG)])
      } finally {
        await wiki.control.set({ absoluteViews: false })
      }
    })

    test('are those of a blog post as well, with what tells them and without', async () => {
      const space = await newSpace()
      const pageId = await newPage(space, { kind: 'blogpost' })
      const id = await attach(pageId, PNG)
      const title = 'picture.png'
      const view = shown.attachmentImage({ id, title, pageId }) + shown.bareImage({ title, pageId })
      await wiki.control.editPage(pageId, { view })
      const document = await read(space, pageId, { include_blog_posts: true })
      assert.deepEqual(document.sources, [embedded(PNG), embedded(PNG)])
    })

    test('are in comments too', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await attach(pageId, PNG)
      const body = `<p>Look:</p>${shown.attachmentImage({ id, title: 'picture.png', pageId })}`
      await wiki.control.addComment(pageId, { body })
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
      await wiki.control.resetCounts()
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
      const [id, title] = [await attach(pageId, PNG), 'picture.png']
      const pair = shown.attachmentImage({ id, title, pageId }) + shown.bareImage({ title, pageId })
      await wiki.control.editPage(pageId, { view: pair.repeat(15) })
      const source = open(space)
      const ref = pageOf((await listed(source)).refs, pageId)
      await wiki.control.resetCounts()
      assert.equal(missing(await documentOf(source, ref)), 0)
      assert.ok((await requests()).length <= 2 * 30 + 3, `${(await requests()).length} requests`)
    })

    test('are not asked for unless they are wanted', async () => {
      await wiki.control.resetCounts()
      const document = await readOne(
        async (pageId) =>
          shown.attachmentImage({ id: await attach(pageId, PNG), title: 'picture.png', pageId }),
        { extract_images: false },
      )
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
            const [id, title] = [await attach(pageId, PNG), 'picture.png']
            return shown.attachmentImage({ id, title, pageId }) + shown.bareImage({ title, pageId })
          },
          { token: accounts.crawler.scopedToken },
        )
        assert.deepEqual(document.sources, [embedded(PNG), embedded(PNG)])
        const media = (await wiki.control.requests()).filter(({ site }) => site === 'media')
        assert.ok(media.length >= 2 && media.every(({ authorized }) => !authorized))
      })

      test('come from the media host, which gets no credentials', async () => {
        await wiki.control.resetCounts()
        const document = await readOne(async (pageId) =>
          shown.attachmentImage({ id: await attach(pageId, PNG), title: 'picture.png', pageId }),
        )
        assert.deepEqual(document.sources, [embedded(PNG)])
        const seen = await wiki.control.requests()
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
        const lost = await wiki.control.attach(pageId, shown.trickFiles.missing)
        const disguised = await wiki.control.attach(pageId, {
          ...shown.trickFiles.disguised,
          title: 'trick.png',
        })
        return [
          '<h1>Plan</h1>',
          shown.attachmentImage({ id: good, title: 'picture.png', pageId }),
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
      await wiki.control.resetCounts()
      const document = await readOne(async (pageId) => {
        const exact = await attach(pageId, pictureOf(1_500_000), { title: 'exact.png' })
        const over = await attach(pageId, pictureOf(1_500_001), { title: 'over.png' })
        const huge = await wiki.control.attachHuge(pageId, {
          title: 'huge.png',
          mediaType: 'image/png',
          size: 2e9,
        })
        return [exact, over, huge]
          .map((id, at) =>
            shown.attachmentImage({ id, title: ['exact.png', 'over.png', 'huge.png'][at]!, pageId }),
          )
          .join('')
      })
      assert.deepEqual(
        document.sources.map((source) => source.startsWith('data:')),
        [true, false, false],
      )
      assert.equal(missing(document), 2)
      assert.equal(document.revisit, undefined)
      assert.ok((await bytesSent(wiki, isCloud ? /huge/ : /download.*huge/)) < 20e6)
    })

    test('are those above 16 MB together', async () => {
      const document = await readOne(async (pageId) => {
        const id = await attach(pageId, pictureOf(1_400_000))
        return shown.attachmentImage({ id, title: 'picture.png', pageId }).repeat(13)
      })
      assert.equal(document.sources.filter((source) => source.startsWith('data:')).length, 11)
      assert.equal(missing(document), 2)
    })

    test('are those after the two hundredth, characters not counted', async () => {
      const document = await readOne(async (pageId) => {
        const id = await attach(pageId, PNG)
        const emoji = shown.emojiImage('1f600', 'grinning', '😀').repeat(50)
        return emoji + shown.attachmentImage({ id, title: 'picture.png', pageId }).repeat(203)
      })
      const isIn = document.sources.map((source) => source.startsWith('data:'))
      assert.deepEqual(isIn, [...Array(50).fill(false), ...Array(200).fill(true), ...Array(3).fill(false)])
      assert.equal(missing(document), 3)
    })

    test('are looked for again where it was the wiki that failed', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await attach(pageId, PNG)
      await wiki.control.editPage(pageId, {
        view: shown.attachmentImage({ id, title: 'picture.png', pageId }),
      })
      await wiki.control.fail({ path: '/binary|/download/attachments', status: 500, times: null })
      const first = await read(space, pageId)
      assert.equal(missing(first), 1)
      assert.equal(first.revisit, true)
      await wiki.control.clearFaults()
      const second = await read(space, pageId)
      assert.deepEqual(second.sources, [embedded(PNG)])
      assert.equal(second.revisit, undefined)
    })

    test('are those for which the wiki sends its sign-in page', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await attach(pageId, PNG)
      await wiki.control.editPage(pageId, {
        view: shown.attachmentImage({ id, title: 'picture.png', pageId }),
      })
      const headers = { 'content-type': 'text/html' }
      await wiki.control.fail({
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
      const pageId = await newPage(space)
      const id = await attach(pageId, PNG)
      await wiki.control.editPage(pageId, {
        view: shown.attachmentImage({ id, title: 'picture.png', pageId }),
      })
      const source = open(space)
      const versionNow = async () => pageOf((await listed(source)).refs, pageId).version
      const before = await versionNow()
      assert.equal(await versionNow(), before, 'nothing changed')
      assert.equal((await read(space, pageId)).version, before)

      await wiki.control.updateAttachment(id, { base64: OTHER_PNG.toString('base64') })
      const afterwards = await versionNow()
      assert.notEqual(afterwards, before)
      assert.equal(ownVersion(afterwards), ownVersion(before))
      const document = await read(space, pageId)
      assert.deepEqual(document.sources, [embedded(OTHER_PNG)])
      assert.equal(document.version, afterwards)

      await wiki.control.trashAttachment(id)
      assert.notEqual(await versionNow(), afterwards)
    })

    test('change it too where the wiki does not know them for pictures', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const file = { title: 'chart', mediaType: 'application/octet-stream' }
      const id = await attach(pageId, PNG, file)
      await wiki.control.editPage(pageId, { view: shown.attachmentImage({ id, pageId, ...file }) })
      const source = open(space)
      const before = pageOf((await listed(source)).refs, pageId)
      assert.deepEqual((await read(space, pageId)).sources, [embedded(PNG)], 'it is shown')
      await wiki.control.updateAttachment(id, { base64: OTHER_PNG.toString('base64') })
      assert.notEqual(pageOf((await listed(source)).refs, pageId).version, before.version)
    })

    test('change nothing while images are not read', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await attach(pageId, PNG)
      const source = open(space, { extract_images: false })
      const before = pageOf((await listed(source)).refs, pageId).version
      await wiki.control.updateAttachment(id, { base64: OTHER_PNG.toString('base64') })
      assert.equal(pageOf((await listed(source)).refs, pageId).version, before)
      assert.notEqual(source.rendition, open(space).rendition)
    })
  })

  describe('of another page', () => {
    type Made = { lenderSpace: string; space: string; parentId?: string; above?: string }
    /** A page that shows a picture of another one, read by a new source. */
    async function borrowed(
      made: Made,
      rights: { lender?: Partial<Principals>; borrower?: Partial<Principals> } = {},
    ) {
      const lender = await newPage(made.lenderSpace, made.above ? { parentId: made.above } : {})
      const borrower = await newPage(made.space, made.parentId ? { parentId: made.parentId } : {})
      const id = await attach(lender, PNG)
      const title = 'picture.png'
      const view =
        shown.attachmentImage({ id, title, pageId: lender }) + shown.bareImage({ title, pageId: lender })
      await wiki.control.editPage(borrower, { view: `<p>Mine.</p>${view}` })
      if (rights.lender) await wiki.control.restrict(lender, { read: rights.lender })
      if (rights.borrower) await wiki.control.restrict(borrower, { read: rights.borrower })
      return { lender, borrower }
    }
    async function isShown(space: string, borrower: string): Promise<boolean> {
      const document = await read(space, borrower)
      assert.match(document.html, /^<p>Mine\.<\/p>/)
      assert.equal(document.revisit, true, 'its rights may change at any time')
      const [first, second] = document.sources.map((source) => source === embedded(PNG))
      assert.equal(first, second, 'with what tells it as without')
      assert.equal(missing(document), first ? 0 : 2)
      return first!
    }
    const who = async () => {
      const { people, groups } = await wiki.control.truth()
      const team = groups.find(
        ({ name, members, deleted }) => !deleted && members.length > 2 && !/^confl/.test(name),
      )!
      const [a, b] = people.filter(({ active, accountType }) => active && accountType === 'atlassian')
      return { a: a!.accountId, b: b!.accountId, team }
    }

    test('are shown where both are open to the same people', async () => {
      const space = await newSpace()
      const { borrower } = await borrowed({ lenderSpace: space, space })
      assert.equal(await isShown(space, borrower), true)
    })

    test('are shown where this page is open to fewer', async () => {
      const { a, b, team } = await who()
      const space = await newSpace()
      for (const rights of [
        { borrower: { users: [a] } },
        { borrower: { users: [a] }, lender: { users: [a, b] } },
        { borrower: { groups: [team.id] }, lender: { groups: [team.id], users: [a] } },
      ]) {
        const { borrower } = await borrowed({ lenderSpace: space, space }, rights)
        assert.equal(await isShown(space, borrower), true, JSON.stringify(rights))
      }
    })

    test('are not shown where the other one is closed to somebody who may read this one', async () => {
      const { a, b, team } = await who()
      const space = await newSpace()
      for (const rights of [
        { lender: { users: [a] } },
        { lender: { groups: [team.id] } },
        { lender: { users: [a] }, borrower: { users: [a, b] } },
        { lender: { users: [team.members[0]!] }, borrower: { groups: [team.id] } },
        { lender: { users: [a], groups: [] }, borrower: { groups: [team.id], users: [a] } },
      ]) {
        const { borrower } = await borrowed({ lenderSpace: space, space }, rights)
        assert.equal(await isShown(space, borrower), false, JSON.stringify(rights))
      }
    })

    test('are not shown where something above the other one is closed, and are where both stand below it', async () => {
      const { a } = await who()
      const space = await newSpace()
      const top = await newPage(space)
      await wiki.control.restrict(top, { read: { users: [a] } })
      const above = await newPage(space, { parentId: top })
      const apart = await borrowed({ lenderSpace: space, space, above })
      assert.equal(await isShown(space, apart.borrower), false)
      const together = await borrowed({ lenderSpace: space, space, above, parentId: top })
      assert.equal(await isShown(space, together.borrower), true)
    })

    test(`are ${isCloud ? 'not ' : ''}shown where a folder above the other one is closed`, async () => {
      const { a } = await who()
      const space = await newSpace()
      const folder = await newPage(space, { kind: 'folder' })
      await wiki.control.restrict(folder, { read: { users: [a] } })
      const { borrower } = await borrowed({ lenderSpace: space, space, above: folder })
      // Data Center has no folders, and so none that closes anything.
      assert.equal(await isShown(space, borrower), !isCloud)
    })

    test('are not shown where its space is closed to readers of this one, and are where it is as open', async () => {
      const { a, team } = await who()
      const space = await newSpace()
      const cases: [Parameters<typeof newSpace>, boolean][] = [
        [[{ type: 'group', id: team.id }], false],
        [[{ type: 'user', id: a }], false],
        [[everyone], true],
        [[everyone, { type: 'user', id: a }], true],
        [[visitors], true],
      ]
      for (const [readers, expected] of cases) {
        const { borrower } = await borrowed({ lenderSpace: await newSpace(...readers), space })
        assert.equal(await isShown(space, borrower), expected, JSON.stringify(readers))
      }
    })

    test('are shown where the other one is a blog post', async () => {
      const space = await newSpace()
      const lender = await newPage(space, { kind: 'blogpost' })
      const [id, title] = [await attach(lender, PNG), 'picture.png']
      const borrower = await newPage(space, { view: shown.attachmentImage({ id, title, pageId: lender }) })
      assert.deepEqual((await read(space, borrower)).sources, [embedded(PNG)])
    })

    test('are shown in a blog post as in a page', async () => {
      const { a } = await who()
      const space = await newSpace()
      const lender = await newPage(space)
      const [id, title] = [await attach(lender, PNG), 'picture.png']
      const view = shown.attachmentImage({ id, title, pageId: lender })
      const post = await newPage(space, { kind: 'blogpost', view })
      assert.deepEqual((await read(space, post, { include_blog_posts: true })).sources, [embedded(PNG)])
      await wiki.control.restrict(lender, { read: { users: [a] } })
      assert.equal(missing(await read(space, post, { include_blog_posts: true })), 1)
    })

    test('are not shown where it cannot be told who may read the other one', async () => {
      const space = await newSpace()
      const { lender, borrower } = await borrowed({ lenderSpace: space, space })
      const source = open(space)
      const ref = pageOf((await listed(source)).refs, borrower)
      assert.equal(ref.access.unproved, undefined)
      await wiki.control.fail({ path: `content/${lender}/restriction`, status: 403, times: null })
      const document = await documentOf(source, ref)
      assert.equal(missing(document), 2)
      assert.doesNotMatch(String(document.body), /data:image/)
    })

    test('are not shown where the account may not know any rights', async () => {
      const space = await newSpace()
      const { borrower } = await borrowed({ lenderSpace: space, space })
      const source = openSource(opened, { spaces: [space], extract_images: true }, 'powerless')
      const document = await documentOf(source, pageOf((await listed(source)).refs, borrower))
      assert.equal(missing(document), 2)
      assert.doesNotMatch(String(document.body), /data:image/)
    })

    test('are not shown any more when the other one is closed, trashed or archived', async () => {
      const { a } = await who()
      const space = await newSpace()
      const closings = [
        (id: string) => wiki.control.restrict(id, { read: { users: [a] } }),
        (id: string) => wiki.control.trashPage(id),
        (id: string) => wiki.control.archivePage(id),
      ]
      for (const close of closings) {
        const { lender, borrower } = await borrowed({ lenderSpace: space, space })
        assert.equal(await isShown(space, borrower), true)
        await close(lender)
        assert.equal(await isShown(space, borrower), false)
      }
    })

    test('are not had by saying that they belong to this one', async () => {
      const { a } = await who()
      const space = await newSpace()
      const lender = await newPage(space)
      const id = await attach(lender, PNG)
      await wiki.control.restrict(lender, { read: { users: [a] } })
      const borrower = await newPage(space)
      const title = 'picture.png'
      const own = await attach(borrower, OTHER_PNG, { title: 'mine.png' })
      const lies = [
        shown.attachmentImage({ id, title, pageId: borrower }),
        shown.attachmentImage({ id, title: 'mine.png', pageId: borrower }),
        shown.attachmentImage({ id: own, title, pageId: borrower }),
        shown
          .attachmentImage({ id, title, pageId: borrower })
          .replace(`attachments/${borrower}/`, `attachments/${lender}/`),
      ]
      await wiki.control.editPage(borrower, { view: lies.join('') })
      const { html } = await read(space, borrower)
      assert.ok(!html.includes(PNG.toString('base64')))
    })
  })

  describe('from elsewhere', () => {
    const from = (url: string) => shown.externalImage(url)

    test('are part of it, with the type of their content', async () => {
      const document = await readOne(
        from('http://pictures.example/good.png') + from('http://pictures.example/away.png'),
      )
      assert.deepEqual(document.sources, [embedded(PNG), embedded(PNG)])
      assert.equal(missing(document), 0)
      assert.equal(document.revisit, undefined)
    })

    test('are asked for without anything that says who asks', async () => {
      const view = from('http://pictures.example/good.png').repeat(6)
      await readOne(view + from(`//pictures.example/good.png`) + from('\\\\pictures.example\\good.png'))
      assert.equal(internet.seen.length, 8)
      for (const { headers } of internet.seen) {
        assert.deepEqual(
          ['authorization', 'cookie', 'referer', 'from', 'x-atlassian-token'].filter(
            (name) => name in headers,
          ),
          [],
        )
      }
    })

    test('are never those inside, though the operator allows these addresses', async () => {
      assert.equal(
        (await egress.request(new URL(`${internet.insideUrl}/x.png`), {}, AbortSignal.timeout(5_000))).status,
        200,
      )
      internet.inside.length = 0
      internet.dialled.length = 0
      await wiki.control.resetCounts()
      const port = new URL(internet.insideUrl).port
      const urls = [
        `${internet.insideUrl}/x.png`,
        `http://localhost:${port}/x.png`,
        `http://127.1:${port}/x.png`,
        `http://[::ffff:127.0.0.1]:${port}/x.png`,
        `http://inside.example:${port}/x.png`,
        'http://pictures.example/inside.png',
        'http://169.254.169.254/latest/meta-data',
        'http://user:pw@pictures.example/good.png',
        `${new URL(isCloud ? wiki.dataCenterUrl : wiki.cloudUrl).origin}/x.png`,
        `${wiki.mediaUrl}/file/x/binary`,
      ]
      const document = await readOne(urls.map(from).join(''))
      assert.deepEqual(document.sources, urls)
      assert.equal(missing(document), urls.length)
      assert.deepEqual(internet.inside, [])
      assert.deepEqual(
        internet.seen.map(({ url }) => url),
        ['/inside.png'],
      )
      assert.deepEqual(
        internet.dialled.filter((address) => !['127.0.0.1', PUBLIC].includes(address)),
        [],
      )
      const strange = (await wiki.control.requests()).filter(
        ({ site, url }) => site === 'media' || url.endsWith('/x.png'),
      )
      assert.deepEqual(strange, [])
    })

    test('are missing where there is none, and are looked for again only where that was a failure', async () => {
      for (const [path, again] of [
        ['none.png', undefined],
        ['page.png', undefined],
        ['large.png', undefined],
        ['broken.png', true],
      ] as const) {
        const url = `http://pictures.example/${path}`
        const document = await readOne(from(url))
        assert.deepEqual(document.sources, [url])
        assert.equal(missing(document), 1, path)
        assert.equal(document.revisit, again, path)
      }
    })
  })

  describe('whose addresses an author chose', () => {
    /** What reading a page asks of the wiki, all of it with the credentials of the account. */
    const expected = isCloud
      ? /^\/wiki\/(api\/v2\/(pages|blogposts)\/\d+(\/attachments)?|rest\/api\/content\/(search|\d+\/child\/attachment\/att\d+\/download))$/
      : /^\/confluence\/(rest\/api\/content\/(search|\d+(\/child\/attachment)?)|download\/attachments\/\d+\/[^/\\]+)$/

    async function asked(images: (pageId: string) => string[]): Promise<string[]> {
      const space = await newSpace()
      const pageId = await newPage(space)
      await wiki.control.editPage(pageId, { view: images(pageId).join('') })
      const source = open(space)
      const ref = pageOf((await listed(source)).refs, pageId)
      await wiki.control.resetCounts()
      const document = await documentOf(source, ref)
      assert.equal(missing(document), images(pageId).length)
      assert.doesNotMatch(String(document.body), /data:/)
      return (await requests()).map((url) => url.split('?', 1)[0]!)
    }
    const img = (src: string) => `<img src="${src}" data-image-src="${src}">`

    test('never make the account call anything else of the wiki', async () => {
      const { host, origin } = new URL(deployment.home(wiki))
      const paths = await asked((pageId) =>
        [
          '/wiki/logout.action',
          '/wiki/rest/api/content/1/child/page',
          '/wiki/rest/api/space',
          '/wiki/rest/api/user/current',
          '/wiki/api/v2/pages',
          '../logout.action',
          '../../rest/api/space',
          'logout.action',
          `/wiki/download/attachments/${pageId}/../../../logout.action`,
          `/wiki/download/attachments/${pageId}/%2e%2e/%2e%2e/%2e%2e/logout.action`,
          `/wiki/download/attachments/${pageId}\\..\\..\\..\\logout.action`,
          `/wiki/download/attachments/${pageId}/x.png/../../../../logout.action`,
          '/wiki/plugins/servlet/anything',
          `//${host}/wiki/logout.action`,
          `\\\\${host}\\wiki\\logout.action`,
          `${origin}/wiki/logout.action`,
          `http://user:pw@${host}/wiki/logout.action`,
          `http://user:pw@${host}/wiki/rest/api/user/current`,
          `http://${host}@127.0.0.1:9/x.png`,
          'javascript:alert(1)',
          'file:///etc/passwd',
        ].map(img),
      )
      assert.deepEqual(
        paths.filter((path) => !expected.test(path)),
        [],
      )
      assert.deepEqual(internet.seen, [])
    })

    test('never do so by the names beside them', async () => {
      const names = [
        { container: '1/../../../x', id: '2', alias: 'a.png' },
        { container: '1', id: '2/../../../../user/current', alias: 'a.png' },
        { container: '1', id: '2', alias: '..' },
        { container: '-1', id: '2', alias: 'a.png' },
        { container: '1?x=', id: '2#', alias: '?os_username=a' },
      ]
      const paths = await asked(() =>
        names.map(
          ({ container, id, alias }) =>
            `<img src="/wiki/logout.action" data-linked-resource-container-id="${container}" data-linked-resource-id="${id}" data-linked-resource-default-alias="${alias}">`,
        ),
      )
      assert.deepEqual(
        paths.filter((path) => !expected.test(path)),
        [],
      )
    })

    test('never do so by a slash that is written as %2F, which some proxies take for one', async () => {
      const paths = await asked((pageId) => [
        img(`/wiki/download/attachments/${pageId}/..%2F..%2F..%2Flogout.action`),
        img(`/wiki/download/attachments/${pageId}/..%5C..%5Clogout.action`),
        `<img src="x" data-linked-resource-container-id="${pageId}" data-linked-resource-default-alias="../../../rest/api/space">`,
      ])
      assert.deepEqual(
        paths.filter((path) => !expected.test(decodeURIComponent(path))),
        [],
      )
    })
  })
}

type Read = SourceDocument & { html: string; sources: string[] }

/** Told by hand, so that nothing of what is tested here helps in telling it. */
function sourcesIn(html: string): string[] {
  const unescaped = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  return [...html.matchAll(/<img\s(?:[^>"]|"[^"]*")*?(?<=\s)src="([^"]*)"/g)].map(([, src = '']) =>
    short(unescaped(src)),
  )
}

/** Half a megabyte of letters says no more to whoever reads a failure than this. */
function short(source: string): string {
  if (!source.startsWith('data:') || source.length < 100) return source
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 8)
  return `${source.slice(0, source.indexOf(','))},${digest}`
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** The version of the page alone, without the stamp of what else is read. */
function ownVersion(version: string): string | undefined {
  return version.split('+', 1)[0]
}
