import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idsOf, onBothSites, small } from '../../../test/world/sites.ts'
import { listAll, locationsOf, pageOf, readDocument, readError } from '../../../test/world/wiki-source.ts'

onBothSites('what is read', small, (site) => {
  const { isCloud, newSpace, newPage, open, refsOf, listedIn } = site

  describe('blog posts', () => {
    const withPosts = { include_blog_posts: true }

    test('are listed only if the setting is on', async () => {
      const space = await newSpace()
      const [page, post] = [await newPage(space), await newPage(space, { kind: 'blogpost' })]
      assert.deepEqual(await listedIn(space), [page])
      assert.deepEqual(await listedIn(space, withPosts), [page, post])
    })

    test('are ordered by id among pages, and count toward their limit', async () => {
      const space = await newSpace()
      const ids = [
        await newPage(space, { kind: 'blogpost' }),
        await newPage(space),
        await newPage(space, { kind: 'blogpost' }),
        await newPage(space),
      ]
      assert.deepEqual(await listedIn(space, withPosts), ids)
      const { refs, warnings, ends } = await listAll(
        open(space, { ...withPosts, max_num_of_docs_from_each_space: 4 }),
      )
      assert.deepEqual(idsOf(refs).slice(1), ids.slice(0, 3))
      assert.deepEqual(
        warnings.map(({ code }) => code),
        ['documents_left_out'],
      )
      assert.equal(ends[0]!.upTo, refs.at(-1)!.position)
    })

    test('have permissions, labels and text', async () => {
      const space = await newSpace()
      const { people } = await site.control.truth()
      const { accountId, userKey } = people[0]!
      const post = await newPage(space, {
        kind: 'blogpost',
        labels: ['news', 'all'],
        body: '<p>We moved.</p>',
        title: 'News',
      })
      const openPost = await newPage(space, { kind: 'blogpost' })
      await site.control.restrict(post, { read: { users: [accountId] } })
      const source = open(space, withPosts)
      const { refs, warnings } = await listAll(source)
      assert.deepEqual(warnings, [])
      const ref = pageOf(refs, post)
      assert.equal(ref.title, 'News')
      assert.deepEqual(ref.labels, ['all', 'news'])
      assert.deepEqual(ref.locator, { space_key: space, page_id: post, content_type: 'blogpost' })
      assert.deepEqual(ref.access.permissions[0].read.users, [isCloud ? accountId : userKey])
      assert.equal(Object.keys(ref.access.clauses).length, 2)
      assert.equal(Object.keys(pageOf(refs, openPost).access.clauses).length, 1)
      assert.equal((await readDocument(source, ref)).body, '<p>We moved.</p>')
    })

    test('are read if the search does not know them yet', async () => {
      const space = await newSpace()
      await site.control.holdSearch()
      const post = await newPage(space, { kind: 'blogpost', body: '<p>Just now.</p>', labels: ['new'] })
      const source = open(space, withPosts)
      const ref = pageOf((await listAll(source)).refs, post)
      assert.deepEqual(ref.labels, ['new'])
      assert.equal((await readDocument(source, ref)).body, '<p>Just now.</p>')
    })

    test('are located as gone if the setting is turned off', async () => {
      const space = await newSpace()
      const post = await newPage(space, { kind: 'blogpost' })
      const ref = pageOf(await refsOf(space, withPosts), post)
      assert.deepEqual(await locationsOf(open(space), [ref]), [null])
    })

    test('are located while selected, and gone when trashed', async () => {
      const space = await newSpace()
      const posts = [await newPage(space, { kind: 'blogpost' }), await newPage(space, { kind: 'blogpost' })]
      const refs = await refsOf(space, withPosts)
      await site.control.trashPage(posts[1]!)
      const source = open(space, withPosts)
      const both = posts.map((id) => pageOf(refs, id))
      assert.deepEqual(await locationsOf(source, both), [space, null])
      assert.equal((await readError(source, both[1]!)).code, 'document_gone')
    })

    test('are read along with archived pages, though no blog post can be archived', async () => {
      const space = await newSpace()
      const [page, post] = [await newPage(space), await newPage(space, { kind: 'blogpost' })]
      await site.control.archivePage(page)
      const { refs, warnings, complete } = await listAll(
        open(space, { ...withPosts, statuses: ['current', 'archived'] }),
      )
      assert.deepEqual(warnings, [])
      assert.ok(complete)
      assert.deepEqual(idsOf(refs).slice(1), [page, post])
    })
  })

  describe('statuses', () => {
    test('select current pages, archived ones, or both', async () => {
      const space = await newSpace()
      const [current, archived, trashed] = [await newPage(space), await newPage(space), await newPage(space)]
      await site.control.archivePage(archived)
      await site.control.trashPage(trashed)
      assert.deepEqual(await listedIn(space), [current])
      assert.deepEqual(await listedIn(space, { statuses: ['archived'] }), [archived])
      assert.deepEqual(await listedIn(space, { statuses: ['archived', 'current'] }), [current, archived])
    })

    test('let archived pages be read with labels and permissions, and located', async () => {
      const space = await newSpace()
      const { people } = await site.control.truth()
      const { accountId, userKey } = people[0]!
      const id = await newPage(space, { body: '<p>As it was.</p>', labels: ['old'] })
      await site.control.restrict(id, { read: { users: [accountId] } })
      await site.control.archivePage(id)
      const source = open(space, { statuses: ['archived'] })
      const { refs, warnings } = await listAll(source)
      assert.deepEqual(warnings, [])
      const ref = pageOf(refs, id)
      assert.deepEqual(ref.labels, ['old'])
      assert.deepEqual(ref.access.permissions[0].read.users, [isCloud ? accountId : userKey])
      assert.equal((await readDocument(source, ref)).body, '<p>As it was.</p>')
      assert.deepEqual(await locationsOf(source, [ref]), [space])
      assert.deepEqual(await locationsOf(open(space), [ref]), [null])
    })

    test('make a page gone that was archived after the listing, unless archived ones are selected', async () => {
      const space = await newSpace()
      const id = await newPage(space)
      const [source, both] = [open(space), open(space, { statuses: ['current', 'archived'] })]
      const ref = pageOf((await listAll(source)).refs, id)
      await site.control.archivePage(id)
      assert.equal((await readError(source, ref)).code, 'document_gone')
      assert.equal((await readDocument(both, ref)).ref, ref)
    })
  })
})
