import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { requestCloud, requestDataCenter } from './ask.ts'
import { otherAccounts } from './every-kind.ts'
import { startWiki, type Wiki } from './start.ts'

/** One person of each type, and all that the two sites return about it. */
const sorts = {
  ann: { active: true },
  guest: { guest: true },
  deactivated: { active: false },
  closed: { active: false, closed: true },
  unlicensed: { licensed: false },
  bot: { accountType: 'app' },
  customer: { accountType: 'customer' },
} as const
type Sort = keyof typeof sorts
const names = Object.keys(sorts) as Sort[]
const idOf = (sort: Sort): string => `557058:t-${sort}`

interface FoundPerson {
  title: string
  user: { accountId: string; displayName: string }
}

describe('account types of the simulated wiki', () => {
  let wiki: Wiki
  let get: ReturnType<typeof requestCloud>
  let dc: ReturnType<typeof requestDataCenter>

  before(async () => {
    wiki = await startWiki({ seed: 4, pages: 40 })
    get = requestCloud(wiki.cloudUrl)
    dc = requestDataCenter(wiki.dataCenterUrl)
    for (const sort of names)
      await wiki.control.addPerson({ accountId: idOf(sort), name: `Test ${sort}`, ...sorts[sort] })
    await wiki.control.addGroup({ id: 'g-all', name: 'all-sorts', members: names.map(idOf) })
  })
  after(() => wiki.stop())

  const readers = async (id: string, site: 'cloud' | 'dataCenter' = 'cloud'): Promise<string[]> => {
    const answers = await Promise.all(names.map((sort) => wiki.control.canRead(idOf(sort), id, site)))
    return names.filter((_, at) => answers[at])
  }
  const granted = async (type: 'user' | 'group' | 'access-class', ids: string[]): Promise<string> => {
    const operation = { key: 'read', targetType: 'space' }
    const key = `S${spaces++}`
    const permissions = ids.map((id) => ({ principal: { type, id }, operation }))
    return (await wiki.control.addSpace({ key, name: key, permissions })).homepageId
  }
  let spaces = 0

  const live = ['ann', 'guest', 'unlicensed', 'bot', 'customer']
  const users = ['ann', 'guest', 'bot']
  const cases: [string, Parameters<typeof granted>, string[]][] = [
    ['a group', ['group', ['g-all']], users],
    ['their own rows', ['user', names.map(idOf)], users],
    ['all-licensed-users', ['access-class', ['all-licensed-users']], ['ann']],
    [
      'authenticated-users',
      ['access-class', ['authenticated-users']],
      ['ann', 'unlicensed', 'bot', 'customer'],
    ],
    ['anonymous-users', ['access-class', ['anonymous-users']], live],
    ['all-product-admins', ['access-class', ['all-product-admins']], []],
    ['an unknown class', ['access-class', ['some-new-class']], []],
  ]
  for (const [what, [type, ids], expected] of cases)
    test(`it opens a space to the right accounts by ${what}`, async () => {
      assert.deepEqual(await readers(await granted(type, ids)), expected)
    })

  test('it grants an unknown class only to its active members', async () => {
    const home = await granted('access-class', ['some-new-class'])
    await wiki.control.set({ classMembers: { 'some-new-class': [idOf('bot'), idOf('deactivated')] } })
    assert.deepEqual(await readers(home), ['bot'])
    await wiki.control.set({ classMembers: {} })
  })

  test('it ignores anonymous rows if the site admits no visitors', async () => {
    const home = await granted('access-class', ['anonymous-users'])
    await wiki.control.set({ cloudVisitors: false })
    assert.deepEqual(await readers(home), [])
    assert.deepEqual(await readers(home, 'dataCenter'), live)
    await wiki.control.set({ cloudVisitors: true })
  })

  test('it counts neither grants, groups nor restrictions for people without the product', async () => {
    const named = [idOf('unlicensed'), idOf('customer')]
    for (const site of ['cloud', 'dataCenter'] as const) {
      assert.deepEqual(await readers(await granted('user', named), site), [])
      const open = await granted('access-class', ['anonymous-users'])
      assert.deepEqual(await readers(open, site), live)
      await wiki.control.restrict(open, { read: { users: named, groups: ['g-all'] } })
      assert.deepEqual(await readers(open, site), users)
    }
    await wiki.control.addMember('confluence-administrators', idOf('unlicensed'))
    assert.deepEqual(await readers(await granted('user', []), 'dataCenter'), [])
    await wiki.control.removeMember('confluence-administrators', idOf('unlicensed'))
  })

  test('it admits unlicensed people of Data Center by a switch, to what every account sees', async () => {
    const home = await granted('access-class', ['authenticated-users'])
    assert.deepEqual(await readers(home, 'dataCenter'), ['ann'])
    await wiki.control.set({ dcUnlicensed: true })
    assert.deepEqual(await readers(home, 'dataCenter'), ['ann', 'unlicensed', 'customer'])
    assert.deepEqual(await readers(await granted('group', ['g-all']), 'dataCenter'), users)
    await wiki.control.set({ dcUnlicensed: false })
  })

  test('it grants deactivated people nothing on Data Center, the super-group included', async () => {
    const home = await granted('group', ['g-all'])
    assert.deepEqual(await readers(home, 'dataCenter'), users)
    const secret = await granted('user', [])
    await wiki.control.addMember('confluence-administrators', idOf('ann'))
    await wiki.control.addMember('confluence-administrators', idOf('deactivated'))
    assert.deepEqual(await readers(secret, 'dataCenter'), ['ann'])
  })

  test('it changes a person at run time, and confluence-users with the licence', async () => {
    const home = await granted('access-class', ['all-licensed-users'])
    for (const change of [{ active: false }, { closed: true }, { licensed: false }, { guest: true }]) {
      await wiki.control.setPerson(idOf('ann'), change)
      assert.deepEqual(await readers(home), [], JSON.stringify(change))
      assert.equal(
        (await members('confluence-users')).includes(idOf('ann')),
        'active' in change || 'closed' in change,
      )
      await wiki.control.setPerson(idOf('ann'), { active: true, closed: false, licensed: true, guest: false })
      assert.deepEqual(await readers(home), ['ann'])
    }
  })
  const members = async (group: string): Promise<string[]> =>
    (await wiki.control.truth()).groups.find(({ name }) => name === group)?.members ?? []

  test('it returns status, type and guests in bulk', async () => {
    const bulk = (accountIds: unknown) =>
      get('/api/v2/users-bulk', 'crawler', { method: 'POST', body: JSON.stringify({ accountIds }) })
    const { status, json } = await bulk([...names.map(idOf), 'nobody'])
    assert.equal(status, 200)
    const returned = json.results.map(
      (user: Record<string, unknown>) =>
        `${user.accountId} ${user.displayName} ${user.accountType} ${user.accountStatus} ${user.isExternalCollaborator}`,
    )
    assert.deepEqual(returned, [
      '557058:t-ann Test ann atlassian active false',
      '557058:t-guest Test guest atlassian active true',
      '557058:t-deactivated Test deactivated atlassian inactive false',
      '557058:t-closed Former user atlassian closed false',
      '557058:t-unlicensed Test unlicensed atlassian active false',
      '557058:t-bot Test bot app active false',
      '557058:t-customer Test customer customer active false',
    ])
    for (const wrong of [undefined, [], Array.from({ length: 251 }, (_, at) => `a${at}`)])
      assert.equal((await bulk(wrong)).status, 400)
  })

  test('it marks unlicensed people in group members and search, without a status', async () => {
    const { json } = await get('/rest/api/group/g-all/membersByGroupId')
    const returned = json.results.map((user: { displayName: string }) => user.displayName)
    assert.deepEqual(returned, [
      'Test ann',
      'Test guest',
      'Test deactivated',
      'Former user',
      'Test unlicensed (Unlicensed)',
      'Test bot',
      'Test customer',
    ])
    for (const user of json.results) assert.equal('accountStatus' in user, false)
    assert.deepEqual(
      (await findPeople('user.fullname ~ "Test"', 'all')).map(({ user }) => user.displayName),
      returned.filter((name: string) => name !== 'Former user'),
    )
    assert.deepEqual((await get('/rest/api/group/no-such-group/membersByGroupId')).json.results, [])
  })

  const findPeople = async (cql: string, filter?: string): Promise<FoundPerson[]> => {
    const query = new URLSearchParams({ cql, ...(filter && { sitePermissionTypeFilter: filter }) })
    return (await get(`/rest/api/search/user?${query}`)).json.results
  }

  test('it finds licensed people by default, and guests and others only with a filter', async () => {
    const sortsFound = async (filter?: string) =>
      (await findPeople('user.fullname ~ Test', filter)).map(({ title }) => title.replace('Test ', ''))
    const licensed = ['ann', 'deactivated']
    assert.deepEqual(await sortsFound(), licensed)
    assert.deepEqual(await sortsFound('none'), licensed)
    assert.deepEqual(await sortsFound('externalCollaborator'), ['guest'])
    assert.deepEqual(
      await sortsFound('all'),
      names.filter((sort) => sort !== 'closed'),
    )
    const refused = await get('/rest/api/search/user?cql=type%3Duser&sitePermissionTypeFilter=guest')
    assert.equal(refused.status, 400)
  })

  test('it finds people by account id, in rows with every required field', async () => {
    const [first, second] = [idOf('ann'), idOf('guest')]
    const found = async (cql: string) => (await findPeople(cql, 'all')).map(({ user }) => user.accountId)
    assert.deepEqual(await found(`user = "${first}"`), [first])
    assert.deepEqual(await found(`user.accountid in ("${first}", "${second}")`), [first, second])
    assert.ok(!(await found(`user not in ("${first}")`)).includes(first))
    const [row] = await findPeople(`user = "${first}"`)
    for (const field of [
      'breadcrumbs',
      'entityType',
      'excerpt',
      'iconCssClass',
      'lastModified',
      'title',
      'url',
    ])
      assert.ok(field in (row ?? {}), field)
    assert.equal((await get('/rest/api/search/user?cql=title%20~%20x')).status, 400)
  })

  test('it shows who may use the product among the operations of a v1 user', async () => {
    const user = async (sort: Sort, more = '') =>
      get(`/rest/api/user?accountId=${encodeURIComponent(idOf(sort))}${more}`)
    const using: string[] = []
    for (const sort of names) {
      const { json } = await user(sort, '&expand=operations')
      if (json.operations.some((each: { operation: string }) => each.operation === 'use')) using.push(sort)
    }
    assert.deepEqual(using, ['ann', 'guest', 'bot'])
    const guest = (await user('guest')).json
    assert.deepEqual([guest.isGuest, guest.operations, guest.accountStatus], [true, undefined, undefined])
    await wiki.control.set({ v1AccountStatus: true, closedUsers: 'missing' })
    assert.equal((await user('deactivated')).json.accountStatus, 'inactive')
    assert.equal((await user('closed')).status, 404)
    await wiki.control.set({ v1AccountStatus: false, closedUsers: 'shown' })
    assert.equal((await user('closed')).json.displayName, 'Former user')
  })

  test('it returns the expanded status on Data Center and lists active people since 9.3', async () => {
    const { people } = await wiki.control.truth()
    const keyOf = (sort: Sort) => people.find(({ accountId }) => accountId === idOf(sort))?.userKey
    const status = async (sort: Sort) =>
      (await dc(`/rest/api/user?key=${keyOf(sort)}&expand=status`)).json.status
    assert.deepEqual(
      await Promise.all((['ann', 'deactivated', 'closed', 'unlicensed'] as const).map(status)),
      ['current', 'deactivated', 'deleted', 'current'],
    )
    const [plain] = (await dc('/rest/api/group/all-sorts/member')).json.results
    const [returned] = (await dc('/rest/api/group/all-sorts/member?expand=status')).json.results
    assert.deepEqual([plain.status, returned.status], [undefined, 'current'])
    const path = '/rest/api/admin/users/list/active?limit=200'
    assert.equal((await dc(path)).status, 404)
    await wiki.control.set({ dcVersion: '9.3.0' })
    assert.equal((await dc(path, 'member')).status, 403)
    const listed: { userKey: string; email: string }[] = (await dc(path)).json.results
    const found = names.filter((sort) => listed.some(({ userKey }) => userKey === keyOf(sort)))
    assert.deepEqual(found, ['ann', 'guest', 'bot'])
    assert.match(listed[0]?.email ?? '', /@/)
    await wiki.control.set({ dcVersion: '9.2.1' })
  })
})

