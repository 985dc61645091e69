import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { requestsWithoutChecks } from '../../../test/world/checks.ts'
import { memoryDecisions } from '../../../test/world/memory-decisions.ts'
import { onBothSites, type SitesOptions } from '../../../test/world/sites.ts'
import { filesOfPages, text } from '../../../test/world/wiki-files.ts'
import { fileOf, listAll, locationsOf, openSource } from '../../../test/world/wiki-source.ts'
import { PERMISSIONS_ONLY } from '../source.ts'
import type { DecisionStore } from '../type.ts'
import { isFile } from './document-page.ts'

const embedded: SitesOptions = { ...filesOfPages, settings: { extract_files: true, files: 'embedded' } }
const { signal } = new AbortController()

const linkTo = (name: string, of = '') =>
  `<p><ac:link><ri:attachment ri:filename="${name}">${of}</ri:attachment></ac:link></p>`
const pageTitled = (title: string) => `<ri:page ri:content-title="${title}" />`

onBothSites('the embedded files of pages', embedded, (site) => {
  const { newSpace, newPage } = site
  const open = (space: string, decisions?: DecisionStore) =>
    openSource({ ...site, ...(decisions ? { decisions } : {}) }, { ...embedded.settings, spaces: [space] })
  const attach = (pageId: string, title: string) => site.control.attach(pageId, { title, ...text(title) })
  const titlesIn = async (space: string, decisions?: DecisionStore) =>
    (await listAll(open(space, decisions))).refs.filter(isFile).map(({ title }) => title)
  const requestsFor = async (work: () => Promise<unknown>) => {
    await site.control.resetCounts()
    await work()
    return requestsWithoutChecks(site)
  }

  test('are those that the body shows or links to', async () => {
    const space = await newSpace()
    const body =
      `${linkTo('linked.txt')}<ac:image><ri:attachment ri:filename="shown.png" /></ac:image>` +
      '<ac:structured-macro ac:name="viewpdf"><ac:parameter ac:name="name">viewed.pdf</ac:parameter></ac:structured-macro>'
    const pageId = await newPage(space, { body })
    for (const title of ['linked.txt', 'shown.png', 'viewed.pdf', 'loose.txt']) await attach(pageId, title)
    assert.deepEqual((await titlesIn(space)).toSorted(), ['linked.txt', 'shown.png', 'viewed.pdf'])
    const all = await listAll(site.open(space, { files: 'all' }))
    assert.equal(all.refs.filter(isFile).length, 4)
  })

  test('are all files of a page with the attachments macro', async () => {
    const space = await newSpace()
    const pageId = await newPage(space, { body: '<ac:structured-macro ac:name="attachments" />' })
    for (const title of ['a.txt', 'b.txt']) await attach(pageId, title)
    assert.deepEqual(await titlesIn(space), ['a.txt', 'b.txt'])
  })

  describe('over time', () => {
    test('follow the body, and cost an unchanged page no request', async () => {
      const [space, decisions] = [await newSpace(), memoryDecisions()]
      const pageId = await newPage(space, { body: linkTo('a.txt') })
      const ids = [await attach(pageId, 'a.txt'), await attach(pageId, 'b.txt')]
      assert.deepEqual(await titlesIn(space, decisions), ['a.txt'])
      const plain = await requestsFor(() => listAll(site.open(space, { files: 'all' })))
      const unchanged = await requestsFor(async () =>
        assert.deepEqual(await titlesIn(space, decisions), ['a.txt']),
      )
      assert.equal(unchanged, plain)

      await site.control.editPage(pageId, { body: linkTo('a.txt') + linkTo('b.txt') })
      const changed = await requestsFor(async () =>
        assert.deepEqual(await titlesIn(space, decisions), ['a.txt', 'b.txt']),
      )
      assert.equal(changed, plain + 1, 'one request for the bodies of changed pages')
      const before = (await listAll(open(space, decisions))).refs

      await site.control.editPage(pageId, { body: linkTo('b.txt') })
      assert.deepEqual(await titlesIn(space, decisions), ['b.txt'])
      const files = ids.map((id) => fileOf(before, id))
      assert.deepEqual(await locationsOf(open(space, decisions), files), [null, space])
      assert.deepEqual(await locationsOf(open(space), files), [null, space], 'with nothing kept')
      const { refs } = await open(space, decisions).relist(files, signal)
      assert.deepEqual(
        refs.map(({ title }) => title),
        ['b.txt'],
      )
    })

    test('include a file that is attached after the link was written', async () => {
      const [space, decisions] = [await newSpace(), memoryDecisions()]
      const pageId = await newPage(space, { body: linkTo('late.txt') })
      assert.deepEqual(await titlesIn(space, decisions), [])
      await attach(pageId, 'late.txt')
      assert.deepEqual(await titlesIn(space, decisions), ['late.txt'])
    })

    test('are undecided while the body cannot be read, and known ones are kept', async () => {
      const [space, decisions] = [await newSpace(), memoryDecisions()]
      const pageId = await newPage(space, { body: linkTo('a.txt') })
      const ids = [await attach(pageId, 'a.txt'), await attach(pageId, 'b.txt')]
      const known = fileOf((await listAll(open(space, decisions))).refs, ids[0]!)
      await site.control.editPage(pageId, { body: linkTo('b.txt') })
      for (const path of ['body-format=storage', 'body.storage'])
        await site.control.fail({ path, status: 403, times: null })
      const source = open(space, decisions)
      const { refs, warnings } = await listAll(source)
      assert.deepEqual(
        ids.map((id) => fileOf(refs, id).undecided),
        [undefined, true],
      )
      assert.deepEqual(
        warnings.map(({ code }) => code),
        ['files_not_listed'],
      )
      assert.deepEqual(await locationsOf(source, [known]), ['unknown'])
      await site.control.clearFaults()
      assert.deepEqual(await titlesIn(space, decisions), ['b.txt'])
    })

    test('are undecided in a listing for permissions, which reads no bodies', async () => {
      const [space, decisions] = [await newSpace(), memoryDecisions()]
      const pageId = await newPage(space, { body: linkTo('a.txt') })
      await attach(pageId, 'a.txt')
      const list = () => listAll(open(space, decisions), PERMISSIONS_ONLY)
      await site.control.resetCounts()
      const { refs, warnings } = await list()
      assert.deepEqual(
        refs.filter(isFile).map(({ undecided }) => undecided),
        [true],
      )
      assert.deepEqual(warnings, [])
      const bodies = (await site.control.requests()).filter(({ url }) => /storage/.test(url))
      assert.deepEqual(bodies, [])
      await titlesIn(space, decisions)
      assert.deepEqual(
        (await list()).refs.filter(isFile).map(({ undecided }) => undecided),
        [undefined],
      )
    })
  })

  test('are listed with their own page and its permissions if another page links to them', async () => {
    const [space, decisions] = [await newSpace(), memoryDecisions()]
    const { people } = await site.control.truth()
    const owner = await newPage(space, { title: `Owner of ${space}` })
    await site.control.restrict(owner, { read: { users: [people[0]!.accountId] } })
    const id = await attach(owner, 'a.txt')
    const linking = await newPage(space, { body: linkTo('a.txt', pageTitled(`Owner of ${space}`)) })
    const inSteps = openSource(
      { ...site, batchSize: 1, decisions },
      { ...embedded.settings, spaces: [space] },
    )
    const first = await listAll(inSteps)
    assert.deepEqual(first.refs.filter(isFile), [], 'its page is in a batch before the link')
    const { refs } = await listAll(open(space, decisions))
    const file = fileOf(refs, id)
    assert.equal(file.locator.page_id, owner)
    const ownerRef = refs.find(({ locator }) => locator.page_id === owner && !locator.attachment_id)
    assert.deepEqual(file.access, ownerRef?.access)
    await site.control.editPage(owner, { title: `Renamed owner of ${space}` })
    assert.deepEqual(await titlesIn(space, decisions), ['a.txt'], 'the link follows a renamed page')
    await site.control.editPage(linking, { body: '<p>No link.</p>' })
    assert.deepEqual(await titlesIn(space, decisions), [])
    assert.deepEqual(await locationsOf(open(space, decisions), [file]), [null])
  })
})
