import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { requestsWithoutChecks } from '../../../test/world/checks.ts'
import { onBothSites, type Site } from '../../../test/world/sites.ts'
import { wrongReaders, wrongWriters } from '../../../test/world/wiki-readers.ts'
import { anySpace, listAll, pageOf, readAll } from '../../../test/world/wiki-source.ts'

/** Behaviour that Cloud and Data Center share; each folder tests its own. */

const { signal } = new AbortController()
type Version = { name: string; settings: { dcVersion?: string } }

/** Data Center versions need different requests. */
function versionsOf({ isCloud }: Site, ...versions: string[]): Version[] {
  if (isCloud) return [{ name: 'the wiki', settings: {} }]
  return versions.map((dcVersion) => ({ name: `version ${dcVersion}`, settings: { dcVersion } }))
}

const large = { wiki: { seed: 7, spaces: 10, pages: 1500, people: 40, groups: 10 } }
onBothSites('a wiki of 1,500 pages', large, (site) => {
  const { deployment, isCloud, open } = site
  afterEach(() => site.control.set({ dcOrder: 'id' }))

  for (const { name, settings } of versionsOf(site, '7.13.0', '8.5.4', '9.2.1', '10.1.0')) {
    test(`is listed completely and read with at most 0.1 requests a page by ${name}`, async (context) => {
      await site.control.set(settings)
      const source = open()
      await site.control.resetCounts()
      const { refs, ends, complete } = await listAll(source)
      const { documents, errors } = await readAll(source, refs)
      const requests = await requestsWithoutChecks(site)
      assert.ok(complete)
      assert.equal(errors.size, 0)
      assert.equal(documents.size, refs.length)
      context.diagnostic(`${requests} requests for ${refs.length} pages`)
      assert.ok(requests / refs.length <= 0.1, `${requests} requests for ${refs.length} pages`)

      const { pages, spaces, people } = await site.control.truth()
      const current = new Set(spaces.filter(({ status }) => status === 'current').map(({ id }) => id))
      const expected = pages.filter(
        (page) => page.kind === 'page' && page.status === 'current' && current.has(page.spaceId),
      )
      assert.deepEqual(new Set(refs.map((ref) => ref.locator.page_id)), new Set(expected.map(({ id }) => id)))
      assert.equal(ends.length, current.size)
      for (const { scope } of ends) {
        const positions = refs.filter((ref) => ref.scope === scope).map((ref) => ref.position)
        assert.deepEqual(positions, positions.toSorted())
      }
      const authors = new Map(people.map((person) => [person.accountId, deployment.idOf(person)]))
      for (const page of expected) {
        const ref = pageOf(refs, page.id)
        assert.equal(ref.title, page.title)
        assert.equal(ref.version, String(page.version))
        assert.deepEqual(ref.labels, page.labels.toSorted())
        assert.equal(ref.author, authors.get(page.authorId))
        if (!isCloud)
          assert.equal(ref.url, `${site.wiki.dataCenterUrl}/pages/viewpage.action?pageId=${page.id}`)
      }
    })

    test(`grants each page to exactly the people ${name} allows`, async () => {
      await site.control.set(settings)
      const source = open()
      const { refs, warnings } = await listAll(source)
      assert.deepEqual((await wrongReaders(site, source, refs)).slice(0, 10), [])
      assert.deepEqual(warnings, [])
      assert.ok(refs.some((ref) => Object.keys(ref.access.clauses).length > 1))
      if (isCloud) return
      // A group exempt from restrictions.
      const group = 'confluence-administrators'
      for (const { access } of refs) {
        assert.ok(access.permissions[0].read.groups.includes(group))
        for (const list of Object.values(access.clauses))
          assert.ok(list.includes(`group:${deployment.recordsOf(site.wiki)}/${group}`))
      }
    })
  }

  test('offers its spaces with their pages, also if they cannot be counted', async () => {
    const { pages, spaces } = await site.control.truth()
    const counted = (await open().scopes(signal)).map(({ key, documents }) => [key, documents])
    const current = pages.filter(({ kind, status }) => kind === 'page' && status === 'current')
    const expected = spaces
      .filter(({ status }) => status === 'current')
      .map(({ id, key }) => [key, current.filter(({ spaceId }) => spaceId === id).length])
    assert.deepEqual(new Map(counted as [string, number][]), new Map(expected as [string, number][]))

    for (const [status, body] of [
      [403, {}],
      [200, { results: [], totalSize: 'many' }],
      [500, {}],
    ] as const) {
      await site.control.fail({ path: '/rest/api/search', status, body, times: null })
      const found = await open().scopes(signal)
      await site.control.clearFaults()
      assert.equal(found.length, counted.length)
      assert.ok(found.every(({ documents }) => documents === null))
    }
  })

  for (const { name, settings } of versionsOf(site, '7.13.0', '9.2.1'))
    test(`is cut exactly at its limits in ${name}, in any listing order`, async () => {
      await site.control.set({ ...settings, dcOrder: 'title' })
      const limits = { max_num_of_spaces: 2, max_num_of_docs_from_each_space: 7 }
      const { refs, warnings, ends, complete } = await listAll(open(undefined, limits))
      assert.ok(complete)
      assert.equal(ends.length, 2)
      const hasWarning = (wanted: string, words: string) =>
        assert.ok(warnings.some(({ code, message }) => code === wanted && message.includes(words)))
      hasWarning('spaces_left_out', 'max_num_of_spaces is 2')
      const { pages } = await site.control.truth()
      for (const { scope, upTo } of ends) {
        const ids = pages
          .filter((page) => page.spaceKey === scope && page.kind === 'page' && page.status === 'current')
          .map((page) => Number(page.id))
          .sort((a, b) => a - b)
        const inScope = refs.filter((ref) => ref.scope === scope)
        assert.deepEqual(
          inScope.map((ref) => Number(ref.locator.page_id)),
          ids.slice(0, 7),
        )
        assert.equal(upTo, inScope.at(-1)!.position)
        hasWarning('documents_left_out', scope)
      }
    })
})

