import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { accounts } from './accounts.ts'
import { cqlPath, type Reply, requestCloud } from './ask.ts'
import { startWiki, type Wiki } from './start.ts'

describe('the v1 API of the simulated Cloud site', () => {
  let wiki: Wiki
  let get: ReturnType<typeof requestCloud>
  let truth: Awaited<ReturnType<Wiki['control']['truth']>>

  before(async () => {
    wiki = await startWiki({ seed: 6, pages: 320, spaces: 5 })
    get = requestCloud(wiki.cloudUrl)
  })
  after(() => wiki.stop())
  beforeEach(async () => {
    truth = await wiki.control.truth()
  })

  const pagesOf = (key: string) =>
    truth.pages.filter((page) => page.kind === 'page' && page.status === 'current' && page.spaceKey === key)
  const ids = (reply: Reply): string[] => reply.json.results.map(({ id }: { id: string }) => id)
  const search = (cql: string, rest = '&limit=250') => get(cqlPath(cql, rest))

  test('it lowers the limit silently: 25 with exports, 50 with another body, 250 with none', async () => {
    const limits: [string, number][] = [
      ['', 250],
      ['&expand=version,space', 250],
      ['&expand=body.view', 50],
      ['&expand=body.storage,version', 50],
      ['&expand=body.export_view', 25],
      ['&expand=body.styled_view', 25],
    ]
    for (const [expand, cap] of limits) {
      const { json } = await search('type=page', `&limit=1000${expand}`)
      assert.equal(json.limit, cap, expand)
      assert.equal(json.size, cap, expand)
    }
    assert.equal((await search('type=page', '')).json.size, 25)
    assert.equal((await search('type=page', '&limit=-1')).status, 400)
  })

  test('it links to the next page relative to its base, without /wiki, until the end', async () => {
    const found: string[] = []
    let path = cqlPath('type=page and space=ENG', '&limit=30&expand=version')
    for (;;) {
      const reply = await get(path)
      found.push(...ids(reply))
      assert.equal(reply.json._links.base, wiki.cloudUrl)
      if (reply.json._links.next === undefined) break
      path = reply.json._links.next
      assert.match(path, /^\/rest\/api\/content\/search\?.*cursor=/)
    }
    assert.deepEqual(
      found,
      pagesOf('ENG').map(({ id }) => id),
    )
  })

  test('it understands the CQL that readers send', async () => {
    const [one, two] = pagesOf('ENG')
    const labelled = truth.pages.find(
      (page) => page.labels.includes('kb') && page.status === 'current' && page.spaceKey === 'HR',
    )
    assert.deepEqual(ids(await search(`id in (${one?.id},"${two?.id}")`)), [one?.id, two?.id])
    assert.deepEqual(ids(await search(`id = ${one?.id}`)), [one?.id])
    assert.equal(
      (await search("space in ('ENG', HR) AND type = page", '&limit=250')).json.size,
      Math.min(250, pagesOf('ENG').length + pagesOf('HR').length),
    )
    assert.ok(ids(await search('label = kb and space = HR')).includes(labelled?.id ?? ''))
    assert.deepEqual(ids(await search(`(id=${one?.id} or id=${two?.id}) and not id=${one?.id}`)), [two?.id])
    assert.deepEqual(ids(await search(`title = "${one?.title}" and space = ENG`)), [one?.id])
    assert.deepEqual(
      ids(await search(`id in (${one?.id},${two?.id}) order by created desc`)).sort(),
      [one?.id, two?.id].sort(),
    )
    const newest = ids(await search('type=page and space=ENG order by lastmodified desc'))
    const when = newest.map((id) => truth.pages.find((page) => page.id === id)?.modifiedAt ?? '')
    assert.deepEqual(when, when.toSorted().reverse())
    assert.equal((await search('space=NOPE')).json.size, 0)
  })

  test('it answers 400 to CQL that does not parse', async () => {
    for (const cql of [
      '',
      'type=',
      'type page',
      'nonsense=1',
      'type=page and',
      '(type=page',
      'lastmodified > yesterday',
      'type=page order by color',
      'space > ENG',
    ]) {
      const { status, json } = await search(cql)
      assert.equal(status, 400, cql)
      assert.equal(json.statusCode, 400)
      assert.equal(typeof json.message, 'string')
    }
  })

  test('it compares lastmodified by the minute, in the time zone of the caller', async () => {
    const id = await wiki.control.createPage({
      space: 'ENG',
      title: 'Timed',
      when: '2026-08-01T10:15:42.000Z',
    })
    const at = (operator: string, time: string) =>
      search(`id=${id} and lastmodified ${operator} "2026-08-01 ${time}"`)
    assert.equal((await at('>=', '10:15')).json.size, 1)
    assert.equal((await at('>', '10:15')).json.size, 0)
    assert.equal((await at('>=', '10:16')).json.size, 0)
    await wiki.control.setAccount('crawler', { timeZoneMinutes: 120 })
    assert.equal((await at('>=', '12:15')).json.size, 1)
    assert.equal((await at('>=', '12:16')).json.size, 0)
    await wiki.control.setAccount('crawler', { timeZoneMinutes: 0 })
  })

  test('it finds current content only, and archived spaces only on request', async () => {
    const archivedSpace = truth.spaces.find((space) => space.status === 'archived')
    const found = ids(await search(`space=${archivedSpace?.key} and type=page`))
    assert.equal(found.length, 0)
    const cql = encodeURIComponent(`space=${archivedSpace?.key} and type=page`)
    const withArchived = await get(`/rest/api/search?cql=${cql}&includeArchivedSpaces=true&limit=250`)
    assert.deepEqual(
      withArchived.json.results.map(({ content }: { content: { id: string } }) => content.id),
      pagesOf(archivedSpace?.key ?? '').map(({ id }) => id),
    )
    const gone = truth.pages.filter((page) => page.status !== 'current').map(({ id }) => id)
    assert.equal((await search(`id in (${gone.join(',')})`)).json.size, 0)
  })

  test('it expands requested parts and leaves the rest expandable', async () => {
    const id = truth.shapes.ownInsideAncestorGroup
    const expand =
      '&expand=body.view,version,space,ancestors,history.lastUpdated,metadata.labels,restrictions.read.restrictions.user,restrictions.read.restrictions.group,restrictions.update.restrictions.user'
    const [item] = (await search(`id=${id}`, expand)).json.results
    assert.equal(item.body.view.representation, 'view')
    assert.equal(item.space.key, 'ENG')
    assert.deepEqual(
      item.ancestors.map((each: { id: string }) => each.id),
      [truth.spaces[0]?.homepageId, truth.shapes.restrictedAncestor],
    )
    assert.equal(item.history.lastUpdated.number, item.version.number)
    assert.ok(Array.isArray(item.metadata.labels.results))
    const page = truth.pages.find((each) => each.id === id)
    const { user, group } = item.restrictions.read.restrictions
    assert.deepEqual(
      user.results.map((each: { accountId: string }) => each.accountId),
      page?.restrictions.read.users,
    )
    assert.deepEqual([user.start, user.limit, user.size], [0, 100, 1])
    assert.equal(group.size, 0)
    assert.equal(item.restrictions.update.restrictions.group, undefined)
    const bare = (await search(`id=${id}`, '')).json.results[0]
    assert.deepEqual([bare.body, bare.version, bare.restrictions], [undefined, undefined, undefined])
    assert.ok('restrictions' in bare._expandable)
  })

  test('it refuses more than eight sub-expansions in a chain', async () => {
    assert.equal((await search('type=page', '&expand=a.b.c.d.e.f.g.h.i')).status, 200)
    assert.equal((await search('type=page', '&expand=a.b.c.d.e.f.g.h.i.j')).status, 400)
  })

  test('it pages nested lists of principals with a link to the restriction endpoint', async () => {
    await wiki.control.set({ nestedLimit: 3 })
    const users = truth.people.slice(0, 8).map(({ accountId }) => accountId)
    const id = await wiki.control.createPage({ space: 'ENG', title: 'Many readers' })
    await wiki.control.restrict(id, { read: { users } })
    const [item] = (await search(`id=${id}`, '&expand=restrictions.read.restrictions.user')).json.results
    const found: string[] = []
    let list = item.restrictions.read.restrictions.user
    assert.deepEqual([list.start, list.limit, list.size], [0, 3, 3])
    for (;;) {
      found.push(...list.results.map((each: { accountId: string }) => each.accountId))
      if (list._links?.next === undefined) break
      list = (await get(list._links.next)).json.restrictions.user
    }
    assert.deepEqual(found, users)
    await wiki.control.set({ nestedLimit: 100 })
  })

  test('it fails a whole batch with 404 when the restrictions of an unreadable ancestor are expanded', async () => {
    const child = truth.shapes.ancestorOnly
    await wiki.control.setAccount('crawler', { hiddenNodes: [truth.shapes.restrictedAncestor ?? ''] })
    const batch = `id in (${truth.shapes.spaceOnly},${child})`
    assert.equal((await search(batch, '&expand=ancestors.restrictions.read.restrictions.user')).status, 404)
    assert.equal((await search(batch, '&expand=ancestors')).json.size, 2)
    await wiki.control.setAccount('crawler', { hiddenNodes: [] })
    const [item] = (await search(`id=${child}`, '&expand=ancestors.restrictions.read.restrictions.group'))
      .json.results
    assert.equal(item.ancestors[1].restrictions.read.restrictions.group.size, 1)
  })

  test('it leaves new changes out of search while the index lags', async () => {
    await wiki.control.holdSearch()
    const fresh = await wiki.control.createPage({ space: 'ENG', title: 'Fresh' })
    assert.equal((await search(`id=${fresh}`)).json.size, 0)
    assert.equal((await get(`/api/v2/pages/${fresh}`)).status, 200)
    await wiki.control.releaseSearch()
    assert.equal((await search(`id=${fresh}`)).json.size, 1)
  })

  test('it returns only direct restrictions, for both operations', async () => {
    const { json } = await get(`/rest/api/content/${truth.shapes.ancestorOnly}/restriction/byOperation`)
    for (const operation of ['read', 'update']) {
      assert.equal(json[operation].operation, operation)
      assert.deepEqual(json[operation].restrictions.user.results, [])
      assert.deepEqual(json[operation].restrictions.group.results, [])
    }
    const listed = await get(`/rest/api/content/${truth.shapes.restrictedAncestor}/restriction`)
    assert.deepEqual(
      listed.json.results.map(({ operation }: { operation: string }) => operation),
      ['read', 'update'],
    )
    const own = await get(`/rest/api/content/${truth.shapes.restrictedAncestor}/restriction/byOperation/read`)
    assert.equal(
      own.json.restrictions.group.results[0].id,
      truth.groups.find(({ name }) => name === 'engineering')?.id,
    )
    const folder = await get(
      `/rest/api/content/${truth.shapes.restrictedFolder}/restriction/byOperation/read?start=0&limit=1`,
    )
    assert.equal(folder.json.restrictions.user.size, 1)
    assert.equal((await get('/rest/api/content/1/restriction/byOperation')).status, 404)
  })

  test('it checks the permission of a person on a page', async () => {
    const id = truth.shapes.ownRestriction ?? ''
    const check = async (identifier: string) =>
      (
        await get(`/rest/api/content/${id}/permission/check`, 'crawler', {
          method: 'POST',
          body: JSON.stringify({ subject: { type: 'user', identifier }, operation: 'read' }),
        })
      ).json
    for (const person of truth.people.slice(0, 12)) {
      const { hasPermission, errors } = await check(person.accountId)
      assert.equal(hasPermission, await wiki.control.canRead(person.accountId, id))
      assert.equal(errors.length, hasPermission ? 0 : 1)
    }
  })

  test('it pages groups and members by offset, with a next link only if configured', async () => {
    const all = await get('/rest/api/group')
    assert.equal(all.json.size, truth.groups.filter((group) => !group.deleted).length)
    const first = await get('/rest/api/group?limit=4')
    assert.deepEqual([first.json.size, first.json.limit, first.json._links.next], [4, 4, undefined])
    assert.equal((await get('/rest/api/group?limit=5000')).json.limit, 200)
    await wiki.control.set({ groupNext: true })
    assert.match((await get('/rest/api/group?limit=4')).json._links.next, /^\/rest\/api\/group\?.*start=4/)
    await wiki.control.set({ groupNext: false })
    const group = truth.groups.find(({ name }) => name === 'engineering')
    assert.equal((await get(`/rest/api/group/by-id?id=${group?.id}`)).json.name, 'engineering')
    const members: string[] = []
    for (let start = 0; ; start += 2) {
      const { json } = await get(`/rest/api/group/${group?.id}/membersByGroupId?start=${start}&limit=2`)
      members.push(...json.results.map((each: { accountId: string }) => each.accountId))
      if (json.size < json.limit) break
    }
    assert.deepEqual(members, group?.members)
    const deleted = truth.groups.find((each) => each.deleted)
    assert.equal((await get(`/rest/api/group/by-id?id=${deleted?.id}`)).status, 404)
  })

  test('it finds people by account id and by search, and their groups', async () => {
    const person = truth.people.find(({ name }) => name === 'Ada Abel')
    const accountId = encodeURIComponent(person?.accountId ?? '')
    assert.equal((await get(`/rest/api/user?accountId=${accountId}`)).json.displayName, 'Ada Abel')
    assert.equal((await get('/rest/api/user?accountId=nobody')).status, 404)
    assert.equal((await get('/rest/api/user')).status, 400)
    const groups = await get(`/rest/api/user/memberof?accountId=${accountId}`)
    const expected = truth.groups.filter(
      (group) => !group.deleted && group.members.includes(person?.accountId ?? ''),
    )
    assert.deepEqual(
      ids(groups),
      expected.map(({ id }) => id),
    )
    assert.equal((await get('/rest/api/user/current')).json.email, accounts.crawler.email)
    const found = await get('/rest/api/search/user?cql=type%3Duser&sitePermissionTypeFilter=all&limit=30')
    assert.deepEqual([found.json.size, found.json.totalSize], [30, truth.people.length])
    const types = new Set(truth.people.map(({ accountType }) => accountType))
    assert.deepEqual([...types].sort(), ['app', 'atlassian', 'customer'])
  })

  test('it answers removed endpoints with 410 or 404 and a deprecation header', async () => {
    const paths = [
      '/rest/api/content',
      '/rest/api/content/1',
      '/rest/api/space',
      '/rest/api/space/ENG?expand=permissions',
      '/rest/api/content/1/child/attachment',
      '/rest/api/content/1/label',
    ]
    for (const path of paths) {
      const { status, headers } = await get(path)
      assert.equal(status, 410, path)
      assert.match(headers.get('warning') ?? '', /Deprecated API/)
    }
    await wiki.control.set({ removedV1: 'missing' })
    assert.equal((await get('/rest/api/space')).status, 404)
    await wiki.control.set({ removedV1: 'gone' })
  })
})
