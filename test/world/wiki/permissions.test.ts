import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AccountName, accounts } from './accounts.ts'
import { basic, cqlPath, fetchReply, requestCloud, requestDataCenter } from './ask.ts'
import { startDataCenters } from './data-centers.ts'
import type { SpacePermission } from './model/model.ts'
import { startWiki, type Wiki } from './start.ts'

const [ann, ben, cai] = ['557058:ann', '557058:ben', '557058:cai'] as const
const row = (principal: SpacePermission['principal'], text: string): SpacePermission => {
  const [key = '', targetType = ''] = text.split('/')
  return { principal, operation: { key, targetType } }
}
const user = (id: string) => ({ type: 'user' as const, id })
const group = (id: string) => ({ type: 'group' as const, id })
const ofClass = (id: string) => ({ type: 'access-class' as const, id })

describe('space permissions of the simulated Cloud site', () => {
  let wiki: Wiki
  let get: ReturnType<typeof requestCloud>
  let space: { id: string; homepageId: string }

  before(async () => {
    wiki = await startWiki({ seed: 6, pages: 30 })
    get = requestCloud(wiki.cloudUrl)
    for (const accountId of [ann, ben, cai]) await wiki.control.addPerson({ accountId, name: accountId })
    await wiki.control.addGroup({ id: 'g-one', name: 'one', members: [ann, ben] })
    await wiki.control.addGroup({ id: 'g-two', name: 'two', members: [ann] })
    space = await wiki.control.addSpace({ key: 'P', name: 'P', permissions: [] })
  })
  after(() => wiki.stop())

  test('it spells access classes in rows as configured, and in assignments always the same', async () => {
    const classes = ['all-licensed-users', 'authenticated-users', 'anonymous-users', 'some-new-class']
    await wiki.control.setSpacePermissions(
      'P',
      classes.map((id) => row(ofClass(id), 'read/space')),
    )
    const principals = async () =>
      (await get(`/api/v2/spaces/${space.id}/permissions`)).json.results.map(
        ({ principal }: SpacePermission) => `${principal.type} ${principal.id}`,
      )
    assert.deepEqual(
      await principals(),
      classes.map((id) => `access-class ${id}`),
    )
    await wiki.control.set({ classSpelling: 'ALL_LICENSED_USERS', classType: 'ACCESS_CLASS' })
    assert.deepEqual(await principals(), [
      'ACCESS_CLASS ALL_LICENSED_USERS',
      'ACCESS_CLASS AUTHENTICATED_USERS',
      'ACCESS_CLASS ANONYMOUS_USERS',
      'ACCESS_CLASS SOME_NEW_CLASS',
    ])
    await wiki.control.setSpaceUsesRoles('P', true)
    const { json } = await get(`/api/v2/spaces/${space.id}/role-assignments`)
    assert.deepEqual(
      json.results.map((each: { principal: { principalId: string } }) => each.principal.principalId),
      classes,
    )
    await wiki.control.setSpaceUsesRoles('P', false)
    await wiki.control.set({ classSpelling: 'all-licensed-users', classType: 'access-class' })
  })

  test('it separates update/page from create/page only for roles', async () => {
    await wiki.control.setSpacePermissions('P', [
      row(user(ann), 'read/space'),
      row(user(ann), 'create/page'),
      row(user(ben), 'read/space'),
      row(user(ben), 'update/page'),
    ])
    const updaters = async (site: 'cloud' | 'dataCenter' = 'cloud') =>
      (
        await Promise.all(
          [ann, ben].map(async (id) =>
            (await wiki.control.canUpdate(id, space.homepageId, site)) ? [id] : [],
          ),
        )
      ).flat()
    assert.deepEqual(await updaters(), [ann])
    await wiki.control.setSpaceUsesRoles('P', true)
    assert.deepEqual(await updaters(), [ben])
    assert.deepEqual(await updaters('dataCenter'), [ann])
    const roles = (await get('/api/v2/space-roles?limit=250')).json.results
    assert.ok(
      roles.some((role: { spacePermissions: string[] }) => role.spacePermissions.includes('EDIT_PAGES')),
    )
    await wiki.control.setSpacePermissions('P', [row(user(ann), 'read/space'), row(user(ann), 'create/page')])
    assert.deepEqual(await updaters(), [ann])
    await wiki.control.setSpaceUsesRoles('P', false)
  })

  const check = async (
    id: string,
    subject: { type: string; identifier: string },
    as: AccountName = 'crawler',
  ) =>
    get(`/rest/api/content/${id}/permission/check`, as, {
      method: 'POST',
      body: JSON.stringify({ subject, operation: 'read' }),
    })

  for (const kind of ['folder', 'whiteboard', 'database'] as const)
    test(`it stores the restriction of a ${kind}, hides it if configured, and applies it in checks`, async () => {
      await wiki.control.setSpacePermissions('P', [row(group('g-one'), 'read/space')])
      const above = await wiki.control.createPage({ space: 'P', title: `A ${kind}`, kind })
      const page = await wiki.control.createPage({ space: 'P', title: `In a ${kind}`, parentId: above })
      await wiki.control.restrict(above, { read: { users: [ann], groups: ['g-two'] } })
      assert.deepEqual(
        [await wiki.control.canRead(ann, page), await wiki.control.canRead(ben, page)],
        [true, false],
      )
      const sizes = async () => {
        const { json } = await get(`/rest/api/content/${above}/restriction/byOperation/read`)
        const found = await get(cqlPath(`id=${above}`, '&expand=restrictions.read.restrictions.user'))
        return [
          json.restrictions.user.size,
          json.restrictions.group.size,
          found.json.results[0].restrictions.read.restrictions.user.size,
        ]
      }
      assert.deepEqual(await sizes(), [1, 1, 1])
      await wiki.control.set({ folderRestrictionsHidden: true })
      assert.deepEqual(await sizes(), [0, 0, 0])
      const answers: [object & { type: string; identifier: string }, boolean][] = [
        [{ type: 'user', identifier: ann }, true],
        [{ type: 'user', identifier: ben }, false],
        [{ type: 'user', identifier: 'nobody' }, false],
        [{ type: 'group', identifier: 'g-one' }, false],
        [{ type: 'group', identifier: 'g-two' }, false],
      ]
      for (const [subject, hasPermission] of answers)
        assert.equal((await check(page, subject)).json.hasPermission, hasPermission)
      const subject = { type: 'group', identifier: 'g-two' }
      await wiki.control.setSpacePermissions('P', [row(group('g-two'), 'read/space')])
      assert.equal((await check(page, subject)).json.hasPermission, true)
      assert.equal((await check(above, subject)).status, 404)
      await wiki.control.set({ checkOnFolder: 'works' })
      assert.equal((await check(above, subject)).json.hasPermission, true)
      await wiki.control.set({ checkOnFolder: 'missing', folderRestrictionsHidden: false })
      const item = (await get(`/api/v2/${kind}s/${above}`)).json
      assert.deepEqual([item.type, typeof item.createdAt, item.restrictions], [kind, 'number', undefined])
      assert.equal((await get(`/api/v2/pages/${page}`)).json.parentType, kind)
      assert.deepEqual((await get(`/api/v2/pages/${page}/ancestors`)).json.results.at(-1), {
        id: above,
        type: kind,
      })
      for (const list of ['descendants', 'direct-children'])
        assert.equal((await get(`/api/v2/${kind}s/${above}/${list}`)).json.results[0].id, page)
      assert.equal((await get(cqlPath(`type=${kind} and id=${above}`))).json.size, 1)
      assert.equal(await wiki.control.canRead(ann, page, 'dataCenter'), true)
    })

  test('it refuses everything to accounts without the product, and answers for visitors', async () => {
    await wiki.control.setSpacePermissions('P', [
      row(ofClass('anonymous-users'), 'read/space'),
      row(ofClass('anonymous-users'), 'create/page'),
    ])
    const may = async (identifier: string, operation = 'read') => {
      const body = JSON.stringify({ subject: { type: 'user', identifier }, operation })
      const path = `/rest/api/content/${space.homepageId}/permission/check`
      const { json } = await get(path, 'crawler', { method: 'POST', body })
      assert.equal(json.errors.length, json.hasPermission ? 0 : 1)
      return json.hasPermission
    }
    assert.deepEqual([await may(cai), await may('anonymous'), await may('nobody')], [true, true, false])
    assert.deepEqual([await may('anonymous', 'update'), await may('anonymous', 'delete')], [true, false])
    for (const change of [{ licensed: false }, { active: false }]) {
      await wiki.control.setPerson(cai, change)
      assert.equal(await may(cai), false)
      await wiki.control.setPerson(cai, { licensed: true, active: true })
    }
    await wiki.control.restrict(space.homepageId, { read: { users: [ann] } })
    assert.deepEqual([await may(ann), await may('anonymous')], [true, false])
    await wiki.control.restrict(space.homepageId, { read: {} })
    await wiki.control.set({ cloudVisitors: false })
    assert.equal(await may('anonymous'), false)
    await wiki.control.set({ cloudVisitors: true })
  })

  test('it answers checks for others only to administrators', async () => {
    const subject = { type: 'user', identifier: ann }
    assert.equal((await check(space.homepageId, subject)).status, 200)
    await wiki.control.setAccount('crawler', { mayCheck: false })
    assert.equal((await check(space.homepageId, subject)).status, 403)
    const { people } = await wiki.control.truth()
    const self = people.find(({ username }) => username === 'crawler')?.accountId ?? ''
    assert.equal((await check(space.homepageId, { type: 'user', identifier: self })).status, 200)
    await wiki.control.setAccount('crawler', { mayCheck: true })
  })

  test('it requires the scopes of each endpoint, classic or granular', async () => {
    const { homepageId, id } = space
    const bulk = { method: 'POST', body: JSON.stringify({ accountIds: [ann] }) }
    const asked = { method: 'POST', body: JSON.stringify({ subject: user(ann), operation: 'none' }) }
    const table: [string, string[][], RequestInit?][] = [
      [cqlPath('type=page'), [['search:confluence'], ['read:content-details:confluence']]],
      [
        `/rest/api/content/${homepageId}/restriction/byOperation`,
        [['read:confluence-content.all'], ['read:content-details:confluence']],
      ],
      [
        `/rest/api/content/${homepageId}/permission/check`,
        [['read:confluence-content.permission'], ['read:content.permission:confluence']],
        asked,
      ],
      ['/rest/api/group', [['read:confluence-groups'], ['read:group:confluence']]],
      [
        '/rest/api/group/g-one/membersByGroupId',
        [['read:confluence-groups'], ['read:group:confluence', 'read:user:confluence']],
      ],
      ['/rest/api/user/current', [['read:confluence-user'], ['read:content-details:confluence']]],
      ['/api/v2/pages', [['read:page:confluence']]],
      ['/api/v2/blogposts', [['read:page:confluence']]],
      [`/api/v2/pages/${homepageId}/labels`, [['read:page:confluence']]],
      [`/api/v2/pages/${homepageId}/ancestors`, [['read:content.metadata:confluence']]],
      [`/api/v2/pages/${homepageId}/descendants`, [['read:hierarchical-content:confluence']]],
      ['/api/v2/attachments', [['read:attachment:confluence']]],
      ['/api/v2/footer-comments', [['read:comment:confluence']]],
      ['/api/v2/folders/1', [['read:folder:confluence']]],
      ['/api/v2/whiteboards/1', [['read:whiteboard:confluence']]],
      ['/api/v2/databases/1', [['read:database:confluence']]],
      ['/api/v2/spaces', [['read:space:confluence']]],
      [`/api/v2/spaces/${id}/permissions`, [['read:space:confluence']]],
      [`/api/v2/spaces/${id}/role-assignments`, [['read:space.permission:confluence']]],
      ['/api/v2/space-roles', [['read:space.permission:confluence']]],
      ['/api/v2/space-role-mode', [['read:configuration:confluence']]],
      ['/api/v2/users-bulk', [['read:user:confluence']], bulk],
    ]
    const every = [...new Set(table.flatMap(([, alternatives]) => alternatives.flat()))]
    const headers = basic(accounts.crawler.email, accounts.crawler.scopedToken)
    for (const [path, alternatives, init] of table) {
      const status = async (scopes: string[]) => {
        await wiki.control.setAccount('crawler', { scopes })
        return (await fetchReply(`${wiki.gatewayUrl}/wiki${path}`, { ...init, headers })).status
      }
      for (const scopes of alternatives) assert.notEqual(await status(scopes), 401, `${path} ${scopes}`)
      const others = every.filter((scope) => !alternatives.some((needed) => needed.includes(scope)))
      assert.equal(await status(others), 401, path)
    }
    await wiki.control.setAccount('crawler', { scopes: [] })
    for (const missingScope of [403, 404] as const) {
      await wiki.control.set({ missingScope })
      assert.equal(
        (await fetchReply(`${wiki.gatewayUrl}/wiki/api/v2/pages`, { headers })).status,
        missingScope,
      )
    }
    await wiki.control.set({ missingScope: 401 })
    await wiki.control.setAccount('crawler', { scopes: null })
  })
})

describe('two simulated Data Centers', () => {
  test('it has equal group names with different members under different context paths', async (t) => {
    const both = await startDataCenters({ pages: 30 })
    t.after(() => Promise.all(both.map((wiki) => wiki.stop())))
    const returned = await Promise.all(
      both.map(async (wiki) => {
        const get = requestDataCenter(wiki.dataCenterUrl)
        const groups = (await get('/rest/api/group')).json.results.map(({ name }: { name: string }) => name)
        const members = (await get('/rest/api/group/engineering/member')).json.results
        return { groups, keys: members.map(({ userKey }: { userKey: string }) => userKey) }
      }),
    )
    assert.deepEqual(returned[0]?.groups, returned[1]?.groups)
    assert.notDeepEqual(returned[0]?.keys, returned[1]?.keys)
    assert.deepEqual(
      both.map(({ dataCenterUrl }) => new URL(dataCenterUrl).pathname),
      ['/confluence', '/docs'],
    )
  })
})
