import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../errors.ts'
import { createDirectory } from '../access/directory.ts'
import { lineages } from '../access/tree.ts'
import type { Space } from '../client.ts'
import { dataCenterSite } from '../transport/site.ts'
import type { WikiRequest, WikiTransport } from '../transport/transport.ts'
import { dataCenterClient } from './client.ts'
import { dataCenterPeople } from './people.ts'
import { atLeast } from './version.ts'

const { signal } = new AbortController()
const space: Space = { id: '1', key: 'ENG', alias: null, name: 'Eng', archived: false, homepageId: null }
const noRoles = { mode: 'PRE_ROLES', permissions: new Map<string, string[]>() }

/** A client of a server with these answers by path and no others. */
function client(answers: Record<string, unknown>, version: string | null = '9.2.1', visitors = true) {
  const requested: string[] = []
  const send = async <T>({ path, response: answer }: WikiRequest<T>): Promise<T> => {
    requested.push(path)
    if (!(path in answers)) throw new AppError('source_not_found', 'not there')
    return answer.parse(answers[path])
  }
  const transport: WikiTransport = {
    site: dataCenterSite('https://wiki.corp'),
    send,
    sendPaged: () => assert.fail('links are not followed on Data Center'),
    download: () => assert.fail('nothing is downloaded'),
  }
  const visitor: Pick<WikiTransport, 'send'> = {
    send: async ({ response: answer }) => {
      if (visitors) return answer.parse({ id: 1, key: 'ENG' })
      throw new AppError('source_unauthorized', 'sign in first', { cause: { status: 401 } })
    },
  }
  return { requested, ...dataCenterClient({ transport, visitor }, { version, includes: { files: false } }) }
}

const list = { results: [], start: 0, limit: 200, size: 0 }
const open = { restrictions: { user: list, group: list } }
const page = {
  id: 7,
  status: 'current',
  title: 'P',
  version: { number: 3 },
  ancestors: [{ id: 5, title: 'A' }],
}

describe('a page of Data Center', () => {
  const pageOf = async (row: object) => {
    const { pagesIn } = client({ '/rest/api/content/scan': { results: [row], nextCursor: null } })
    const [listed] = await Array.fromAsync(
      pagesIn(space, { kind: 'page', status: 'current', pageSize: 200 }, signal),
    )
    return listed!.pages[0]!
  }

  test('comes with its ancestors and restrictions', async () => {
    const row = await pageOf({ ...page, restrictions: { read: open, update: open } })
    assert.deepEqual(row.parent, { id: '5', type: 'page' })
    assert.deepEqual(row.ancestors, [{ id: '5', title: 'A', parent: null }])
    assert.deepEqual(row.metadata?.restrictions?.restriction, { read: null, update: null })
    assert.equal(row.url, 'https://wiki.corp/pages/viewpage.action?pageId=7')
  })

  test('does not count as a top page if the wiki returns no ancestors', async () => {
    const row = await pageOf({ ...page, ancestors: undefined })
    const lineage = lineages(new Map([[row.id, row]]), { read: () => null, unread: () => null })
    assert.match(lineage(row.id).unproved!, /did not return the ancestors of page 7/)
    const atTheTop = await pageOf({ ...page, ancestors: [] })
    assert.equal(
      lineages(new Map([['7', atTheTop]]), { read: () => null, unread: () => null })('7').unproved,
      null,
    )
  })

  test('does not count as open if the wiki returns no restrictions', async () => {
    for (const restrictions of [undefined, {}, { read: open }, { read: open, update: {} }])
      assert.equal((await pageOf({ ...page, restrictions })).metadata?.restrictions, null)
    const cut = { restrictions: { user: list, group: { ...list, size: 300, results: [{ name: 'g' }] } } }
    assert.equal(
      (await pageOf({ ...page, restrictions: { read: cut, update: open } })).metadata?.restrictions?.complete,
      false,
    )
  })
})

