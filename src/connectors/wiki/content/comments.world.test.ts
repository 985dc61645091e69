import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { onBothSites, small } from '../../../../test/world/sites.ts'
import { pngFile } from '../../../../test/world/wiki/model/files.ts'
import {
  listAll,
  ownVersion,
  pageOf,
  readDocument,
  readOutcomes,
} from '../../../../test/world/wiki-source.ts'

onBothSites('what is read', small, (site) => {
  const { newSpace, newPage, open, refsOf } = site

  describe('comments', () => {
    const withComments = { include_comments: true }
    const versionOf = async (space: string, id: string) =>
      pageOf(await refsOf(space, withComments), id).version
    const bodyOf = async (space: string, id: string, more: object = withComments) => {
      const source = open(space, more)
      return String((await readDocument(source, pageOf((await listAll(source)).refs, id))).body)
    }
    /** The words of a body in their order, without its tags. */
    const wordsOf = (html: string) =>
      html
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()

    test('are part of their page, threads in order of creation, replies after their parents', async () => {
      const space = await newSpace()
      const { people } = await site.control.truth()
      const [a, b] = people.filter(({ active }) => active)
      const id = await newPage(space, { body: '<p>The river is wide.</p>' })
      const say = (body: string, more: object = {}) =>
        site.control.addComment(id, { body: `<p>${body}</p>`, authorId: a!.accountId, ...more })
      const first = await say('First')
      const inline = await say('Really?', { location: 'inline', selection: 'wide' })
      const reply = await say('Reply', { parentId: first, authorId: b!.accountId })
      await say('Last')
      await say('Reply to reply', { parentId: reply })
      await say('Second reply', { parentId: first })
      await say('Yes', { parentId: inline, authorId: b!.accountId })
      const words = wordsOf(await bodyOf(space, id))
      const [A, B] = [a!.name, b!.name]
      assert.ok(words.startsWith('The river is wide'), words)
      const thread = [
        `${A}: First`,
        `${B}: Reply`,
        `${A}: Reply to reply`,
        `${A}: Second reply`,
        `${A} on “wide”: Really?`,
        `${B} on “wide”: Yes`,
        `${A}: Last`,
      ]
      assert.equal(words.slice(words.indexOf('Comments ')), `Comments ${thread.join(' ')}`)
    })

    test('are read only if the setting is on', async () => {
      const space = await newSpace()
      const id = await newPage(space, { body: '<p>Page.</p>' })
      await site.control.addComment(id, { body: '<p>Said.</p>' })
      await site.control.resetCounts()
      assert.equal(await bodyOf(space, id, {}), '<p>Page.</p>')
      assert.equal(pageOf(await refsOf(space), id).version, '1')
      const base64 = pngFile(1).toString('base64')
      await site.control.attach(id, { title: 'a.png', mediaType: 'image/png', base64 })
      assert.equal(await bodyOf(space, id, { extract_images: true }), '<p>Page.</p>')
      assert.ok((await site.control.requests()).every(({ url }) => !url.includes('comment')))
      assert.notEqual(open(space).rendition, open(space, withComments).rendition)
    })

    test('are left out with their replies if resolved or if their text is gone', async () => {
      const space = await newSpace()
      const id = await newPage(space, { body: '<p>one two three four</p>' })
      const states = ['open', 'resolved', 'reopened', 'dangling'] as const
      for (const [at, state] of states.entries()) {
        const selection = ['one', 'two', 'three', 'four'][at]!
        const root = await site.control.addComment(id, {
          body: `<p>${state} root</p>`,
          location: 'inline',
          selection,
        })
        await site.control.addComment(id, { body: `<p>${state} reply</p>`, parentId: root })
        await site.control.resolveComment(root, state)
      }
      const words = wordsOf(await bodyOf(space, id))
      assert.deepEqual(words.match(/\w+ (root|reply)/g), [
        'open root',
        'open reply',
        'reopened root',
        'reopened reply',
      ])
    })

    test('change the version of the page only if one is added, changed, resolved or removed', async () => {
      const space = await newSpace()
      const id = await newPage(space, { body: '<p>The river.</p>' })
      const other = await newPage(space)
      const otherVersion = await versionOf(space, other)
      const versions = [await versionOf(space, id)]
      const changed = async (what: string) => {
        const now = await versionOf(space, id)
        assert.notEqual(now, versions.at(-1), what)
        assert.equal(await versionOf(space, id), now, `${what}: twice the same`)
        assert.equal(ownVersion(now), ownVersion(versions[0]!))
        versions.push(now)
      }
      const comment = await site.control.addComment(id, { body: '<p>Said.</p>' })
      await changed('a new one')
      await site.control.editComment(comment, { body: '<p>Said otherwise.</p>' })
      await changed('an edited one')
      assert.match(await bodyOf(space, id), /Said otherwise/)
      const reply = await site.control.addComment(id, { body: '<p>Answer.</p>', parentId: comment })
      await changed('a reply')
      const inline = await site.control.addComment(id, {
        body: '<p>Where?</p>',
        location: 'inline',
        selection: 'river',
      })
      await changed('an inline one')
      await site.control.resolveComment(inline)
      await changed('a resolved one')
      await site.control.deleteComment(reply)
      await changed('a reply that is gone')
      await site.control.deleteComment(comment)
      await changed('one that is gone')
      assert.equal(versions.at(-1), versions[0])
      assert.doesNotMatch(await bodyOf(space, id), /Comments|Said/)
      assert.equal(await versionOf(space, other), otherVersion)
    })

    test('match the listed version when the page is read', async () => {
      const space = await newSpace()
      const id = await newPage(space)
      await site.control.addComment(id, { body: '<p>Said.</p>' })
      const source = open(space, withComments)
      const ref = pageOf((await listAll(source)).refs, id)
      assert.equal((await readDocument(source, ref)).version, ref.version)
    })

    test('appear as soon as the search knows them', async () => {
      const space = await newSpace()
      const id = await newPage(space, { body: '<p>Page.</p>' })
      await site.control.holdSearch()
      await site.control.addComment(id, { body: '<p>Said.</p>' })
      assert.equal(await bodyOf(space, id), '<p>Page.</p>')
      const before = await versionOf(space, id)
      await site.control.releaseSearch()
      assert.notEqual(await versionOf(space, id), before)
      assert.match(await bodyOf(space, id), /Said/)
    })

    test('are assigned to their own pages, however many there are', async () => {
      const space = await newSpace()
      const ids: string[] = []
      for (let at = 0; at < 60; at++) {
        const id = await newPage(space, { body: `<p>Page ${at}.</p>` })
        ids.push(id)
        const count = at === 7 ? 120 : 2
        for (let said = 0; said < count; said++)
          await site.control.addComment(id, { body: `<p>say-${at}-${said}-</p>` })
      }
      const source = open(space, withComments)
      const { refs } = await listAll(source)
      const outcomes = await readOutcomes(
        source,
        ids.map((id) => pageOf(refs, id)),
      )
      assert.equal(outcomes.length, 60)
      for (const outcome of outcomes) {
        assert.ok('document' in outcome)
        const at = ids.indexOf(outcome.ref.locator.page_id!)
        const said = String(outcome.document.body).match(/say-\d+-\d+-/g)
        const expected = Array.from({ length: at === 7 ? 120 : 2 }, (_, each) => `say-${at}-${each}-`)
        assert.deepEqual(said, expected)
      }
    })

    test('are read for blog posts too', async () => {
      const space = await newSpace()
      const post = await newPage(space, { kind: 'blogpost', body: '<p>News.</p>' })
      await site.control.addComment(post, { body: '<p>Good news.</p>' })
      assert.match(await bodyOf(space, post, { ...withComments, include_blog_posts: true }), /Good news/)
    })

    test('do not insert tags from the selected text', async () => {
      const space = await newSpace()
      const id = await newPage(space, { body: '<p>x</p>' })
      const selection = '<img src="http://a.example/x.png">'
      await site.control.addComment(id, { body: '<p>Hm.</p>', location: 'inline', selection })
      assert.ok((await bodyOf(space, id)).includes('“&lt;img src='))
    })
  })
})
