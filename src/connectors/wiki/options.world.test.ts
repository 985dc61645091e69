import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { startWiki, type Wiki } from '../../../test/world/wiki/start.ts'
import {
  addSpace,
  type Deployment,
  deployments,
  documentOf,
  errorOf,
  listed,
  type Opened,
  openSource,
  outcomesOf,
  pageOf,
  whereaboutsOf,
} from '../../../test/world/wiki-source.ts'
import type { DocumentRef } from '../../document.ts'
import { AppError } from '../../errors.ts'
import { pngFile } from '../../sample/wiki/files.ts'
import { createEgress } from '../egress/guard.ts'
import type { Egress } from '../egress.ts'
import { isFile } from './refs.ts'

const { signal } = new AbortController()
let egress: Egress
before(() => {
  egress = createEgress({ publicOnly: false })
})
after(() => egress.close())

for (const deployment of deployments) describe(`what is read (${deployment.name})`, () => options(deployment))

function options(deployment: Deployment): void {
  const isCloud = deployment.site === 'cloud'
  let wiki: Wiki
  let opened: Opened
  let spaces = 0
  before(async () => {
    wiki = await startWiki({ seed: 51, spaces: 3, pages: 30, people: 10, groups: 4 })
    opened = { wiki, deployment, egress }
  })
  after(() => wiki.stop())
  afterEach(async () => {
    await wiki.control.clearFaults()
    await wiki.control.releaseSearch()
  })

  const newSpace = () => addSpace(wiki, `OPT${++spaces}`)
  const newPage = (space: string, more: object = {}) =>
    wiki.control.createPage({ space, title: `Page ${Math.random()}`, ...more })
  const open = (space: string, more: object = {}) => openSource(opened, { spaces: [space], ...more })
  const refsOf = async (space: string, more: object = {}) => (await listed(open(space, more))).refs
  const idsOf = (refs: DocumentRef[]) => refs.map(({ locator }) => locator.page_id)
  /** Without the home page that every space has. */
  const listedIn = async (space: string, more: object = {}) => {
    const { spaces: all } = await wiki.control.truth()
    const home = all.find(({ key }) => key === space)?.homepageId
    return idsOf(await refsOf(space, more)).filter((id) => id !== home)
  }

  describe('blog posts', () => {
    const withPosts = { include_blog_posts: true }

    test('are left out unless they are wanted', async () => {
      const space = await newSpace()
      const [page, post] = [await newPage(space), await newPage(space, { kind: 'blogpost' })]
      assert.deepEqual(await listedIn(space), [page])
      assert.deepEqual(await listedIn(space, withPosts), [page, post])
    })

    test('come in the order of ids with the pages, and count for the limit with them', async () => {
      const space = await newSpace()
      const ids = [
        await newPage(space, { kind: 'blogpost' }),
        await newPage(space),
        await newPage(space, { kind: 'blogpost' }),
        await newPage(space),
      ]
      assert.deepEqual(await listedIn(space, withPosts), ids)
      const { refs, warnings, ends } = await listed(
        open(space, { ...withPosts, max_num_of_docs_from_each_space: 4 }),
      )
      assert.deepEqual(idsOf(refs).slice(1), ids.slice(0, 3))
      assert.deepEqual(
        warnings.map(({ code }) => code),
        ['documents_left_out'],
      )
      assert.equal(ends[0]!.upTo, refs.at(-1)!.position)
    })

    test('have their rights, their labels and their text', async () => {
      const space = await newSpace()
      const { people } = await wiki.control.truth()
      const { accountId, userKey } = people[0]!
      const post = await newPage(space, {
        kind: 'blogpost',
        labels: ['news', 'all'],
        view: '<p>We moved.</p>',
        title: 'News',
      })
      const openPost = await newPage(space, { kind: 'blogpost' })
      await wiki.control.restrict(post, { read: { users: [accountId] } })
      const source = open(space, withPosts)
      const { refs, warnings } = await listed(source)
      assert.deepEqual(warnings, [])
      const ref = pageOf(refs, post)
      assert.equal(ref.title, 'News')
      assert.deepEqual(ref.labels, ['all', 'news'])
      assert.deepEqual(ref.locator, { space_key: space, page_id: post, content_type: 'blogpost' })
      assert.deepEqual(ref.access.permissions[0].read.users, [isCloud ? accountId : userKey])
      assert.equal(Object.keys(ref.access.clauses).length, 2)
      assert.equal(Object.keys(pageOf(refs, openPost).access.clauses).length, 1)
      assert.equal((await documentOf(source, ref)).body, '<p>We moved.</p>')
    })

    test('are read where the search has not heard of them', async () => {
      const space = await newSpace()
      await wiki.control.holdSearch()
      const post = await newPage(space, { kind: 'blogpost', view: '<p>Just now.</p>', labels: ['new'] })
      const source = open(space, withPosts)
      const ref = pageOf((await listed(source)).refs, post)
      assert.deepEqual(ref.labels, ['new'])
      assert.equal((await documentOf(source, ref)).body, '<p>Just now.</p>')
    })

    test('are out of what is read when they are not wanted any more', async () => {
      const space = await newSpace()
      const post = await newPage(space, { kind: 'blogpost' })
      const ref = pageOf(await refsOf(space, withPosts), post)
      assert.deepEqual(await whereaboutsOf(open(space), [ref]), [null])
    })

    test('are where they are while they are wanted, and gone when they are in the trash', async () => {
      const space = await newSpace()
      const posts = [await newPage(space, { kind: 'blogpost' }), await newPage(space, { kind: 'blogpost' })]
      const refs = await refsOf(space, withPosts)
      await wiki.control.trashPage(posts[1]!)
      const source = open(space, withPosts)
      const both = posts.map((id) => pageOf(refs, id))
      assert.deepEqual(await whereaboutsOf(source, both), [space, null])
      assert.equal((await errorOf(source, both[1]!)).code, 'document_gone')
    })

    test('are read beside archived pages, though no blog post can be archived', async () => {
      const space = await newSpace()
      const [page, post] = [await newPage(space), await newPage(space, { kind: 'blogpost' })]
      await wiki.control.archivePage(page)
      const { refs, warnings, complete } = await listed(
        open(space, { ...withPosts, statuses: ['current', 'archived'] }),
      )
      assert.deepEqual(warnings, [])
      assert.ok(complete)
      assert.deepEqual(idsOf(refs).slice(1), [page, post])
    })
  })

  describe('statuses', () => {
    test('mean current pages, archived ones, or both', async () => {
      const space = await newSpace()
      const [current, archived, trashed] = [await newPage(space), await newPage(space), await newPage(space)]
      await wiki.control.archivePage(archived)
      await wiki.control.trashPage(trashed)
      assert.deepEqual(await listedIn(space), [current])
      assert.deepEqual(await listedIn(space, { statuses: ['archived'] }), [archived])
      assert.deepEqual(await listedIn(space, { statuses: ['archived', 'current'] }), [current, archived])
    })

    test('let archived pages be read with their labels and rights, and found again', async () => {
      const space = await newSpace()
      const { people } = await wiki.control.truth()
      const { accountId, userKey } = people[0]!
      const id = await newPage(space, { view: '<p>As it was.</p>', labels: ['old'] })
      await wiki.control.restrict(id, { read: { users: [accountId] } })
      await wiki.control.archivePage(id)
      const source = open(space, { statuses: ['archived'] })
      const { refs, warnings } = await listed(source)
      assert.deepEqual(warnings, [])
      const ref = pageOf(refs, id)
      assert.deepEqual(ref.labels, ['old'])
      assert.deepEqual(ref.access.permissions[0].read.users, [isCloud ? accountId : userKey])
      assert.equal((await documentOf(source, ref)).body, '<p>As it was.</p>')
      assert.deepEqual(await whereaboutsOf(source, [ref]), [space])
      assert.deepEqual(await whereaboutsOf(open(space), [ref]), [null])
    })

    test('make a page gone that was archived between listing and reading, unless archived ones are meant', async () => {
      const space = await newSpace()
      const id = await newPage(space)
      const [source, both] = [open(space), open(space, { statuses: ['current', 'archived'] })]
      const ref = pageOf((await listed(source)).refs, id)
      await wiki.control.archivePage(id)
      assert.equal((await errorOf(source, ref)).code, 'document_gone')
      assert.equal((await documentOf(both, ref)).ref, ref)
    })
  })

  describe('labels', () => {
    async function labelled() {
      const space = await newSpace()
      const all = {
        kb: await newPage(space, { labels: ['kb'] }),
        both: await newPage(space, { labels: ['draft', 'kb'] }),
        draft: await newPage(space, { labels: ['draft'] }),
        runbook: await newPage(space, { labels: ['runbook', 'x'] }),
        none: await newPage(space),
      }
      return { space, all }
    }

    test('let in pages with one of them, and keep out pages with any of the others, in whatever case', async () => {
      const { space, all } = await labelled()
      const cases: [object, string[]][] = [
        [{ include_labels: ['KB'] }, [all.kb, all.both]],
        [{ include_labels: ['kb', 'Runbook'] }, [all.kb, all.both, all.runbook]],
        [{ exclude_labels: ['DRAFT'] }, [all.kb, all.runbook, all.none]],
        [{ include_labels: ['kb'], exclude_labels: ['draft'] }, [all.kb]],
        [{ include_labels: ['k'] }, []],
      ]
      for (const [settings, expected] of cases) {
        const ids = await listedIn(space, settings)
        // The home page has no label.
        assert.deepEqual(ids, expected, JSON.stringify(settings))
      }
    })

    test('are looked at before the limit is', async () => {
      const { space, all } = await labelled()
      const kept = await newPage(space, { labels: ['kb'] })
      const settings = { include_labels: ['kb'], max_num_of_docs_from_each_space: 3 }
      const whole = await listed(open(space, settings))
      assert.deepEqual(idsOf(whole.refs), [all.kb, all.both, kept])
      assert.deepEqual(whole.warnings, [])
      assert.equal(whole.ends[0]!.upTo, undefined)
      const cut = await listed(open(space, { ...settings, max_num_of_docs_from_each_space: 2 }))
      assert.deepEqual(idsOf(cut.refs), [all.kb, all.both])
      assert.equal(cut.ends[0]!.upTo, cut.refs.at(-1)!.position)
      assert.deepEqual(
        cut.warnings.map(({ code }) => code),
        ['documents_left_out'],
      )
    })

    test('put pages out of what is read as soon as they change, whatever the search knows', async () => {
      const { space, all } = await labelled()
      const settings = { include_labels: ['kb'], exclude_labels: ['secret'] }
      const before = await refsOf(space, settings)
      await wiki.control.holdSearch()
      await wiki.control.labelPage(all.kb, ['kb', 'secret'])
      await wiki.control.labelPage(all.none, ['kb'])
      assert.deepEqual(await listedIn(space, settings), [all.both, all.none])
      const source = open(space, settings)
      const known = [all.kb, all.both].map((id) => pageOf(before, id))
      assert.deepEqual(await whereaboutsOf(source, known), [null, space])
      assert.deepEqual(await whereaboutsOf(open(space), known), [space, space])
    })

    test('go for blog posts too', async () => {
      const space = await newSpace()
      const settings = { include_blog_posts: true, include_labels: ['kb'] }
      const post = await newPage(space, { kind: 'blogpost', labels: ['kb'] })
      await newPage(space, { kind: 'blogpost' })
      assert.deepEqual(await listedIn(space, settings), [post])
    })

    test('keep out the files of pages that they keep out', async () => {
      const { space, all } = await labelled()
      const base64 = Buffer.from('a').toString('base64')
      for (const id of Object.values(all))
        await wiki.control.attach(id, { title: 'a.txt', mediaType: 'text/plain', base64 })
      const settings = { include_labels: ['kb'], extract_files: true }
      const refs = await refsOf(space, settings)
      assert.deepEqual(idsOf(refs.filter(isFile)), [all.kb, all.both])
      const files = (await refsOf(space, { extract_files: true })).filter(isFile)
      assert.deepEqual(await whereaboutsOf(open(space, settings), files), [space, space, null, null, null])
    })
  })

  describe('comments', () => {
    const talked = { include_comments: true }
    const versionOf = async (space: string, id: string) => pageOf(await refsOf(space, talked), id).version
    const bodyOf = async (space: string, id: string, more: object = talked) => {
      const source = open(space, more)
      return String((await documentOf(source, pageOf((await listed(source)).refs, id))).body)
    }
    /** The words of a body in their order, without its tags. */
    const wordsOf = (html: string) =>
      html
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()

    test('are part of their page, threads in the order they were begun, replies after what they reply to', async () => {
      const space = await newSpace()
      const { people } = await wiki.control.truth()
      const [a, b] = people.filter(({ active }) => active)
      const id = await newPage(space, { view: '<p>The river is wide.</p>' })
      const say = (body: string, more: object = {}) =>
        wiki.control.addComment(id, { body: `<p>${body}</p>`, authorId: a!.accountId, ...more })
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

    test('are not read unless they are wanted', async () => {
      const space = await newSpace()
      const id = await newPage(space, { view: '<p>Page.</p>' })
      await wiki.control.addComment(id, { body: '<p>Said.</p>' })
      await wiki.control.resetCounts()
      assert.equal(await bodyOf(space, id, {}), '<p>Page.</p>')
      assert.equal(pageOf(await refsOf(space), id).version, '1')
      const base64 = pngFile(1).toString('base64')
      await wiki.control.attach(id, { title: 'a.png', mediaType: 'image/png', base64 })
      assert.equal(await bodyOf(space, id, { extract_images: true }), '<p>Page.</p>')
      assert.ok((await wiki.control.requests()).every(({ url }) => !url.includes('comment')))
      assert.notEqual(open(space).rendition, open(space, talked).rendition)
    })

    test('that are resolved, or whose words are gone, are left out with their replies', async () => {
      const space = await newSpace()
      const id = await newPage(space, { view: '<p>one two three four</p>' })
      const states = ['open', 'resolved', 'reopened', 'dangling'] as const
      for (const [at, state] of states.entries()) {
        const selection = ['one', 'two', 'three', 'four'][at]!
        const root = await wiki.control.addComment(id, {
          body: `<p>${state} root</p>`,
          location: 'inline',
          selection,
        })
        await wiki.control.addComment(id, { body: `<p>${state} reply</p>`, parentId: root })
        await wiki.control.resolveComment(root, state)
      }
      const words = wordsOf(await bodyOf(space, id))
      assert.deepEqual(words.match(/\w+ (root|reply)/g), [
        'open root',
        'open reply',
        'reopened root',
        'reopened reply',
      ])
    })

    test('change the version of the page when one comes, changes, is resolved or goes, and only then', async () => {
      const space = await newSpace()
      const id = await newPage(space, { view: '<p>The river.</p>' })
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
      const comment = await wiki.control.addComment(id, { body: '<p>Said.</p>' })
      await changed('a new one')
      await wiki.control.editComment(comment, { body: '<p>Said otherwise.</p>' })
      await changed('an edited one')
      assert.match(await bodyOf(space, id), /Said otherwise/)
      const reply = await wiki.control.addComment(id, { body: '<p>Answer.</p>', parentId: comment })
      await changed('a reply')
      const inline = await wiki.control.addComment(id, {
        body: '<p>Where?</p>',
        location: 'inline',
        selection: 'river',
      })
      await changed('an inline one')
      await wiki.control.resolveComment(inline)
      await changed('a resolved one')
      await wiki.control.deleteComment(reply)
      await changed('a reply that is gone')
      await wiki.control.deleteComment(comment)
      await changed('one that is gone')
      assert.equal(versions.at(-1), versions[0])
      assert.doesNotMatch(await bodyOf(space, id), /Comments|Said/)
      assert.equal(await versionOf(space, other), otherVersion)
    })

    test('have the version that was listed when the page is read', async () => {
      const space = await newSpace()
      const id = await newPage(space)
      await wiki.control.addComment(id, { body: '<p>Said.</p>' })
      const source = open(space, talked)
      const ref = pageOf((await listed(source)).refs, id)
      assert.equal((await documentOf(source, ref)).version, ref.version)
    })

    test('come as soon as the search knows them', async () => {
      const space = await newSpace()
      const id = await newPage(space, { view: '<p>Page.</p>' })
      await wiki.control.holdSearch()
      await wiki.control.addComment(id, { body: '<p>Said.</p>' })
      assert.equal(await bodyOf(space, id), '<p>Page.</p>')
      const before = await versionOf(space, id)
      await wiki.control.releaseSearch()
      assert.notEqual(await versionOf(space, id), before)
      assert.match(await bodyOf(space, id), /Said/)
    })

    test('are found each with its own page, however many there are', async () => {
      const space = await newSpace()
      const ids: string[] = []
      for (let at = 0; at < 60; at++) {
        const id = await newPage(space, { view: `<p>Page ${at}.</p>` })
        ids.push(id)
        const count = at === 7 ? 120 : 2
        for (let said = 0; said < count; said++)
          await wiki.control.addComment(id, { body: `<p>say-${at}-${said}-</p>` })
      }
      const source = open(space, talked)
      const { refs } = await listed(source)
      const outcomes = await outcomesOf(
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

    test('are those of blog posts too', async () => {
      const space = await newSpace()
      const post = await newPage(space, { kind: 'blogpost', view: '<p>News.</p>' })
      await wiki.control.addComment(post, { body: '<p>Good news.</p>' })
      assert.match(await bodyOf(space, post, { ...talked, include_blog_posts: true }), /Good news/)
    })

    test('do not bring in tags by the words that they were made on', async () => {
      const space = await newSpace()
      const id = await newPage(space, { view: '<p>x</p>' })
      const selection = '<img src="http://a.example/x.png">'
      await wiki.control.addComment(id, { body: '<p>Hm.</p>', location: 'inline', selection })
      assert.ok((await bodyOf(space, id)).includes('“&lt;img src='))
    })
  })

  describe('cql', () => {
    test('lets in what the search finds, in the space that is read', async () => {
      const space = await newSpace()
      const other = await newSpace()
      await newPage(other, { labels: ['kb'] })
      const [kb, runbook] = [
        await newPage(space, { labels: ['kb'] }),
        await newPage(space, { labels: ['runbook'] }),
      ]
      const below = await newPage(space, { parentId: runbook })
      const cases: [string, string[]][] = [
        ['label = kb', [kb]],
        ['label = kb or label = runbook', [kb, runbook]],
        [`ancestor = ${runbook}`, [below]],
        ['label = nothing', []],
        [`label = kb) or (space = ${other}`, [kb]],
      ]
      for (const [cql, expected] of cases) {
        const { refs, complete, ends } = await listed(open(space, { cql }))
        assert.deepEqual(idsOf(refs), expected, cql)
        assert.ok(refs.every(({ undecided }) => undecided === undefined))
        assert.ok(complete)
        assert.equal(ends.length, 1)
      }
    })

    test('is looked at before the limit is, and together with labels', async () => {
      const space = await newSpace()
      const ids: string[] = []
      for (let at = 0; at < 6; at++)
        ids.push(await newPage(space, { labels: at % 2 ? ['odd', 'kb'] : ['kb'] }))
      const odd = ids.filter((_, at) => at % 2 === 1)
      const whole = await listed(open(space, { cql: 'label = odd', max_num_of_docs_from_each_space: 3 }))
      assert.deepEqual(idsOf(whole.refs), odd)
      assert.deepEqual(whole.warnings, [])
      const cut = await listed(open(space, { cql: 'label = odd', max_num_of_docs_from_each_space: 2 }))
      assert.deepEqual(idsOf(cut.refs), odd.slice(0, 2))
      assert.deepEqual(idsOf(await refsOf(space, { cql: 'label = kb', exclude_labels: ['odd'] })), [
        ids[0],
        ids[2],
        ids[4],
      ])
    })

    test('is asked to the end where it finds more than the wiki tells at once', async () => {
      const space = await newSpace()
      const ids: string[] = []
      for (let at = 0; at < 520; at++) ids.push(await newPage(space, { labels: at === 3 ? [] : ['kb'] }))
      const { refs } = await listed(open(space, { cql: 'label = kb' }))
      assert.deepEqual(
        idsOf(refs),
        ids.filter((_, at) => at !== 3),
      )
    })

    test('that is wrong is one clear error, which the check tells as well', async () => {
      const space = await newSpace()
      await newPage(space)
      for (const cql of ['label = ', 'nofield = 1', 'label = kb order by title', 'label = (']) {
        const source = open(space, { cql })
        const error = await listed(source).catch((error: unknown) => error)
        assert.ok(error instanceof AppError, String(error))
        assert.equal(error.code, 'source_filter_wrong', cql)
        assert.ok(error.endsJob)
        assert.ok(error.fix)
        assert.ok(!error.message.includes('Could not parse'), 'nothing of what the wiki answered')
        const report = await source.check(signal)
        assert.equal(report.ok, false)
        const failed = report.steps.filter(({ status }) => status === 'failed')
        assert.deepEqual(
          failed.map(({ name, detail, fix }) => ({ name, detail, fix })),
          [{ name: 'filter pages', detail: error.message, fix: error.fix }],
        )
        assert.equal(report.reason, `${error.message}. ${error.fix}`)
      }
    })

    test('that is right is told by the check, with what it finds', async () => {
      const space = await newSpace()
      await newPage(space, { labels: ['kb'] })
      const report = await open(space, { cql: 'label = kb' }).check(signal)
      assert.equal(report.ok, true, JSON.stringify(report))
      const step = report.steps.find(({ name }) => name === 'filter pages')
      assert.match(step?.detail ?? '', /1 page/)
    })

    test('leaves undecided what the search has not heard of, with its files', async () => {
      const space = await newSpace()
      const [kb, edited] = [
        await newPage(space, { labels: ['kb'] }),
        await newPage(space, { labels: ['kb'] }),
      ]
      const out = await newPage(space)
      await wiki.control.holdSearch()
      const fresh = await newPage(space, { labels: ['kb'] })
      await wiki.control.attach(fresh, { title: 'a.txt', mediaType: 'text/plain', base64: 'YQ==' })
      await wiki.control.editPage(edited, { view: '<p>new</p>' })
      const { refs } = await listed(open(space, { cql: 'label = kb', extract_files: true }))
      const told = refs.map((ref) => [ref.locator.page_id, isFile(ref), ref.undecided])
      assert.deepEqual(told, [
        [kb, false, undefined],
        [edited, false, true],
        [fresh, false, true],
        [fresh, true, true],
      ])
      assert.ok(!idsOf(refs).includes(out))
      await wiki.control.releaseSearch()
      const known = (await listed(open(space, { cql: 'label = kb', extract_files: true }))).refs
      assert.deepEqual(
        known.map((ref) => [ref.locator.page_id, ref.undecided]),
        [kb, edited, fresh, fresh].map((id) => [id, undefined]),
      )
    })

    test('puts out of what is read what it does not find any more, and nothing that the search has not heard of', async () => {
      const space = await newSpace()
      const labels = ['kb']
      const ids = [
        await newPage(space, { labels }),
        await newPage(space, { labels }),
        await newPage(space, { labels }),
      ]
      const settings = { cql: 'label = kb', extract_files: true }
      const files: string[] = []
      for (const id of ids)
        files.push(await wiki.control.attach(id, { title: 'a.txt', mediaType: 'text/plain', base64: 'YQ==' }))
      const refs = await refsOf(space, settings)
      assert.equal(refs.length, 6)
      await wiki.control.labelPage(ids[0]!, [])
      await wiki.control.holdSearch()
      await wiki.control.labelPage(ids[1]!, [])
      const source = open(space, settings)
      const places = await whereaboutsOf(source, refs)
      const expected = [null, 'unknown', space].flatMap((place) => [place, place])
      assert.deepEqual(places, expected)
    })
  })
}

/** The version of the page alone, without the stamp of what else is read. */
function ownVersion(version: string): string | undefined {
  return version.split('+', 1)[0]
}
