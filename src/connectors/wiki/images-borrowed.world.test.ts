import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bothWays,
  embedded,
  missing,
  OTHER_PNG,
  onPicturedSites,
  PNG,
  picture,
} from '../../../test/world/wiki-images.ts'
import { documentOf, everyone, listed, pageOf, visitors } from '../../../test/world/wiki-source.ts'
import * as shown from '../../sample/wiki/images.ts'
import type { Principals } from '../../sample/wiki/model.ts'

onPicturedSites((site) => {
  const { isCloud, newSpace, newPage, open, attach, read } = site

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
      await site.control.editPage(borrower, { view: `<p>Mine.</p>${bothWays(id, lender)}` })
      if (rights.lender) await site.control.restrict(lender, { read: rights.lender })
      if (rights.borrower) await site.control.restrict(borrower, { read: rights.borrower })
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
      const { people, groups } = await site.control.truth()
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
      await site.control.restrict(top, { read: { users: [a] } })
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
      await site.control.restrict(folder, { read: { users: [a] } })
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
      const borrower = await newPage(space, { view: picture(await attach(lender, PNG), lender) })
      assert.deepEqual((await read(space, borrower)).sources, [embedded(PNG)])
    })

    test('are shown in a blog post as in a page', async () => {
      const { a } = await who()
      const space = await newSpace()
      const lender = await newPage(space)
      const view = picture(await attach(lender, PNG), lender)
      const post = await newPage(space, { kind: 'blogpost', view })
      assert.deepEqual((await read(space, post, { include_blog_posts: true })).sources, [embedded(PNG)])
      await site.control.restrict(lender, { read: { users: [a] } })
      assert.equal(missing(await read(space, post, { include_blog_posts: true })), 1)
    })

    test('are not shown where it cannot be told who may read the other one', async () => {
      const space = await newSpace()
      const { lender, borrower } = await borrowed({ lenderSpace: space, space })
      const source = open(space)
      const ref = pageOf((await listed(source)).refs, borrower)
      assert.equal(ref.access.unproved, undefined)
      await site.control.fail({ path: `content/${lender}/restriction`, status: 403, times: null })
      const document = await documentOf(source, ref)
      assert.equal(missing(document), 2)
      assert.doesNotMatch(String(document.body), /data:image/)
    })

    test('are not shown where the account may not know any rights', async () => {
      const space = await newSpace()
      const { borrower } = await borrowed({ lenderSpace: space, space })
      const source = open(space, {}, 'powerless')
      const document = await documentOf(source, pageOf((await listed(source)).refs, borrower))
      assert.equal(missing(document), 2)
      assert.doesNotMatch(String(document.body), /data:image/)
    })

    test('are not shown any more when the other one is closed, trashed or archived', async () => {
      const { a } = await who()
      const space = await newSpace()
      const closings = [
        (id: string) => site.control.restrict(id, { read: { users: [a] } }),
        (id: string) => site.control.trashPage(id),
        (id: string) => site.control.archivePage(id),
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
      await site.control.restrict(lender, { read: { users: [a] } })
      const borrower = await newPage(space)
      const own = await attach(borrower, OTHER_PNG, { title: 'mine.png' })
      const lies = [
        picture(id, borrower),
        shown.attachmentImage({ id, title: 'mine.png', pageId: borrower }),
        picture(own, borrower),
        picture(id, borrower).replace(`attachments/${borrower}/`, `attachments/${lender}/`),
      ]
      await site.control.editPage(borrower, { view: lies.join('') })
      const { html } = await read(space, borrower)
      assert.ok(!html.includes(PNG.toString('base64')))
    })
  })
})