onBothSites('a small wiki', { wiki: { seed: 3, spaces: 4, pages: 120, people: 12, groups: 5 } }, (site) => {
  const { deployment, isCloud, open } = site

  for (const { name, settings } of versionsOf(site, '7.13.0', '9.2.1'))
    test(`agrees with ${name} on who may update and delete`, async () => {
      await site.control.set(settings)
      const source = open()
      const { refs } = await listAll(source)
      assert.deepEqual((await wrongWriters(site, source, refs)).slice(0, 10), [])
    })

  test('reads restriction lists that are longer than one answer to their end', async () => {
    const key = await anySpace(site.wiki)
    const { people, groups } = await site.control.truth()
    const users = people.filter((person) => person.active).map(({ accountId }) => accountId)
    const named = groups.filter((group) => !group.deleted).map((group) => group.id)
    const id = await site.control.createPage({ space: key, title: 'long list' })
    await site.control.restrict(id, { read: { users, groups: named }, update: { users } })
    const { nestedLimit } = await site.control.set({})
    await site.control.set({ nestedLimit: 2 })
    try {
      const { refs } = await listAll(open(key))
      const own = Object.values(pageOf(refs, id).access.clauses).at(-1)!
      assert.equal(own.filter((token) => token.startsWith('user:')).length, users.length)
      assert.equal(own.filter((token) => token.startsWith('group:')).length, named.length)
    } finally {
      await site.control.set({ nestedLimit })
      await site.control.deletePage(id)
    }
  })

  test('counts the restriction of an ancestor that the limit left out', async () => {
    const key = await anySpace(site.wiki)
    const { people } = await site.control.truth()
    const only = people.find((person) => person.accountType === 'atlassian' && person.active)!.accountId
    const limits = { max_num_of_docs_from_each_space: 3 }
    for (const { name, settings } of versionsOf(site, '7.13.0', '9.2.1')) {
      await site.control.set(settings)
      const child = (await listAll(open(key, limits))).refs.at(-1)!
      const title = `late and closed ${deployment.name} ${name}`
      const parent = await site.control.createPage({ space: key, title })
      await site.control.restrict(parent, { read: { users: [only] } })
      await site.control.movePage(child.locator.page_id!, parent)
      const source = open(key, limits)
      const { refs } = await listAll(source)
      assert.ok(!refs.some((ref) => ref.locator.page_id === parent))
      const moved = pageOf(refs, child.locator.page_id!)
      assert.ok(moved.ancestors.some(({ id }) => id === parent))
      assert.deepEqual(await wrongReaders(site, source, refs), [])
    }
  })

  test('locates known pages, and reports which are gone', async () => {
    const source = open()
    const key = await anySpace(site.wiki)
    const [kept, trashed, archived, deleted] = [
      await site.newPage(key),
      await site.newPage(key),
      await site.newPage(key),
      await site.newPage(key),
    ]
    await site.control.trashPage(trashed)
    await site.control.archivePage(archived)
    await site.control.deletePage(deleted)
    const ours = deployment.recordsOf(site.wiki)
    const known = (id: string, at = ours) => ({
      recordId: `${at}/${id}`,
      locator: { space_key: key, page_id: id },
    })
    const asked = [kept, trashed, archived, deleted].map((id) => known(id))
    const places = await source.locate([...asked, known('1', 'other.example')], signal)
    const gone = [trashed, archived, deleted].map((id): [string, null] => [`${ours}/${id}`, null])
    const there = { scope: key, position: kept.padStart(20, '0') }
    assert.deepEqual(places, new Map<string, unknown>([[`${ours}/${kept}`, there], ...gone]))

    const { spaces } = await site.control.truth()
    const elsewhere = spaces.find((space) => space.key !== key && space.status === 'current')!.key
    const moved = await open(elsewhere).locate([known(kept)], signal)
    assert.deepEqual(moved, new Map([[`${ours}/${kept}`, null]]))
    await site.control.deletePage(kept)
  })

  for (const status of [400, 500, 503])
    test(`keeps named grants if a visitor gets ${status}, and reports what is unproved`, async () => {
      const key = `VISIT${status}`
      const operation = { key: 'read', targetType: 'space' }
      const [person] = (await site.control.truth()).people
      await site.control.addSpace({
        key,
        name: key,
        permissions: [
          { principal: { type: 'access-class', id: 'anonymous-users' }, operation },
          { principal: { type: 'user', id: person!.accountId }, operation },
        ],
      })
      const { spaces } = await site.control.truth()
      const path = isCloud
        ? `/api/v2/spaces/${spaces.find((space) => space.key === key)!.id}$`
        : `/rest/api/space/${key}$`
      await site.control.fail({ path, status, times: null })
      const { refs, warnings, complete } = await listAll(open(key)).finally(() => site.control.clearFaults())
      assert.ok(complete && refs.length > 0)
      const groups = isCloud ? [] : ['confluence-administrators']
      for (const { access } of refs)
        assert.deepEqual(access.permissions[0].read, { users: [deployment.idOf(person!)], groups })
      assert.deepEqual(
        warnings.map(({ code }) => code),
        ['permissions_unproved'],
      )
      assert.match(warnings[0]!.message, /could not check whether visitors may read/)
    })

  test('finds pages, restrictions and bodies that the search does not know yet', async () => {
    const key = await anySpace(site.wiki)
    const { people } = await site.control.truth()
    await site.control.holdSearch()
    const id = await site.newPage(key, { body: '<p>fresh</p>', labels: ['new'] })
    await site.control.restrict(id, { read: { users: [people[0]!.accountId] } })
    const source = open(key)
    const ref = pageOf((await listAll(source)).refs, id)
    assert.deepEqual(ref.labels, ['new'])
    assert.equal(Object.keys(ref.access.clauses).length, 2)
    assert.match((await readAll(source, [ref])).documents.get(id)!, /fresh/)
  })

  test('fails a huge page alone and reads the others of its batch', async () => {
    const key = await anySpace(site.wiki)
    const big = await site.newPage(key)
    await site.control.setBigBody(big, 30 * 1024 * 1024)
    const source = open(key)
    const { refs } = await listAll(source)
    const { documents, errors } = await readAll(source, refs)
    assert.equal(errors.get(big)?.code, 'document_too_large')
    assert.equal(errors.size, 1)
    assert.equal(documents.size, refs.length - 1)
    await site.control.deletePage(big)
    assert.equal((await readAll(source, [pageOf(refs, big)])).errors.get(big)?.code, 'document_gone')
  })
})