describe('the permissions of a space of Data Center', () => {
  const right = (operationKey: string, subject: object | undefined, targetType = 'space') => ({
    operation: { operationKey, targetType },
    subject,
  })
  const path = '/rest/api/space/ENG/permissions'

  test('are read over REST, anonymous ones separately, and unknown subjects get none', async () => {
    const { grants } = client({
      [path]: [
        right('read', { type: 'group', name: 'eng' }),
        right('create', { type: 'user', userKey: '4028' }, 'page'),
        right('delete_own', { type: 'group', name: 'eng' }),
        right('read', { type: 'customers' }),
        right('read', undefined),
      ],
      [`${path}/anonymous`]: [right('read', undefined)],
    })
    assert.deepEqual(await grants(space, noRoles, signal), [
      { to: { kind: 'group', id: 'eng' }, operation: 'read/space' },
      { to: { kind: 'user', id: '4028' }, operation: 'create/page' },
      { to: { kind: 'group', id: 'eng' }, operation: 'delete/space' },
      { to: { kind: 'class', id: 'anonymous-users' }, operation: 'read/space' },
    ])
  })

  test('are parsed for visitors in each form', async () => {
    const bare = { operationKey: 'read', targetType: 'space' }
    const forms = [
      [right('read', undefined)],
      { results: [right('read', undefined)] },
      { operations: [bare] },
      { operations: [right('read', undefined)] },
      [bare],
    ]
    for (const form of forms) {
      const { grants } = client({ [path]: [], [`${path}/anonymous`]: form })
      assert.deepEqual(
        await grants(space, noRoles, signal),
        [{ to: { kind: 'class', id: 'anonymous-users' }, operation: 'read/space' }],
        JSON.stringify(form),
      )
    }
  })

  test('give visitors nothing if the wiki refuses anonymous access', async () => {
    const answers = {
      [path]: [right('read', { type: 'group', name: 'eng' })],
      [`${path}/anonymous`]: [right('read', {})],
    }
    const eng = { to: { kind: 'group', id: 'eng' }, operation: 'read/space' }
    assert.deepEqual(await client(answers, '9.2.1', false).grants(space, noRoles, signal), [eng])
    assert.equal((await client(answers, '9.2.1', true).grants(space, noRoles, signal)).length, 2)
  })

  const sets = ['VIEWSPACE', 'EDITSPACE', 'REMOVEPAGE', 'REMOVEOWNCONTENT', 'SETSPACEPERMISSIONS', 'COMMENT']
  const rpc = {
    '/rpc/json-rpc/confluenceservice-v2': {
      result: [
        ...sets.map((type) => ({ type, spacePermissions: [{ userName: null, groupName: 'eng' }] })),
        { type: 'VIEWSPACE', spacePermissions: [{ userName: 'ann' }, { userName: null, groupName: null }] },
      ],
    },
    '/rest/api/user': { userKey: '4028', username: 'ann' },
  }
  const expected = [
    ...['read/space', 'create/page', 'delete/page', 'delete/space', 'administer/space'].map((operation) => ({
      to: { kind: 'group', id: 'eng' },
      operation,
    })),
    { to: { kind: 'user', id: '4028' }, operation: 'read/space' },
    { to: { kind: 'class', id: 'anonymous-users' }, operation: 'read/space' },
  ]

  test('are read over JSON-RPC before 9.1, and if neither version nor REST is available', async () => {
    for (const version of ['8.5.4', null])
      assert.deepEqual(await client(rpc, version).grants(space, noRoles, signal), expected)
    await assert.rejects(client(rpc, '9.2.1').grants(space, noRoles, signal), { code: 'source_not_found' })
  })

  test('leave out deleted people, and look up each person once', async () => {
    const { '/rest/api/user': _, ...without } = rpc
    const grants = await client(without, '8.5.4').grants(space, noRoles, signal)
    assert.ok(!grants.some(({ to }) => to.kind === 'user'))
    const known = client(rpc, '8.5.4')
    await Promise.all([known.grants(space, noRoles, signal), known.grants(space, noRoles, signal)])
    assert.equal(known.requested.filter((each) => each === '/rest/api/user').length, 1)
  })
})