describe('the switches of a simulated Data Center', () => {
  test('it lists them for administrators since 9.3', async (t) => {
    const wiki = await startWiki({ seed: 4, pages: 10, settings: { dcVersion: '9.3.0' } })
    t.after(() => wiki.stop())
    const dc = requestDataCenter(wiki.dataCenterUrl)
    const keys = async (path: string): Promise<string[]> =>
      (await dc(`/rest/api/permissions${path}`)).json.map(
        ({ operation }: { operation: { operationKey: string; targetType: string } }) =>
          `${operation.targetType} ${operation.operationKey}`,
      )
    assert.deepEqual(await keys('/anonymous'), ['application use'])
    assert.deepEqual(await keys('/unlicensed'), [])
    await wiki.control.set({ dcVisitors: false, dcUnlicensed: true })
    assert.deepEqual(await keys('/anonymous'), [])
    assert.deepEqual(await keys('/unlicensed'), ['application use_unlicensed'])
    // The group of users, the app that is in no group, and the administrators.
    assert.deepEqual(await keys(''), ['application use', 'application use', 'application administer'])
    for (const path of ['', '/anonymous', '/unlicensed'])
      assert.equal((await dc(`/rest/api/permissions${path}`, 'member')).status, 403, path)
    await wiki.control.set({ dcVersion: '9.2.1' })
    assert.equal((await dc('/rest/api/permissions/unlicensed')).status, 404)
  })
})

