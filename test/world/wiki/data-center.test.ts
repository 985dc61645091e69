import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { accounts } from './accounts.ts'
import { basic, cqlPath, fetchReply, type Reply, requestDataCenter } from './ask.ts'
import { startWiki, type Wiki } from './start.ts'

describe('the simulated Data Center', () => {
  let wiki: Wiki
  let get: ReturnType<typeof requestDataCenter>
  let truth: Awaited<ReturnType<Wiki['control']['truth']>>

  before(async () => {
    wiki = await startWiki({ seed: 9, pages: 320, spaces: 5 })
    get = requestDataCenter(wiki.dataCenterUrl)
    truth = await wiki.control.truth()
  })
  after(() => wiki.stop())
  afterEach(() =>
    wiki.control.set({
      dcVersion: '9.2.1',
      dcLoginPage: false,
      dcCaptcha: false,
      dcJsonRpc: 'on',
      dcPhantomNext: false,
      dcNextWithContext: false,
    }),
  )

  const pages = () => truth.pages.filter((page) => page.kind === 'page' && page.status === 'current')
  const live = () =>
    pages().filter((page) => truth.spaces.find(({ id }) => id === page.spaceId)?.status === 'current')
  const ids = (reply: Reply): string[] => reply.json.results.map(({ id }: { id: string }) => id)

  test('it has a context path and no v2', async () => {
    assert.match(wiki.dataCenterUrl, /\/confluence$/)
    assert.equal((await get('/rest/api/user/current')).json.username, 'crawler')
    assert.equal((await get('/api/v2/spaces')).status, 404)
    const stripped = await fetchReply(wiki.dataCenterUrl.replace('/confluence', '/rest/api/space'))
    assert.deepEqual([stripped.status, stripped.json], [404, undefined])
  })

  test('it returns earlier versions with status historical, and counts what a search finds', async () => {
    const id = await wiki.control.createPage({ space: 'ENG', title: 'First', body: '<p>one</p>' })
    const page = { id, version: 1 }
    await wiki.control.editPage(page.id, { body: '<p>two</p>' })
    const at = (query: string) => get(`/rest/api/content/${page.id}?${query}&expand=body.storage,version`)
    const old = await at(`status=historical&version=${page.version}`)
    assert.deepEqual([old.json.status, old.json.version.number], ['historical', page.version])
    assert.equal(old.json.body.storage.value, '<p>one</p>')
    for (const query of [
      'status=historical',
      'status=historical&version=99',
      `status=historical&version=${page.version + 1}`,
    ])
      assert.equal((await at(query)).status, 404, query)
    await wiki.control.deletePage(id)
    const { json } = await get(
      `/rest/api/search?cql=${encodeURIComponent('type = page and space = "ENG"')}&limit=0`,
    )
    const expected = live().filter(({ spaceKey }) => spaceKey === 'ENG').length
    assert.deepEqual([json.totalSize, json.results], [expected, []])
  })

  test('it accepts a token since 7.9 or a password, and answers 401 or a captcha otherwise', async () => {
    const { username, password, email, apiToken } = accounts.crawler
    const url = `${wiki.dataCenterUrl}/rest/api/user/current`
    assert.equal((await fetchReply(url, { headers: basic(username, password) })).status, 200)
    for (const headers of [
      {},
      basic(username, 'wrong'),
      basic(email, apiToken),
      { authorization: 'Bearer wrong' },
    ]) {
      const reply = await fetchReply(url, { headers })
      assert.deepEqual([reply.status, reply.json.statusCode], [401, 401])
      assert.match(reply.headers.get('www-authenticate') ?? '', /^OAuth realm=/)
    }
    await wiki.control.set({ dcVersion: '7.8.3' })
    assert.equal((await get('/rest/api/user/current')).status, 401)
    await wiki.control.set({ dcVersion: '9.2.1', dcCaptcha: true })
    const denied = await fetchReply(url, { headers: basic(username, password) })
    assert.equal(denied.status, 403)
    assert.match(denied.headers.get('x-authentication-denied-reason') ?? '', /^CAPTCHA_CHALLENGE/)
  })

  test('it can answer with a sign-in page and 200', async () => {
    await wiki.control.set({ dcLoginPage: true })
    const reply = await get('/rest/api/space')
    assert.equal(reply.status, 200)
    assert.match(reply.headers.get('content-type') ?? '', /^text\/html/)
  })

  test('it returns its version in JSON and in the manifest', async () => {
    const { json } = await get('/rest/api/server-information')
    assert.deepEqual([json.version, json.baseUrl], ['9.2.1', wiki.dataCenterUrl])
    assert.match((await get('/rest/applinks/1.0/manifest')).text, /<version>9\.2\.1</)
  })

  test('it caps search at 50 with a body, 200 with other expansions, 1000 with none', async () => {
    const caps: [string, number][] = [
      ['&expand=body.storage', 50],
      ['&expand=version', 200],
      ['', 1000],
    ]
    for (const [expand, cap] of caps) {
      const { json } = await get(cqlPath('type=page', `&limit=5000${expand}`))
      assert.deepEqual([json.limit, json.size], [cap, Math.min(cap, live().length)])
    }
    for (const cql of ['type=', '']) assert.equal((await get(cqlPath(cql))).status, 404, cql)
    assert.equal((await get('/rest/api/search?cql=type%3D')).status, 400)
  })

  test('it repeats one result after a lowered limit, and reaches every page', async () => {
    const first = await get(cqlPath('type=page', '&limit=100&expand=body.view'))
    assert.equal(new URLSearchParams(first.json._links.next.split('?')[1]).get('start'), '49')
    const seen: string[] = []
    for (let reply = first; ; reply = await get(reply.json._links.next)) {
      seen.push(...ids(reply))
      if (reply.json._links.next === undefined) break
    }
    assert.ok(seen.length > live().length)
    assert.deepEqual(
      [...new Set(seen)],
      live().map(({ id }) => id),
    )
  })

  test('it writes the next link with or without the context path, and can link to an empty page', async () => {
    const next = async () => (await get('/rest/api/content?type=page&limit=5')).json._links.next
    assert.match(await next(), /^\/rest\/api\/content\?/)
    await wiki.control.set({ dcNextWithContext: true, dcPhantomNext: true })
    assert.match(await next(), /^\/confluence\/rest\/api\/content\?/)
    const last = await get('/rest/api/space?limit=100')
    const beyond = await fetchReply(new URL(last.json._links.next, wiki.dataCenterUrl).href, {
      headers: { authorization: `Bearer ${accounts.crawler.pat}` },
    })
    assert.deepEqual([beyond.json.size, beyond.json._links.next], [0, undefined])
  })

  test('it lists content by space and status', async () => {
    const eng = await get('/rest/api/content?type=page&spaceKey=ENG&limit=1000')
    assert.deepEqual(
      ids(eng),
      pages()
        .filter((page) => page.spaceKey === 'ENG')
        .map(({ id }) => id),
    )
    const trashed = truth.pages.filter((page) => page.status === 'trashed').map(({ id }) => id)
    assert.deepEqual(ids(await get('/rest/api/content?type=page&status=trashed&limit=1000')), trashed)
    assert.equal((await get('/rest/api/content?spaceKey=NOPE')).status, 404)
    assert.equal((await get(`/rest/api/content/${trashed[0]}`)).status, 404)
    assert.equal((await get(`/rest/api/content/${trashed[0]}?status=trashed`)).json.status, 'trashed')
  })

  test('it scans by cursor since 7.18', async () => {
    const seen: string[] = []
    let path = '/rest/api/content/scan?type=page&limit=90&expand=version'
    for (;;) {
      const reply = await get(path)
      seen.push(...ids(reply))
      if (reply.json._links.next === undefined) break
      assert.equal(typeof reply.json.nextCursor, 'string')
      path = reply.json._links.next
    }
    assert.deepEqual(
      seen,
      pages().map(({ id }) => id),
    )
    await wiki.control.set({ dcVersion: '7.17.5' })
    assert.equal((await get('/rest/api/content/scan?type=page')).status, 404)
  })

  test('it omits folders from ancestors and permissions', async () => {
    const id = truth.shapes.underFolder ?? ''
    const { json } = await get(`/rest/api/content/${id}?expand=ancestors,space`)
    assert.deepEqual(
      json.ancestors.map((each: { id: string }) => each.id),
      [truth.spaces[0]?.homepageId],
    )
    assert.equal((await get(`/rest/api/content/${truth.shapes.restrictedFolder}`)).status, 404)
    const reader = truth.people.find(({ username }) => username === 'member')?.accountId ?? ''
    assert.equal(await wiki.control.canRead(reader, id, 'cloud'), false)
    assert.equal(await wiki.control.canRead(reader, id, 'dataCenter'), true)
  })

  test('it lets the super-group read everything', async () => {
    const admin = truth.people.find(({ username }) => username === 'admin')?.accountId ?? ''
    assert.equal(await wiki.control.canRead(admin, truth.shapes.appOnly ?? '', 'dataCenter'), true)
    assert.equal(await wiki.control.canRead(admin, truth.shapes.appOnly ?? '', 'cloud'), false)
    assert.equal(await wiki.control.canUpdate(admin, truth.shapes.appOnly ?? '', 'dataCenter'), false)
    assert.equal((await get(`/rest/api/content/${truth.shapes.appOnly}`, 'admin')).status, 200)
    assert.equal((await get(`/rest/api/content/${truth.shapes.appOnly}`, 'member')).status, 404)
  })

  test('it returns expanded restrictions by user key and group name', async () => {
    const id = truth.shapes.ownRestriction
    const bare = await get(`/rest/api/content/${id}/restriction/byOperation/read`)
    assert.equal(bare.json.restrictions, undefined)
    const { json } = await get(
      `/rest/api/content/${id}/restriction/byOperation/read?expand=restrictions.user,restrictions.group&start=1&limit=1`,
    )
    const second = truth.people.find(
      ({ accountId }) => accountId === truth.pages.find((page) => page.id === id)?.restrictions.read.users[1],
    )
    const [user] = json.restrictions.user.results
    assert.deepEqual(
      [user.userKey, user.username, user.accountId],
      [second?.userKey, second?.username, undefined],
    )
    const both = await get(
      `/rest/api/content/${truth.shapes.restrictedAncestor}/restriction/byOperation?expand=read.restrictions.group,update.restrictions.user`,
    )
    assert.deepEqual(both.json.read.restrictions.group.results, [{ type: 'group', name: 'engineering' }])
    assert.deepEqual(both.json.update.restrictions.user.results, [])
    assert.equal((await get(`/rest/api/content/${id}/restriction/byOperation`, 'powerless')).status, 403)
  })

  test('it returns every read restriction on the path of a page since 9.0', async () => {
    const { control } = wiki
    const [ada, bob] = truth.people.filter(({ active }) => active)
    const group = truth.groups.find(({ name }) => name === 'engineering')?.id ?? ''
    const top = await control.createPage({ space: 'ENG', title: 'Top', body: '<p>t</p>' })
    const open = await control.createPage({ space: 'ENG', title: 'Open', body: '<p>o</p>', parentId: top })
    const leaf = await control.createPage({ space: 'ENG', title: 'Leaf', body: '<p>l</p>', parentId: open })
    await control.restrict(top, { read: { users: [], groups: [group] } })
    await control.restrict(leaf, {
      read: { users: [ada?.accountId ?? '', bob?.accountId ?? ''], groups: [] },
    })

    const path = `/rest/api/content/${leaf}/restriction/relevantViewRestrictions`
    const { results, size } = (await get(path)).json.viewContentRestrictions
    assert.equal(size, 2)
    assert.deepEqual(
      results.map((each: { _expandable: { content: string } }) => each._expandable.content),
      [`/rest/api/content/${top}`, `/rest/api/content/${leaf}`],
    )
    assert.deepEqual(results[0].restrictions.group.results, [{ type: 'group', name: 'engineering' }])
    assert.equal(results[1].restrictions.user.results[0].userKey, ada?.userKey)
    assert.equal((await get(path, 'powerless')).status, 403)

    const chain = 'relevantViewRestrictions.viewContentRestrictions.restrictions'
    const lists = `${chain}.user,${chain}.group`
    const scanned = await get(`/rest/api/content/scan?type=page&spaceKey=ENG&limit=1000&expand=${lists}`)
    const found = await get(cqlPath(`id = ${leaf}`, `&expand=${lists}`))
    const read = await get(`/rest/api/content/${leaf}?expand=${lists}`)
    for (const item of [
      scanned.json.results.find(({ id }: { id: string }) => id === leaf),
      found.json.results[0],
      read.json,
    ])
      assert.deepEqual(item.relevantViewRestrictions.viewContentRestrictions.results, results)
    const bare = await get(`/rest/api/content/${leaf}?expand=relevantViewRestrictions`)
    assert.equal(
      bare.json.relevantViewRestrictions.viewContentRestrictions.results[1].restrictions,
      undefined,
    )

    const { nestedLimit } = await control.set({})
    await control.set({ nestedLimit: 1 })
    const cut = (await get(path)).json.viewContentRestrictions.results[1].restrictions.user
    await control.set({ nestedLimit })
    assert.deepEqual([cut.size, cut.limit], [1, 1])
    assert.match(cut._links.next, new RegExp(`/content/${leaf}/restriction/byOperation/read\\?.*start=1`))

    const hidden = await get(`/rest/api/content/${leaf}?expand=${lists}`, 'powerless')
    assert.equal(hidden.json.relevantViewRestrictions, undefined)
    await control.set({ dcVersion: '8.5.4' })
    assert.equal((await get(path)).status, 404)
    const older = (await get(`/rest/api/content/${leaf}?expand=${lists}`)).json
    assert.deepEqual(
      [older.relevantViewRestrictions, older._expandable.relevantViewRestrictions],
      [undefined, undefined],
    )
    for (const id of [leaf, open, top]) await control.deletePage(id)
  })

  test('it lists space permissions flat since 9.1, with 500 for other callers', async () => {
    const { json } = await get('/rest/api/space/ENG/permissions')
    const read = json.filter(
      (row: { operation: { operationKey: string } }) => row.operation.operationKey === 'read',
    )
    assert.ok(
      read.some(
        (row: { subject: { type: string; name: string } }) => row.subject.name === 'confluence-users',
      ),
    )
    const user = json.find((row: { subject: { type: string } }) => row.subject.type === 'user')
    assert.deepEqual(Object.keys(user.subject), ['type', 'userKey'])
    assert.equal(
      (await get(`/rest/api/space/ENG/permissions/user/${user.subject.userKey}`)).json[0].subject.userKey,
      user.subject.userKey,
    )
    assert.deepEqual((await get('/rest/api/space/ENG/permissions/anonymous')).json, [])
    assert.equal((await get('/rest/api/space/ENG/permissions', 'member')).status, 500)
    assert.equal((await get('/rest/api/space?expand=permissions')).status, 500)
    await wiki.control.set({ dcVersion: '8.5.4' })
    assert.equal((await get('/rest/api/space/ENG/permissions')).status, 404)
  })

  test('it returns them by JSON-RPC, unless that is disabled or needs WebSudo', async () => {
    const call = (key: string) =>
      get('/rpc/json-rpc/confluenceservice-v2', 'crawler', {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'getSpacePermissionSets', params: [key] }),
      })
    const { json } = await call('ENG')
    assert.deepEqual([json.jsonrpc, json.id, json.result[0].type], ['2.0', 7, 'VIEWSPACE'])
    assert.ok(
      json.result[0].spacePermissions.some(
        (row: { userName: null; groupName: string }) =>
          row.groupName === 'confluence-users' && row.userName === null,
      ),
    )
    await wiki.control.setSpacePermissions('HR', [
      {
        principal: { type: 'access-class', id: 'anonymous-users' },
        operation: { key: 'read', targetType: 'space' },
      },
    ])
    assert.deepEqual((await call('HR')).json.result[0].spacePermissions, [
      { type: 'VIEWSPACE', userName: null, groupName: null },
    ])
    assert.ok((await call('NOPE')).json.error)
    await wiki.control.set({ dcJsonRpc: 'off' })
    assert.equal((await call('ENG')).status, 401)
    await wiki.control.set({ dcJsonRpc: 'websudo' })
    const page = await call('ENG')
    assert.deepEqual([page.status, page.json], [200, undefined])
  })

  test('it finds people by key and name, groups by name, and lists everyone since 10.1', async () => {
    const person = truth.people.find(({ name }) => name === 'Ada Abel')
    assert.equal((await get(`/rest/api/user?key=${person?.userKey}`)).json.username, person?.username)
    assert.equal((await get(`/rest/api/user?username=${person?.username}`)).json.userKey, person?.userKey)
    assert.equal((await get('/rest/api/user')).status, 400)
    const groups = await get(`/rest/api/user/memberof?key=${person?.userKey}`)
    assert.ok(groups.json.results.some(({ name }: { name: string }) => name === 'confluence-users'))
    const group = truth.groups.find(({ name }) => name === 'engineering')
    assert.equal((await get('/rest/api/group/engineering/member')).json.size, group?.members.length)
    for (const as of ['powerless', 'member'] as const) {
      const refused = await get('/rest/api/group/engineering/member', as)
      assert.deepEqual([refused.status, refused.headers.get('x-seraph-loginreason')], [401, 'OK'], as)
    }
    await wiki.control.set({ dcVersion: '8.4.0' })
    assert.equal((await get('/rest/api/group/engineering/member', 'member')).status, 200)
    assert.equal((await get('/rest/api/group/engineering/member', 'powerless')).status, 403)
    await wiki.control.set({ dcVersion: '9.2.1' })
    await wiki.control.addGroup({ id: 'slash', name: 'team/a' })
    assert.equal((await get('/rest/api/group/team%2Fa/member')).status, 404)
    const before = (await get('/rest/api/user/list')).json.size
    await wiki.control.set({ dcVersion: '10.2.0' })
    assert.ok((await get('/rest/api/user/list')).json.size > before)
  })

  test('it serves attachments at their download link', async () => {
    const file = truth.attachments.find(({ broken }) => broken === 'no')
    const listed = await get(`/rest/api/content/${file?.pageId}/child/attachment`)
    const link = listed.json.results.find(({ id }: { id: string }) => id === file?.id)._links.download
    const reply = await fetch(`${wiki.dataCenterUrl}${link}`, {
      headers: { authorization: `Bearer ${accounts.crawler.pat}` },
    })
    assert.equal((await reply.arrayBuffer()).byteLength, file?.size)
    const page = await get(`/rest/api/content/${file?.pageId}?expand=body.view`)
    assert.ok(!page.json.body.view.value.includes('"/wiki/'))
  })

  test('it limits the rate with a token bucket and reports it in headers', async () => {
    await wiki.control.set({ rateLimit: { capacity: 3, perSecond: 0.5 } })
    const replies = [
      await get('/rest/api/space'),
      await get('/rest/api/space'),
      await get('/rest/api/space'),
      await get('/rest/api/space'),
    ]
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 429],
    )
    const headers = replies[3]?.headers
    assert.ok(Number(headers?.get('retry-after')) >= 1)
    assert.deepEqual(
      ['limit', 'remaining', 'fillrate', 'interval-seconds'].map((name) =>
        headers?.get(`x-ratelimit-${name}`),
      ),
      ['3', '0', '0.5', '1'],
    )
    await wiki.control.set({ rateLimit: null })
  })
})
