import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { fault } from '../../../test/world/wiki/faults.ts'
import { startWiki, type Wiki } from '../../../test/world/wiki/start.ts'
import {
  addSpace,
  bytesSent,
  type Deployment,
  deployments,
  documentOf,
  errorOf,
  fileOf,
  listed,
  type Opened,
  openSource,
  outcomesOf,
  pageOf,
  whereaboutsOf,
} from '../../../test/world/wiki-source.ts'
import type { DocumentRef } from '../../document.ts'
import { pdfFile, pngFile } from '../../sample/wiki/files.ts'
import { createEgress } from '../egress/guard.ts'
import type { Egress } from '../egress.ts'
import { isFile } from './refs.ts'

const text = (body: string) => ({ mediaType: 'text/plain', base64: Buffer.from(body).toString('base64') })
const bytes = (body: Buffer) => ({ mediaType: 'application/octet-stream', base64: body.toString('base64') })

let egress: Egress
before(() => {
  egress = createEgress({ publicOnly: false })
})
after(() => egress.close())

for (const deployment of deployments) {
  describe(`the files of pages (${deployment.name})`, () => attachments(deployment))
  describe(`the files of 300 pages (${deployment.name})`, () => manyPages(deployment))
}

function attachments(deployment: Deployment): void {
  const isCloud = deployment.site === 'cloud'
  let wiki: Wiki
  let opened: Opened
  let spaces = 0
  before(async () => {
    wiki = await startWiki({ seed: 41, spaces: 3, pages: 30, people: 10, groups: 4 })
    opened = { wiki, deployment, egress }
  })
  after(() => wiki.stop())
  afterEach(() => wiki.control.clearFaults())

  const newSpace = () => addSpace(wiki, `FILE${++spaces}`)
  const newPage = (space: string, more: object = {}) =>
    wiki.control.createPage({ space, title: `Page ${Math.random()}`, ...more })
  const attach = (pageId: string, file: Parameters<typeof wiki.control.attach>[1]) =>
    wiki.control.attach(pageId, file)
  const open = (space: string | string[], more: object = {}) =>
    openSource(opened, { spaces: [space].flat(), extract_files: true, ...more })
  const refsOf = async (space: string | string[], more: object = {}) => (await listed(open(space, more))).refs
  const bodyOf = async (space: string, ref: DocumentRef) =>
    Buffer.from((await documentOf(open(space), ref)).body as Uint8Array).toString()

  describe('as documents', () => {
    test('have the rights of their page, and a name, an address and an id of their own', async () => {
      const space = await newSpace()
      const { people } = await wiki.control.truth()
      const pageId = await newPage(space, { labels: ['plan'] })
      await wiki.control.restrict(pageId, { read: { users: [people[0]!.accountId] } })
      const id = await attach(pageId, { title: 'road map.txt', ...text('Go west.') })
      const refs = await refsOf(space)
      const [page, file] = [pageOf(refs, pageId), fileOf(refs, id)]
      const home = deployment.home(wiki)
      const url = `${home}/pages/viewpageattachments.action?pageId=${pageId}&preview=${encodeURIComponent(`/${pageId}/${id.slice(3)}/road map.txt`)}`
      const recordId = page.recordId.replace(/[^/]+$/, id)
      assert.deepEqual(file.access, page.access)
      assert.equal(Object.keys(file.access.clauses).length, 2)
      assert.deepEqual(file.locator, {
        space_key: space,
        page_id: pageId,
        attachment_id: id,
        record_id: recordId,
        url,
      })
      const { scope, position, title, filename, labels } = file
      assert.deepEqual(
        { recordId: file.recordId, url: file.url, scope, position, title, filename, labels },
        {
          recordId,
          url,
          scope: space,
          position: page.position,
          title: 'road map.txt',
          filename: 'road map.txt',
          labels: ['plan'],
        },
      )
      assert.deepEqual(file.ancestors, [...page.ancestors, { id: pageId, title: page.title }])
      const document = await documentOf(open(space), file)
      assert.equal(document.filetype, 'text/plain')
      assert.equal(document.version, file.version)
      assert.equal(Buffer.from(document.body as Uint8Array).toString(), 'Go west.')
    })

    test('are those of blog posts as well', async () => {
      const space = await newSpace()
      const { people } = await wiki.control.truth()
      const post = await newPage(space, { kind: 'blogpost' })
      await wiki.control.restrict(post, { read: { users: [people[1]!.accountId] } })
      const id = await attach(post, { title: 'news.txt', ...text('News.') })
      const refs = await refsOf(space, { include_blog_posts: true })
      const [page, file] = [pageOf(refs, post), fileOf(refs, id)]
      assert.deepEqual(file.access, page.access)
      assert.equal(file.locator.content_type, 'blogpost')
      const source = open(space, { include_blog_posts: true })
      assert.equal(Buffer.from((await documentOf(source, file)).body as Uint8Array).toString(), 'News.')
      assert.deepEqual(await whereaboutsOf(source, [file]), [space])
      assert.deepEqual(await whereaboutsOf(open(space), [file]), [null])
      assert.deepEqual((await refsOf(space)).filter(isFile), [])
    })

    test('are none unless they are wanted', async () => {
      const space = await newSpace()
      await attach(await newPage(space), { title: 'a.txt', ...text('a') })
      assert.deepEqual((await refsOf(space, { extract_files: false })).filter(isFile), [])
      assert.deepEqual(
        (await refsOf(space, { extract_files: false, extract_images: true })).filter(isFile),
        [],
      )
    })

    test('are those of archived pages where these are read', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await attach(pageId, { title: 'old.txt', ...text('Old.') })
      await wiki.control.archivePage(pageId)
      const source = open(space, { statuses: ['archived'] })
      const { refs, warnings } = await listed(source)
      assert.deepEqual(warnings, [])
      const file = fileOf(refs, id)
      assert.equal(Buffer.from((await documentOf(source, file)).body as Uint8Array).toString(), 'Old.')
      assert.deepEqual(await whereaboutsOf(source, [file]), [space])
      assert.deepEqual(await whereaboutsOf(open(space), [file]), [null])
    })

    test('are not those in the trash, nor those of pages in the trash', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await attach(pageId, { title: 'a.txt', ...text('a') })
      const kept = await attach(pageId, { title: 'b.txt', ...text('b') })
      const gone = await attach(await newPage(space), { title: 'c.txt', ...text('c') })
      const source = open(space)
      const before = (await listed(source)).refs
      await wiki.control.trashAttachment(id)
      await wiki.control.trashPage(fileOf(before, gone).locator.page_id!)
      const files = (await refsOf(space)).filter(isFile)
      assert.deepEqual(
        files.map(({ locator }) => locator.attachment_id),
        [kept],
      )
      assert.deepEqual(
        await whereaboutsOf(
          source,
          [id, kept, gone].map((each) => fileOf(before, each)),
        ),
        [null, space, null],
      )
    })
  })

  describe('by their names', () => {
    test('never have a path for a name', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const names: [string, string][] = [
        ['../../etc/passwd', 'passwd'],
        ['..\\..\\windows\\win.ini', 'win.ini'],
        ['/etc/shadow', 'shadow'],
        ['README', 'README'],
        ['.hidden', '.hidden'],
        ['tab\tand\nline.txt', 'tabandline.txt'],
        ['ünï 100%.txt', 'ünï 100%.txt'],
      ]
      const nameless = ['..', 'folder/', '../..', ' ']
      const ids = new Map<string, string>()
      for (const [title] of names) ids.set(title, await attach(pageId, { title, ...text(`of ${title}`) }))
      for (const title of nameless) ids.set(title, await attach(pageId, { title, ...text(`of ${title}`) }))
      const refs = await refsOf(space)
      for (const [title, expected] of names) {
        const file = fileOf(refs, ids.get(title)!)
        assert.equal(file.filename, expected)
        assert.equal(file.title, title)
        assert.equal(await bodyOf(space, file), `of ${title}`)
      }
      for (const title of nameless)
        assert.equal(fileOf(refs, ids.get(title)!).filename, ids.get(title), title)
    })

    test('are told apart where they have one name', async () => {
      const space = await newSpace()
      const [one, two] = [await newPage(space), await newPage(space)]
      const title = 'notes.txt'
      const ids = [
        await attach(one, { title, ...text('first') }),
        await attach(two, { title, ...text('second') }),
      ]
      const third = await attach(one, { title, twice: true, ...text('third') })
      const refs = await refsOf(space)
      const files = [...ids, third].map((id) => fileOf(refs, id))
      assert.equal(new Set(files.map(({ recordId }) => recordId)).size, 3)
      assert.equal(refs.filter(isFile).length, 3)
      assert.deepEqual(await Promise.all(files.slice(0, 2).map((file) => bodyOf(space, file))), [
        'first',
        'second',
      ])
      // Data Center serves files by their names alone, and never lets a page have two of one name.
      if (isCloud) assert.equal(await bodyOf(space, files[2]!), 'third')
    })

    test('are all there where a page has more than the wiki tells at once', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const ids: string[] = []
      for (let at = 0; at < 260; at++)
        ids.push(await attach(pageId, { title: `${at}.txt`, ...text(`${at}`) }))
      const few = await newPage(space)
      const other = await attach(few, { title: 'other.txt', ...text('other') })
      const { refs, warnings, complete } = await listed(open(space))
      assert.ok(complete)
      assert.deepEqual(warnings, [])
      const files = refs.filter(isFile).map(({ locator }) => locator.attachment_id)
      assert.deepEqual(files.toSorted(), [...ids, other].toSorted())
    })
  })

  describe('by their content', () => {
    test('have the type of that, and not of their name', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const made: [string, Buffer, string][] = [
        ['notes.txt', pdfFile(['A plan.']), 'application/pdf'],
        ['plan.pdf', pngFile(1), 'image/png'],
        ['picture.png', Buffer.from('Just words.'), 'text/plain'],
        ['no suffix', Buffer.from('<!DOCTYPE html><html><body><p>Hi</p></body></html>'), 'text/html'],
        ['list.csv', Buffer.from('a,b\n1,2\n'), 'text/csv'],
        ['empty.txt', Buffer.alloc(0), 'text/plain'],
      ]
      const ids: string[] = []
      for (const [title, content] of made) ids.push(await attach(pageId, { title, ...bytes(content) }))
      const refs = await refsOf(space)
      for (const [at, [title, content, filetype]] of made.entries()) {
        const document = await documentOf(open(space), fileOf(refs, ids[at]!))
        assert.equal(document.filetype, filetype, title)
        assert.deepEqual(Buffer.from(document.body as Uint8Array), content, title)
      }
    })

    test('are left out where their type is of no use, and not fetched beyond their beginning', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const film = { mediaType: 'video/mp4', size: 90_000_000 }
      const id = await wiki.control.attachHuge(pageId, { title: 'film.txt', ...film })
      const small = await attach(pageId, { title: 'pixel.txt', ...bytes(pngFile(2)) })
      const source = open(space)
      const { refs } = await listed(source)
      const textOnly = (filetype: string) => filetype.startsWith('text/')
      await wiki.control.resetCounts()
      for (const each of [id, small]) {
        const error = await errorOf(source, fileOf(refs, each), textOnly)
        assert.equal(error.code, 'document_unsupported')
        assert.equal(error.skips, 'as_it_is')
      }
      assert.ok((await bytesSent(wiki, isCloud ? /binary.*film/ : /download.*film/)) < 20e6)
    })

    test('are left out where they are above 100 MB, of whatever type, and hardly fetched at all', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const log = await wiki.control.attachHuge(pageId, {
        title: 'a.log',
        mediaType: 'text/plain',
        size: 100_000_001,
      })
      const film = await wiki.control.attachHuge(pageId, {
        title: 'b.mp4',
        mediaType: 'video/mp4',
        size: 2e9,
      })
      const source = open(space)
      const { refs } = await listed(source)
      await wiki.control.resetCounts()
      assert.equal((await errorOf(source, fileOf(refs, log))).code, 'file_too_large')
      const useless = await errorOf(source, fileOf(refs, film), (filetype) => filetype.startsWith('text/'))
      assert.equal(useless.skips, 'as_it_is')
      for (const name of ['a.log', 'b.mp4'])
        assert.ok(
          (await bytesSent(wiki, new RegExp(`${isCloud ? 'binary' : 'download'}.*${name}`))) < 20e6,
          name,
        )
    })

    test('are no documents where a sign-in page came instead', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await attach(pageId, {
        title: 'a.html',
        ...text('<!DOCTYPE html><html>mine</html>'),
        mediaType: 'text/html',
      })
      const source = open(space)
      const file = fileOf((await listed(source)).refs, id)
      await wiki.control.fail({ ...fault.loginPage(), path: '/binary|/download/', times: null })
      const error = await errorOf(source, file)
      assert.equal(error.code, 'source_forbidden')
      assert.equal(error.skips, undefined)
      await wiki.control.clearFaults()
      assert.equal((await documentOf(source, file)).filetype, 'text/html')
    })

    test('are gone where they went after the listing, and cost nothing but themselves', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const ids = [
        await attach(pageId, { title: 'a.txt', ...text('a') }),
        await attach(pageId, { title: 'b.txt', ...text('b'), broken: 'missing' }),
        await attach(pageId, { title: 'c.txt', ...text('c') }),
      ]
      const source = open(space)
      const { refs } = await listed(source)
      await wiki.control.removeAttachment(ids[0]!)
      const files = ids.map((id) => fileOf(refs, id))
      const outcomes = await outcomesOf(source, [...files, pageOf(refs, pageId)])
      const told = new Map(
        outcomes.map((each) => [
          each.ref.recordId,
          'error' in each ? each.error.code : 'again' in each ? 'again' : 'read',
        ]),
      )
      assert.equal(outcomes.length, 4)
      assert.deepEqual(
        [...files, pageOf(refs, pageId)].map(({ recordId }) => told.get(recordId)),
        ['document_gone', 'document_gone', 'read', 'read'],
      )
    })
  })

  describe('in the course of time', () => {
    test('have another version when they change, and the same while they do not', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const ids = [
        await attach(pageId, { title: 'a.txt', ...text('a') }),
        await attach(pageId, { title: 'b.txt', ...text('b') }),
        await attach(pageId, {
          title: 'c.png',
          mediaType: 'image/png',
          base64: pngFile(1).toString('base64'),
        }),
      ]
      const before = await refsOf(space)
      assert.deepEqual(await refsOf(space), before)
      await wiki.control.updateAttachment(ids[0]!, { base64: Buffer.from('new').toString('base64') })
      await wiki.control.updateAttachment(ids[2]!, { base64: pngFile(2).toString('base64') })
      const now = await refsOf(space)
      assert.notEqual(fileOf(now, ids[0]!).version, fileOf(before, ids[0]!).version)
      assert.equal(fileOf(now, ids[1]!).version, fileOf(before, ids[1]!).version)
      assert.notEqual(fileOf(now, ids[2]!).version, fileOf(before, ids[2]!).version)
      assert.equal(pageOf(now, pageId).version, pageOf(before, pageId).version)
      assert.equal(await bodyOf(space, fileOf(now, ids[0]!)), 'new')
    })

    test('stay the same document when they move, and go where they are', async () => {
      const [space, other] = [await newSpace(), await newSpace()]
      const [from, to, away] = [await newPage(space), await newPage(space), await newPage(other)]
      const id = await attach(from, { title: 'a.txt', ...text('moved') })
      const before = fileOf(await refsOf(space), id)
      await wiki.control.moveAttachment(id, to)
      const moved = fileOf(await refsOf(space), id)
      assert.equal(moved.recordId, before.recordId)
      assert.equal(moved.locator.page_id, to)
      assert.equal(await bodyOf(space, moved), 'moved')
      await wiki.control.moveAttachment(id, away)
      assert.deepEqual(await whereaboutsOf(open([space, other]), [before]), [other])
      assert.deepEqual(await whereaboutsOf(open(space), [before]), [null])
    })

    test('are gone when they were removed or are no longer wanted, and not before', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const ids = [
        await attach(pageId, { title: 'a.txt', ...text('a') }),
        await attach(pageId, { title: 'b.txt', ...text('b') }),
      ]
      const refs = await refsOf(space)
      const [removed, kept] = ids.map((id) => fileOf(refs, id))
      await wiki.control.removeAttachment(ids[0]!)
      assert.deepEqual(await whereaboutsOf(open(space), [removed!, kept!]), [null, space])
      assert.deepEqual(await whereaboutsOf(open(space, { extract_files: false }), [removed!, kept!]), [
        null,
        null,
      ])
      const page = pageOf(refs, pageId)
      assert.deepEqual(await whereaboutsOf(open(space, { extract_files: false }), [page]), [space])
    })

    test('are not called gone where the wiki does not answer', async () => {
      const space = await newSpace()
      const id = await attach(await newPage(space), { title: 'a.txt', ...text('a') })
      const source = open(space)
      const file = fileOf((await listed(source)).refs, id)
      for (const status of [403, 500]) {
        await wiki.control.fail({ path: `/${id}`, status, times: null })
        assert.deepEqual(await whereaboutsOf(source, [file]), ['unknown'], String(status))
        await wiki.control.clearFaults()
      }
    })

    test('that cannot be listed are said to be missing, and stay', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const ids: string[] = []
      for (let at = 0; at < 30; at++) ids.push(await attach(pageId, { title: `${at}.txt`, ...text(`${at}`) }))
      const known = (await refsOf(space)).filter(isFile)
      assert.equal(known.length, 30)
      await wiki.control.fail({
        path: `${pageId}/(child/attachment|attachments)\\?`,
        status: 403,
        times: null,
      })
      const source = open(space)
      const { refs, warnings } = await listed(source)
      assert.ok(pageOf(refs, pageId))
      assert.deepEqual(
        warnings.map(({ code, documents }) => ({ code, documents })),
        [{ code: 'files_not_listed', documents: 1 }],
      )
      const missing = known.filter(({ recordId }) => !refs.some((ref) => ref.recordId === recordId))
      assert.deepEqual(new Set(await whereaboutsOf(source, missing)), new Set([space]))
    })
  })

  test('do not count for the limit of pages, and come with the pages that are read', async () => {
    const space = await newSpace()
    const pages = [await newPage(space), await newPage(space), await newPage(space)]
    for (const page of pages)
      for (const title of ['a.txt', 'b.txt', 'c.txt']) await attach(page, { title, ...text(title) })
    // The home page of the space is the first.
    const { refs, warnings, ends } = await listed(open(space, { max_num_of_docs_from_each_space: 3 }))
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
}

function manyPages(deployment: Deployment): void {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 43, spaces: 3, pages: 300, people: 20, groups: 6 })
    const { pages } = await wiki.control.truth()
    for (const { id, kind, status } of pages)
      if (kind === 'page' && status === 'current')
        await wiki.control.attach(id, { title: 'a.txt', ...text(id) })
  })
  after(() => wiki.stop())

  test('are listed with hardly more requests than the pages alone, and read with two each', async (context) => {
    const opened = { wiki, deployment, egress }
    const count = async <T>(work: () => Promise<T>) => {
      await wiki.control.resetCounts()
      const value = await work()
      const { requests } = await wiki.control.counts()
      return { value, requests }
    }
    const plain = await count(() => listed(openSource(opened)))
    const source = openSource(opened, { extract_files: true })
    const filed = await count(() => listed(source))
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
    const read = await count(() => outcomesOf(source, some))
    assert.equal(read.value.length, 100)
    assert.ok(read.value.every((outcome) => 'document' in outcome))
    assert.ok(read.requests <= 2 * some.length, `${read.requests} requests for ${some.length} files`)
  })
}