describe('access to the product on Data Center', () => {
  const use = { targetType: 'application', operationKey: 'use' }
  const rows = [
    { operation: use, subject: { type: 'group', name: 'confluence-users' } },
    { operation: use, subject: { type: 'user', userKey: 'k1' } },
    { operation: use, subject: { type: 'anonymous' } },
    { operation: { ...use, operationKey: 'administer' }, subject: { type: 'group', name: 'admins' } },
  ]
  const path = '/rest/api/permissions'

  test('is read once, from the global permissions', async () => {
    const { productAccess, requested } = client({ [path]: rows }, '9.3.0')
    const expected = { users: new Set(['k1']), groups: new Set(['confluence-users']) }
    assert.deepEqual(await productAccess!(signal), expected)
    assert.deepEqual(await productAccess!(signal), expected)
    assert.deepEqual(requested, [path])
  })

  test('is unknown before 9.3, and if no row or no answer tells', async () => {
    const old = client({ [path]: rows })
    assert.equal(await old.productAccess!(signal), null)
    assert.deepEqual(old.requested, [])
    assert.equal(await client({ [path]: rows.slice(2) }, '9.3.0').productAccess!(signal), null)
    assert.equal(await client({}, '9.3.0').productAccess!(signal), null)
  })

  test('decides which members of groups count, unless a group of users cannot be read', async () => {
    const members = (...keys: string[]) => ({
      ...list,
      results: keys.map((userKey) => ({ userKey, displayName: userKey, status: 'current' })),
    })
    const memberPath = (group: string) => `/rest/api/group/${group}/member`
    const team = { [path]: rows, [memberPath('team')]: members('k1', 'k2', 'k3') }
    const ignored = async (answers: Record<string, unknown>) => {
      const directory = createDirectory(client(answers, '9.3.0'))
      await directory.load({ groups: ['team'], users: [] }, signal)
      return ['k1', 'k2', 'k3'].filter((user) => directory.isIgnored(user))
    }
    assert.deepEqual(await ignored({ ...team, [memberPath('confluence-users')]: members('k2') }), ['k3'])
    const unreadable = { '/rest/api/group/confluence-users': { name: 'confluence-users' } }
    assert.deepEqual(await ignored({ ...team, ...unreadable }), [])
  })
})

describe('the members of a group of Data Center', () => {
  const membersWith = (cause: object, code: 'source_unauthorized' | 'source_forbidden') => {
    const send = async () => {
      throw new AppError(code, 'refused', { cause })
    }
    const names = { add() {}, of: () => undefined }
    const unused = () => assert.fail('not needed')
    const transport = { site: dataCenterSite('https://wiki.corp'), send, sendPaged: unused, download: unused }
    return dataCenterPeople(transport, names, null).members('eng', signal)
  }

  test('need an administrator, and another account does not end the job', async () => {
    for (const [status, code] of [
      [401, 'source_unauthorized'],
      [403, 'source_forbidden'],
    ] as const)
      await assert.rejects(membersWith({ status }, code), (error: AppError) => {
        assert.deepEqual([error.code, error.endsJob], ['source_forbidden', false])
        assert.match(error.fix ?? '', /Confluence Administrator/)
        return true
      })
  })

  test('end the job if the account is signed out', async () => {
    const signedOut = { status: 401, signedOut: true }
    await assert.rejects(membersWith(signedOut, 'source_unauthorized'), { code: 'source_unauthorized' })
  })
})

test('versions are compared number by number', () => {
  const cases: [string | null, string, boolean][] = [
    ['9.12.1', '9.2', true],
    ['9.1.0', '9.1', true],
    ['8.9', '9.1', false],
    ['10.0', '9.1', true],
    ['7.17.5', '7.18', false],
    [null, '9.1', true],
  ]
  for (const [version, wanted, is] of cases)
    assert.equal(atLeast(version, wanted), is, `${version} ${wanted}`)
})
