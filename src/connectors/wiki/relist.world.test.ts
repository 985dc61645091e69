import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothSites, type SitesOptions } from '../../../test/world/sites.ts'
import { text } from '../../../test/world/wiki-files.ts'
import { fileOf, listAll, pageOf } from '../../../test/world/wiki-source.ts'
import type { DocumentRef } from '../../document.ts'
import type { WikiSource } from './source.ts'

const { signal } = new AbortController()

const everything = {
  extract_files: true,
  extract_images: true,
  include_comments: true,
  include_blog_posts: true,
  statuses: ['current', 'archived'],
}
const options: SitesOptions = {
  wiki: { seed: 17, spaces: 5, pages: 320, people: 20, groups: 6, comments: true, everyKind: true },
  fill: async ({ control }) => void (await control.set({ folderRestrictionsHidden: true })),
}

onBothSites('reading documents again', options, (site) => {
  const { newSpace, newPage, open } = site
  const relisted = async (source: WikiSource, refs: DocumentRef[]) => (await source.relist(refs, signal)).refs
  const inOrder = (refs: DocumentRef[]) => refs.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))

  test('gives the refs of a listing', async (context) => {
    const source = open(undefined, everything)
    const { refs } = await listAll(source)
    for (const kind of ['attachment_id', 'content_type'])
      assert.ok(
        refs.some(({ locator }) => locator[kind]),
        kind,
      )
    for (const part of ['+c', '+p'])
      assert.ok(
        refs.some(({ version }) => version.includes(part)),
        part,
      )
    assert.ok(refs.some(({ access }) => Object.keys(access.clauses).length > 1))
    await site.control.resetCounts()
    assert.deepEqual(inOrder(await relisted(open(undefined, everything), refs)), inOrder(refs))
    context.diagnostic(`${(await site.control.counts()).requests} requests for ${refs.length} documents`)
  })

  test('gives a few documents the same refs as all of them', async () => {
    const source = open(undefined, everything)
    const { refs } = await listAll(source)
    for (let i = 0; i < refs.length; i += 29) {
      const few = refs.slice(i, i + 2)
      assert.deepEqual(await relisted(source, few), few)
    }
  })

  test('needs few requests for fifty pages of one space', async (context) => {
    const space = await newSpace()
    const { groups } = await site.control.truth()
    const parent = await newPage(space)
    await site.control.restrict(parent, { read: { groups: [groups[0]!.id] } })
    for (let i = 0; i < 120; i++) await newPage(space, { parentId: parent })
    const source = open(space, { include_comments: true, extract_files: true })
    const { refs } = await listAll(source)
    await site.control.resetCounts()
    const fifty = refs.slice(30, 80)
    assert.deepEqual(await relisted(source, fifty), fifty)
    const { requests, sites } = await site.control.counts()
    const { byEndpoint } = site.isCloud ? sites.cloud : sites.dataCenter
    context.diagnostic(`${requests} requests: ${JSON.stringify(byEndpoint)}`)
    assert.ok(requests <= 15, `${requests} requests`)
  })

  test('shows versions, places and permissions as they are now', async () => {
    const [from, to] = [await newSpace(), await newSpace()]
    const [edited, moved, closed, parent] = [
      await newPage(from),
      await newPage(from),
      await newPage(from),
      await newPage(to),
    ]
    const source = open([from, to], everything)
    const { refs } = await listAll(source)
    const [person] = (await site.control.truth()).people
    await site.control.editPage(edited, { body: '<p>new</p>' })
    await site.control.movePage(moved, parent)
    await site.control.restrict(parent, { read: { users: [person!.accountId] } })
    await site.control.restrict(closed, { read: { users: [person!.accountId] } })
    await site.control.addComment(closed, { body: '<p>Said.</p>' })
    const before = new Date()
    const { refs: now, asOf } = await source.relist(
      [edited, moved, closed].map((id) => pageOf(refs, id)),
      signal,
    )
    assert.ok(asOf >= before)
    assert.equal(pageOf(now, edited).version, '2')
    assert.deepEqual([pageOf(now, moved).scope, pageOf(now, moved).locator.space_key], [to, to])
    assert.match(pageOf(now, closed).version, /^1\+c/)
    for (const id of [moved, closed]) assert.equal(Object.keys(pageOf(now, id).access.clauses).length, 2)
    assert.deepEqual(inOrder(now), inOrder(await currentOf(source, now)))
  })

  test('follows a file to its new page and keeps its other documents apart', async () => {
    const space = await newSpace()
    const [from, to] = [await newPage(space), await newPage(space)]
    const id = await site.control.attach(from, { title: 'a.txt', ...text('a') })
    await site.control.attach(from, { title: 'b.txt', ...text('b') })
    const source = open(space, everything)
    const file = fileOf((await listAll(source)).refs, id)
    await site.control.moveAttachment(id, to)
    const now = await relisted(source, [file])
    assert.deepEqual(now, await currentOf(source, [file]))
    assert.equal(now[0]?.locator.page_id, to)
    await site.control.trashAttachment(id)
    assert.deepEqual(await relisted(source, [file]), [])
  })

  test('leaves out documents that are gone, unreadable, not selected or of other sites', async () => {
    const [space, other] = [await newSpace(), await newSpace()]
    const parent = await newPage(other)
    const [kept, trashed, deleted, archived, away, labelled, post] = [
      await newPage(space),
      await newPage(space),
      await newPage(space),
      await newPage(space),
      await newPage(space),
      await newPage(space),
      await newPage(space, { kind: 'blogpost' }),
    ]
    const { refs } = await listAll(open(space, { include_blog_posts: true }))
    await site.control.trashPage(trashed)
    await site.control.deletePage(deleted)
    await site.control.archivePage(archived)
    await site.control.movePage(away, parent)
    await site.control.labelPage(labelled, ['secret'])
    const all = [kept, trashed, deleted, archived, away, labelled, post].map((id) => pageOf(refs, id))
    const elsewhere = { ...pageOf(refs, kept), recordId: `elsewhere.example/${kept}` }
    const left = await relisted(open(space, { exclude_labels: ['secret'] }), [...all, elsewhere])
    assert.deepEqual(
      left.map(({ locator }) => locator.page_id),
      [kept],
    )
    await site.control.setSpaceStatus(space, 'archived')
    assert.deepEqual(await relisted(open(), [pageOf(refs, kept)]), [])
  })

  test('asks the wiki whether a filter selects the documents, and only about them', async () => {
    const space = await newSpace()
    const [match, miss] = [await newPage(space, { title: 'Kept' }), await newPage(space, { title: 'Left' })]
    const all = (await listAll(open(space))).refs
    const source = open(space, { cql: 'title = "Kept"' })
    await site.control.holdSearch()
    const unknown = await newPage(space, { title: 'New' })
    const found = await relisted(source, [
      pageOf(all, match),
      pageOf(all, miss),
      pageOf((await listAll(open(space))).refs, unknown),
    ])
    assert.deepEqual(
      found.map(({ locator, undecided }) => [locator.page_id, undecided]),
      [
        [match, undefined],
        [unknown, true],
      ],
    )
    const searches = (await site.control.requests()).filter(({ url }) => /cql=space/.test(url)).slice(-2)
    for (const { url } of searches) assert.match(decodeURIComponent(url), /id in|id\+in/)
  })

  test('reads pages that the search does not know yet', async () => {
    const space = await newSpace()
    await site.control.holdSearch()
    const ids = [await newPage(space), await newPage(space), await newPage(space)]
    const source = open(space, everything)
    const { refs } = await listAll(source)
    const pages = ids.map((id) => pageOf(refs, id))
    assert.deepEqual(await relisted(source, pages), pages)
  })

  test('gives an earlier version of a page and of its file', async () => {
    const space = await newSpace()
    const id = await newPage(space, { body: '<p>The first text.</p>' })
    const file = await site.control.attach(id, { title: 'a.txt', ...text('first file') })
    const source = open(space, { extract_files: true })
    const before = (await listAll(source)).refs
    await site.control.editPage(id, { body: '<p>The second text.</p>' })
    await site.control.updateAttachment(file, { base64: Buffer.from('second file').toString('base64') })
    const now = (await listAll(source)).refs
    const [page, attached] = [pageOf(now, id), fileOf(now, file)]
    const read = async (ref: DocumentRef, version: string) =>
      String((await source.readVersion(ref, version, signal)).body)
    assert.match(await read(page, pageOf(before, id).version), /The first text/)
    assert.match(await read(page, page.version), /The second text/)
    await assert.rejects(read(page, '99'), { code: 'document_gone' })
    assert.match(await read(attached, attached.version), /second file/)
    const earlier = fileOf(before, file).version
    if (site.isCloud) assert.match(await read(attached, earlier), /first file/)
    else await assert.rejects(read(attached, earlier), { code: 'document_gone' })
  })

  /** The same documents in a new listing. */
  async function currentOf(source: WikiSource, wanted: DocumentRef[]): Promise<DocumentRef[]> {
    const ids = new Set(wanted.map(({ recordId }) => recordId))
    return (await listAll(source)).refs.filter(({ recordId }) => ids.has(recordId))
  }
})