describe('a generated wiki with accounts of every type', () => {
  test('it puts two of each into groups, spaces and restrictions, and changes no page', async (t) => {
    const options = { seed: 9, pages: 80 }
    const [plain, wiki] = await Promise.all([startWiki(options), startWiki({ ...options, everyKind: true })])
    t.after(() => Promise.all([plain.stop(), wiki.stop()]))
    const [before, truth] = [await plain.control.truth(), await wiki.control.truth()]
    const readers = await wiki.control.readers()
    const text = JSON.stringify(truth.pages.map(({ restrictions }) => restrictions))
    for (const sort of Object.keys(otherAccounts)) {
      for (const { accountId, active } of truth.people.filter(({ name }) => name.startsWith(`${sort} `))) {
        assert.equal(truth.groups.filter(({ members }) => members.includes(accountId)).length >= 2, true)
        assert.ok(
          truth.spaces.some((space) => JSON.stringify(space.permissions).includes(accountId)),
          sort,
        )
        assert.ok(text.includes(accountId), sort)
        assert.equal(
          Object.values(readers).some((ids) => ids.includes(accountId)),
          active,
          sort,
        )
      }
    }
    const pages = (all: typeof truth.pages) =>
      all.filter(({ kind }) => kind === 'page').map(({ id, title, version }) => ({ id, title, version }))
    assert.deepEqual(pages(truth.pages), pages(before.pages))
    for (const kind of ['folder', 'whiteboard', 'database'])
      assert.ok(truth.pages.filter((page) => page.kind === kind).length >= 3, kind)
    assert.equal(truth.people.length, before.people.length + 12)
  })
})
