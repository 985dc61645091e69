import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { onBothSites } from '../../../../test/world/sites.ts'
import { fault } from '../../../../test/world/wiki/faults.ts'
import { pdfFile, pngFile } from '../../../../test/world/wiki/model/files.ts'
import { bytes, bytesIn, filesOfPages, text } from '../../../../test/world/wiki-files.ts'
import {
  bytesSent,
  fileOf,
  listAll,
  locationsOf,
  pageOf,
  readDocument,
  readError,
  readOutcomes,
} from '../../../../test/world/wiki-source.ts'
import type { DocumentRef } from '../../../document.ts'
import { isFile } from '../document-page.ts'

onBothSites('the files of pages', filesOfPages, (site) => {
  const { deployment, isCloud, newSpace, newPage, open, refsOf } = site
  const bodyOf = async (space: string, ref: DocumentRef) =>
    String(bytesIn(await readDocument(open(space), ref)))

  describe('as documents', () => {
    test('have the permissions of their page, and their own name, address and id', async () => {
      const space = await newSpace()
      const { people } = await site.control.truth()
      const pageId = await newPage(space, { labels: ['plan'] })
      await site.control.restrict(pageId, { read: { users: [people[0]!.accountId] } })
      const id = await site.control.attach(pageId, { title: 'road map.txt', ...text('Go west.') })
      const refs = await refsOf(space)
      const [page, file] = [pageOf(refs, pageId), fileOf(refs, id)]
      const home = deployment.home(site.wiki)
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
      const document = await readDocument(open(space), file)
      assert.equal(document.filetype, 'text/plain')
      assert.equal(document.version, file.version)
      assert.equal(String(bytesIn(document)), 'Go west.')
    })

    test('are listed for blog posts too', async () => {
      const space = await newSpace()
      const { people } = await site.control.truth()
      const post = await newPage(space, { kind: 'blogpost' })
      await site.control.restrict(post, { read: { users: [people[1]!.accountId] } })
      const id = await site.control.attach(post, { title: 'news.txt', ...text('News.') })
      const refs = await refsOf(space, { include_blog_posts: true })
      const [page, file] = [pageOf(refs, post), fileOf(refs, id)]
      assert.deepEqual(file.access, page.access)
      assert.equal(file.locator.content_type, 'blogpost')
      const source = open(space, { include_blog_posts: true })
      assert.equal(String(bytesIn(await readDocument(source, file))), 'News.')
      assert.deepEqual(await locationsOf(source, [file]), [space])
      assert.deepEqual(await locationsOf(open(space), [file]), [null])
      assert.deepEqual((await refsOf(space)).filter(isFile), [])
    })

    test('are listed only if the setting is on', async () => {
      const space = await newSpace()
      await site.control.attach(await newPage(space), { title: 'a.txt', ...text('a') })
      assert.deepEqual((await refsOf(space, { extract_files: false })).filter(isFile), [])
      assert.deepEqual(
        (await refsOf(space, { extract_files: false, extract_images: true })).filter(isFile),
        [],
      )
    })

    test('are listed for archived pages if these are read', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await site.control.attach(pageId, { title: 'old.txt', ...text('Old.') })
      await site.control.archivePage(pageId)
      const source = open(space, { statuses: ['archived'] })
      const { refs, warnings } = await listAll(source)
      assert.deepEqual(warnings, [])
      const file = fileOf(refs, id)
      assert.equal(String(bytesIn(await readDocument(source, file))), 'Old.')
      assert.deepEqual(await locationsOf(source, [file]), [space])
      assert.deepEqual(await locationsOf(open(space), [file]), [null])
    })

    test('are not listed from the trash, nor from pages in the trash', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await site.control.attach(pageId, { title: 'a.txt', ...text('a') })
      const kept = await site.control.attach(pageId, { title: 'b.txt', ...text('b') })
      const gone = await site.control.attach(await newPage(space), { title: 'c.txt', ...text('c') })
      const source = open(space)
      const before = (await listAll(source)).refs
      await site.control.trashAttachment(id)
      await site.control.trashPage(fileOf(before, gone).locator.page_id!)
      const files = (await refsOf(space)).filter(isFile)
      assert.deepEqual(
        files.map(({ locator }) => locator.attachment_id),
        [kept],
      )
      assert.deepEqual(
        await locationsOf(
          source,
          [id, kept, gone].map((each) => fileOf(before, each)),
        ),
        [null, space, null],
      )
    })
  })

  describe('by their names', () => {
    test('never have a path as a name', async () => {
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
      const nameless = ['..', 'folder/', '../../..', ' ']
      const ids = new Map<string, string>()
      for (const [title] of names)
        ids.set(title, await site.control.attach(pageId, { title, ...text(`of ${title}`) }))
      for (const title of nameless)
        ids.set(title, await site.control.attach(pageId, { title, ...text(`of ${title}`) }))
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

    test('are distinguished if they share a name', async () => {
      const space = await newSpace()
      const [one, two] = [await newPage(space), await newPage(space)]
      const title = 'notes.txt'
      const ids = [
        await site.control.attach(one, { title, ...text('first') }),
        await site.control.attach(two, { title, ...text('second') }),
      ]
      const third = await site.control.attach(one, { title, twice: true, ...text('third') })
      const refs = await refsOf(space)
      const files = [...ids, third].map((id) => fileOf(refs, id))
      assert.equal(new Set(files.map(({ recordId }) => recordId)).size, 3)
      assert.equal(refs.filter(isFile).length, 3)
      assert.deepEqual(await Promise.all(files.slice(0, 2).map((file) => bodyOf(space, file))), [
        'first',
        'second',
      ])
      // Data Center serves files by name, so a page never has two with one name.
      if (isCloud) assert.equal(await bodyOf(space, files[2]!), 'third')
    })

    test('are all listed if a page has more than one answer holds', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const ids: string[] = []
      for (let at = 0; at < 260; at++)
        ids.push(await site.control.attach(pageId, { title: `${at}.txt`, ...text(`${at}`) }))
      const few = await newPage(space)
      const other = await site.control.attach(few, { title: 'other.txt', ...text('other') })
      const { refs, warnings, complete } = await listAll(open(space))
      assert.ok(complete)
      assert.deepEqual(warnings, [])
      const files = refs.filter(isFile).map(({ locator }) => locator.attachment_id)
      assert.deepEqual(files.toSorted(), [...ids, other].toSorted())
    })
  })

  describe('by their content', () => {
    test('have the type of their content, not of their name', async () => {
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
      for (const [title, content] of made)
        ids.push(await site.control.attach(pageId, { title, ...bytes(content) }))
      const refs = await refsOf(space)
      for (const [at, [title, content, filetype]] of made.entries()) {
        const document = await readDocument(open(space), fileOf(refs, ids[at]!))
        assert.equal(document.filetype, filetype, title)
        assert.deepEqual(bytesIn(document), content, title)
      }
    })

    test('are skipped if their type is not accepted, after fetching only the beginning', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const film = { mediaType: 'video/mp4', size: 90_000_000 }
      const id = await site.control.attachHuge(pageId, { title: 'film.txt', ...film })
      const small = await site.control.attach(pageId, { title: 'pixel.txt', ...bytes(pngFile(2)) })
      const source = open(space)
      const { refs } = await listAll(source)
      const textOnly = (filetype: string) => filetype.startsWith('text/')
      await site.control.resetCounts()
      for (const each of [id, small]) {
        const error = await readError(source, fileOf(refs, each), textOnly)
        assert.equal(error.code, 'document_unsupported')
        assert.equal(error.skips, 'until_changed')
      }
      assert.ok((await bytesSent(site.wiki, isCloud ? /binary.*film/ : /download.*film/)) < 20e6)
    })

    test('are skipped above 100 MB, whatever their type, and hardly fetched', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const log = await site.control.attachHuge(pageId, {
        title: 'a.log',
        mediaType: 'text/plain',
        size: 100_000_001,
      })
      const film = await site.control.attachHuge(pageId, {
        title: 'b.mp4',
        mediaType: 'video/mp4',
        size: 2e9,
      })
      const source = open(space)
      const { refs } = await listAll(source)
      await site.control.resetCounts()
      assert.equal((await readError(source, fileOf(refs, log))).code, 'file_too_large')
      const useless = await readError(source, fileOf(refs, film), (filetype) => filetype.startsWith('text/'))
      assert.equal(useless.skips, 'until_changed')
      for (const name of ['a.log', 'b.mp4'])
        assert.ok(
          (await bytesSent(site.wiki, new RegExp(`${isCloud ? 'binary' : 'download'}.*${name}`))) < 20e6,
          name,
        )
    })

    test('fail if the wiki sends a sign-in page instead', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const id = await site.control.attach(pageId, {
        title: 'a.html',
        ...text('<!DOCTYPE html><html>mine</html>'),
        mediaType: 'text/html',
      })
      const source = open(space)
      const file = fileOf((await listAll(source)).refs, id)
      await site.control.fail({ ...fault.loginPage(), path: '/binary|/download/', times: null })
      const error = await readError(source, file)
      assert.equal(error.code, 'source_forbidden')
      assert.equal(error.skips, undefined)
      await site.control.clearFaults()
      assert.equal((await readDocument(source, file)).filetype, 'text/html')
    })

    test('are reported gone if deleted after the listing, without failing others', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      const ids = [
        await site.control.attach(pageId, { title: 'a.txt', ...text('a') }),
        await site.control.attach(pageId, { title: 'b.txt', ...text('b'), broken: 'missing' }),
        await site.control.attach(pageId, { title: 'c.txt', ...text('c') }),
      ]
      const source = open(space)
      const { refs } = await listAll(source)
      await site.control.removeAttachment(ids[0]!)
      const files = ids.map((id) => fileOf(refs, id))
      const outcomes = await readOutcomes(source, [...files, pageOf(refs, pageId)])
      const results = new Map(
        outcomes.map((each) => [
          each.ref.recordId,
          'error' in each ? each.error.code : 'relist' in each ? 'relist' : 'read',
        ]),
      )
      assert.equal(outcomes.length, 4)
      assert.deepEqual(
        [...files, pageOf(refs, pageId)].map(({ recordId }) => results.get(recordId)),
        ['document_gone', 'document_gone', 'read', 'read'],
      )
    })
  })
})
