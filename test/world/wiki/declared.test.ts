import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { accounts } from './accounts.ts'
import { basic, cqlPath, fetchReply, requestCloud, requestDataCenter } from './ask.ts'
import { startWiki, type Wiki } from './start.ts'

describe('requests that the documents of the vendor do not declare', () => {
  let wiki: Wiki
  let cloud: ReturnType<typeof requestCloud>
  let dc: ReturnType<typeof requestDataCenter>
  let page: string

  before(async () => {
    wiki = await startWiki({ seed: 3, pages: 40, comments: true, settings: { undeclared: 'refused' } })
    cloud = requestCloud(wiki.cloudUrl)
    dc = requestDataCenter(wiki.dataCenterUrl)
    page = (await wiki.control.truth()).spaces[0]?.homepageId ?? ''
  })
  after(() => wiki.stop())
  afterEach(() => wiki.control.resetCounts())

  /** Paths after the base, with the parameter that is wrong. */
  const refusedByCloud = (): [string, string][] => [
    [cqlPath('type=page', '&includeArchivedSpaces=true'), 'includeArchivedSpaces'],
    [cqlPath('type=page', '&start=25'), 'start'],
    ['/rest/api/content/search?limit=5', 'cql'],
    [`/rest/api/content/${page}/restriction/byOperation?expand=read.restrictions.user`, 'expand'],
    [`/rest/api/content/${page}/restriction/byOperation?start=100`, 'start'],
    ['/rest/api/search/user?cql=type%3Duser&sitePermissionTypeFilter=guests', 'sitePermissionTypeFilter'],
    ['/rest/api/group/g/membersByGroupId?limit=201', 'limit'],
    ['/rest/api/user?accountId=a&accountId=b', 'accountId'],
    ['/api/v2/pages?status=current,archived', 'status'],
    ['/api/v2/pages?status=lost', 'status'],
    ['/api/v2/pages?limit=251', 'limit'],
    ['/api/v2/pages?limit=0', 'limit'],
    ['/api/v2/pages?body-format=view', 'body-format'],
    ['/api/v2/pages?space-key=ENG', 'space-key'],
    ['/api/v2/blogposts?sort=title', 'sort'],
    ['/api/v2/attachments?sort=id', 'sort'],
    [`/api/v2/pages/${page}?include-labels=yes`, 'include-labels'],
    [`/api/v2/pages/${page}/ancestors?cursor=x`, 'cursor'],
    [`/api/v2/pages/${page}/inline-comments?resolution-status=open,resolved`, 'resolution-status'],
  ]
  const refusedByDataCenter = (): [string, string][] => [
    [cqlPath('type=page', '&includeArchivedSpaces=true'), 'includeArchivedSpaces'],
    ['/rest/api/content/scan?status=current,archived', 'status'],
    ['/rest/api/content/scan?start=25', 'start'],
    ['/rest/api/content/scan?type=attachment', 'type'],
    ['/rest/api/content?ids=1,2', 'ids'],
    [`/rest/api/content/${page}/child/comment?location=everywhere`, 'location'],
    [`/rest/api/content/${page}/child/comment?depth=root`, 'depth'],
    [`/rest/api/content/${page}/restriction/relevantViewRestrictions?limit=51`, 'limit'],
    ['/rest/api/space?status=trashed', 'status'],
    ['/rest/api/user?accountId=a', 'accountId'],
  ]

  test('it answers 400 on Cloud and records the parameter', async () => {
    for (const [path, parameter] of refusedByCloud()) {
      assert.equal((await cloud(path)).status, 400, path)
      const refusals = await wiki.control.refusals()
      assert.ok(
        refusals.some((each) => each.site === 'cloud' && each.parameter === parameter),
        path,
      )
      await wiki.control.resetCounts()
    }
  })

  test('it answers 400 on Data Center and records the parameter', async () => {
    for (const [path, parameter] of refusedByDataCenter()) {
      assert.equal((await dc(path)).status, 400, path)
      const refusals = await wiki.control.refusals()
      assert.deepEqual([refusals[0]?.site, refusals[0]?.parameter], ['dataCenter', parameter], path)
      await wiki.control.resetCounts()
    }
  })

  test('it serves what is declared, and what the wiki is known to accept', async () => {
    for (const path of [
      cqlPath('type=page', '&expand=version,restrictions.read.restrictions.user&limit=25&next=true'),
      '/rest/api/search?cql=type%3Dpage&includeArchivedSpaces=true&start=0',
      `/rest/api/content/${page}/restriction/byOperation?expand=restrictions.user,restrictions.group`,
      '/rest/api/user/bulk?accountId=a&accountId=b&expand=operations',
      '/api/v2/pages?status=current&status=archived&body-format=storage&limit=250&sort=-modified-date',
      `/api/v2/pages?id=1,2&id=${page}`,
      '/api/v2/spaces?keys=ENG,HR&type=global',
      '/api/v2/space-roles?principal-type=ACCESS_CLASS&principal-id=anonymous-users',
    ])
      assert.equal((await cloud(path)).status, 200, path)
    for (const path of [
      '/rest/api/content/scan?status=current&status=archived&type=page&expand=version,space&limit=5',
      `/rest/api/content?ids=1&ids=${page}`,
      `/rest/api/content/${page}/child/comment?location=inline&location=footer&depth=all`,
      '/rest/api/search?cql=type%3Dpage&includeArchivedSpaces=true',
      '/rest/applinks/1.0/manifest',
    ])
      assert.equal((await dc(path)).status, 200, path)
    // Requests of a client that does not know yet which deployment answers.
    for (const path of ['/_edge/tenant_info', '/wiki/api/v2/spaces?limit=1'])
      assert.equal((await dc(path)).status, 404, path)
    assert.equal((await fetchReply(`${wiki.siteUrl}/rest/api/user/current`)).status, 401)
    assert.deepEqual(await wiki.control.refusals(), [])
  })

  test('it records operations that no document has, and answers as the wiki does', async () => {
    assert.equal((await cloud(`/rest/api/content/${page}`)).status, 410)
    assert.equal((await cloud('/api/v2/nonsense')).status, 404)
    assert.equal((await dc('/rest/api/content/1/nonsense')).status, 404)
    const refusals = await wiki.control.refusals()
    assert.deepEqual(
      refusals.map(({ site, operation, requests }) => [site, operation, requests]),
      [
        ['cloud', 'GET /wiki/rest/api/content/{id}', 1],
        ['cloud', 'GET /wiki/api/v2/nonsense', 1],
        ['dataCenter', 'GET /rest/api/content/{id}/nonsense', 1],
      ],
    )
  })

  test('it counts requests by operation, through the gateway and under any context path', async () => {
    const headers = basic(accounts.crawler.email, accounts.crawler.scopedToken)
    await cloud(`/api/v2/pages/${page}`)
    await fetchReply(`${wiki.gatewayUrl}/wiki/api/v2/pages/${page}`, { headers })
    await dc('/rest/api/space/ENG')
    const { cloud: ofCloud, dataCenter } = await wiki.control.operations()
    assert.deepEqual(ofCloud, { 'GET /wiki/api/v2/pages/{id}': 2 })
    assert.deepEqual(dataCenter, { 'GET /rest/api/space/{spaceKey}': 1 })
  })

  test('it answers 401 before 400, and serves anything if configured', async () => {
    await wiki.control.set({ cloudVisitors: false })
    assert.equal((await fetchReply(`${wiki.cloudUrl}/api/v2/pages?space-key=ENG`)).status, 401)
    await wiki.control.set({ cloudVisitors: true, undeclared: 'served' })
    assert.equal((await cloud('/api/v2/pages?space-key=ENG')).status, 200)
    assert.equal((await wiki.control.refusals()).length, 1)
    await wiki.control.set({ undeclared: 'refused' })
  })
})
