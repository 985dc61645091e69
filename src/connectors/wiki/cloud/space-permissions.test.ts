import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../errors.ts'
import { spacePermissions } from '../access/permissions.ts'
import { cloudSite, gatewaySite } from '../transport/site.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { cloudSpacePermissions } from './space-permissions.ts'

const { signal } = new AbortController()
const space = { id: '1', key: 'ENG', alias: null, name: 'Engineering', archived: false, homepageId: null }

/** A wiki with these answers by path and no others. */
function answering(answers: Record<string, unknown>): WikiTransport {
  const send: WikiTransport['send'] = async ({ path, response: answer }) => {
    if (!(path in answers)) throw new AppError('source_not_found', path)
    return answer.parse(answers[path])
  }
  return {
    site: cloudSite('https://acme.atlassian.net'),
    send,
    sendPaged: async function* (request, signal) {
      yield await send(request, signal)
    },
    download: () => assert.fail('nothing is downloaded'),
  }
}

function row(type: string, id: string, [key, targetType]: [string, string]) {
  return { principal: { type, id }, operation: { key, targetType } }
}

function wikiWith(mode: string | null) {
  return answering({
    ...(mode ? { '/api/v2/space-role-mode': { mode } } : {}),
    '/api/v2/space-roles': {
      results: [
        { id: 'viewer', spacePermissions: ['read/space', 'something-new'] },
        { id: 'odd', spacePermissions: ['READ_EVERYTHING'] },
      ],
    },
    '/api/v2/spaces/1/permissions': { results: [row('group', 'before', ['read', 'space'])] },
    '/api/v2/spaces/1/role-assignments': {
      results: [
        { principal: { principalType: 'ACCESS_CLASS', principalId: 'all-licensed-users' }, roleId: 'viewer' },
        { principal: { principalType: 'USER', principalId: 'u9' }, roleId: 'odd' },
      ],
    },
  })
}

async function permissionsOf(transport: WikiTransport, visitor: Pick<WikiTransport, 'send'> | null = null) {
  const client = cloudSpacePermissions({ transport, visitor })
  return spacePermissions(await client.grants(space, await client.roles(signal), signal))
}

async function readers(transport: WikiTransport, visitor: Pick<WikiTransport, 'send'> | null = null) {
  const { read } = await permissionsOf(transport, visitor)
  return [...read.users, ...read.groups, ...read.classes].sort()
}

describe('the permissions of a space', () => {
  test('are the single permissions before roles, or if the wiki knows no roles', async () => {
    assert.deepEqual(await readers(wikiWith('PRE_ROLES')), ['before'])
    const rows = { '/api/v2/spaces/1/permissions': { results: [row('group', 'before', ['read', 'space'])] } }
    assert.deepEqual(await readers(answering(rows)), ['before'])
    const noRoles = { '/api/v2/spaces/1/role-assignments': { results: [] } }
    assert.deepEqual(await readers(answering({ ...rows, ...noRoles })), ['before'])
  })
  test('are both during the transition', async () => {
    assert.deepEqual(await readers(wikiWith('ROLES_TRANSITION')), ['all-licensed-users', 'before'])
  })
  test('are only those of the roles afterwards, and unknown operations grant nothing', async () => {
    assert.deepEqual(await readers(wikiWith('ROLES')), ['all-licensed-users'])
  })
  test('are unknown if the role mode cannot be read', async () => {
    const known = wikiWith('ROLES')
    const refusing: WikiTransport = {
      ...known,
      send: (request, asked) =>
        request.path.endsWith('/space-role-mode')
          ? Promise.reject(new AppError('source_forbidden', request.path))
          : known.send(request, asked),
    }
    await assert.rejects(readers(refusing), { code: 'source_forbidden' })
  })
  test('are unknown if the gateway does not find the role mode', async () => {
    const known = wikiWith(null)
    const gateway = { origin: 'https://api.atlassian.com', cloudId: 'c1' }
    for (const site of [
      gatewaySite(known.site, gateway),
      cloudSite('https://api.atlassian.com/ex/confluence/c1'),
    ])
      await assert.rejects(readers({ ...known, site }), { code: 'source_not_found' })
  })
  test('are unknown if the account may not see how the roles of the space apply', async () => {
    await assert.rejects(readers(wikiWith(null)), { code: 'source_forbidden' })
  })
  test('are unknown if the wiki has roles but does not find the role mode', async () => {
    const wiki = answering({
      '/api/v2/spaces/1/permissions': {
        results: [row('role', 'r1', ['read', 'space']), row('group', 'before', ['read', 'space'])],
      },
      '/api/v2/spaces/1/role-assignments': { results: [] },
    })
    await assert.rejects(readers(wiki), { code: 'source_forbidden' })
  })
  describe('of roles', () => {
    const roleWith = (spacePermissions: string[], names: object[] = []) =>
      answering({
        '/api/v2/space-role-mode': { mode: 'ROLES' },
        '/api/v2/space-roles': { results: [{ id: 'r1', spacePermissions }] },
        '/api/v2/space-permissions': { results: names },
        '/api/v2/spaces/1/permissions': { results: [] },
        '/api/v2/spaces/1/role-assignments': {
          results: [{ principal: { principalType: 'GROUP', principalId: 'g1' }, roleId: 'r1' }],
        },
      })
    const granted = async (spacePermissions: string[], names: object[] = []) => {
      const { read, edit, remove, removeOwn, unproved } = await permissionsOf(
        roleWith(spacePermissions, names),
      )
      const kinds = Object.entries({ read, edit, remove, removeOwn })
      const held = kinds.flatMap(([kind, { groups }]) => (groups.has('g1') ? [kind] : []))
      return { held, isUnproved: unproved !== undefined }
    }

    test('are found by the ids of permissions, or by their names', async () => {
      const all = { held: ['read', 'edit', 'remove'], isUnproved: false }
      assert.deepEqual(await granted(['VIEW_CONTENT', 'CREATE_CONTENT', 'DELETE_PAGES']), all)
      assert.deepEqual(await granted(['read/space', 'create/page', 'delete/page']), all)
      const names = [
        { id: '1', displayName: 'View content' },
        { id: '2', displayName: 'Create and edit pages' },
        { id: '3', displayName: 'Delete anyone’s content' },
        { id: '4', displayName: 'Delete own content' },
        { id: '5', displayName: 'Export the space' },
      ]
      assert.deepEqual(await granted(['1', '2', '3', '5'], names), all)
      assert.deepEqual((await granted(['1', '4'], names)).held, ['read', 'removeOwn'])
    })

    test('are not guessed: another name grants nothing, and a role that cannot be understood is reported', async () => {
      const names = [
        { id: '1', displayName: 'View comments' },
        { id: '2', displayName: 'Delete space' },
        { id: '3', displayName: 'View content restrictions' },
      ]
      for (const ids of [['1', '2', '3'], ['READ_EVERYTHING'], ['VIEW'], []])
        assert.deepEqual(await granted(ids, names), { held: [], isUnproved: true })
      assert.deepEqual(await granted(['VIEW_CONTENT', '2'], names), { held: ['read'], isUnproved: false })
    })
  })

  test('reach the people with a role that the permissions name', async () => {
    const wiki = answering({
      '/api/v2/space-role-mode': { mode: 'PRE_ROLES' },
      '/api/v2/spaces/1/permissions': { results: [row('role', 'r1', ['read', 'space'])] },
      '/api/v2/spaces/1/role-assignments': {
        results: [
          { principal: { principalType: 'GROUP', principalId: 'g1' }, roleId: 'r1' },
          { principal: { principalType: 'GROUP', principalId: 'g2' }, roleId: 'r2' },
        ],
      },
    })
    assert.deepEqual(await readers(wiki), ['g1'])
  })

  test('apply to access classes in either spelling, and name unknown ones', async () => {
    const wiki = answering({
      '/api/v2/spaces/1/permissions': {
        results: [
          row('ACCESS_CLASS', 'ALL_LICENSED_USERS', ['read', 'space']),
          row('access-class', 'authenticated-users', ['read', 'space']),
          row('access_class', 'ALL_PRODUCT_ADMINS', ['read', 'space']),
          row('access-class', 'jsm-project-admins', ['read', 'space']),
          row('access-class', 'EVERY_PASSER_BY', ['read', 'space']),
        ],
      },
    })
    const { read, unknownClasses } = await permissionsOf(wiki)
    assert.deepEqual([...read.classes].sort(), [
      'all-licensed-users',
      'all-product-admins',
      'authenticated-users',
      'jsm-project-admins',
    ])
    assert.deepEqual(unknownClasses, ['every-passer-by'])
  })

  test('apply to visitors only if an unauthenticated request succeeds', async () => {
    const wiki = answering({
      '/api/v2/spaces/1/permissions': {
        results: [
          row('ACCESS_CLASS', 'ANONYMOUS_USERS', ['read', 'space']),
          row('group', 'g1', ['read', 'space']),
        ],
      },
    })
    const refusing = (status: number, code: 'source_forbidden') => ({
      send: () => Promise.reject(new AppError(code, 'x', { cause: { status } })),
    })
    const open = answering({ '/api/v2/spaces/1': { id: '1', key: 'ENG' } })
    assert.deepEqual(await readers(wiki, open), ['anonymous-users', 'g1'])
    assert.deepEqual(await readers(wiki, refusing(403, 'source_forbidden')), ['g1'])
    assert.deepEqual(await readers(wiki, null), ['g1'], 'through the gateway alone there is no visitor')
    for (const status of [401, 404])
      assert.deepEqual(await readers(wiki, refusing(status, 'source_forbidden')), ['g1'])
  })

  test('apply to visitors through the gateway alone if the wiki says that they may read the home page', async () => {
    const rows = [
      row('access-class', 'anonymous-users', ['read', 'space']),
      row('group', 'g1', ['read', 'space']),
    ]
    const readersIf = async (hasPermission: boolean) => {
      const transport = answering({
        '/api/v2/spaces/1/permissions': { results: rows },
        '/rest/api/content/7/permission/check': { hasPermission },
      })
      const client = cloudSpacePermissions({ transport, visitor: null })
      const roles = { mode: 'PRE_ROLES', permissions: new Map() }
      const grants = await client.grants({ ...space, homepageId: '7' }, roles, signal)
      return [...spacePermissions(grants).read.classes]
    }
    assert.deepEqual(await readersIf(true), ['anonymous-users'])
    assert.deepEqual(await readersIf(false), [])
  })

  test('apply to everyone named if the visitor gets no answer, with a reason', async () => {
    const wiki = answering({
      '/api/v2/spaces/1/permissions': {
        results: [
          row('ACCESS_CLASS', 'ANONYMOUS_USERS', ['read', 'space']),
          row('group', 'g1', ['read', 'space']),
        ],
      },
    })
    for (const code of ['source_unreachable', 'source_failed', 'source_misread'] as const) {
      const silent = { send: () => Promise.reject(new AppError(code, 'no answer')) }
      assert.deepEqual(await readers(wiki, silent), ['g1'], code)
      assert.match((await permissionsOf(wiki, silent)).unproved ?? '', /visitors.*no answer/, code)
    }
    assert.equal((await permissionsOf(wiki)).unproved, undefined)
    const cancelled = { send: () => Promise.reject(new AppError('cancelled', 'stop')) }
    await assert.rejects(readers(wiki, cancelled), { code: 'cancelled' })
  })

  describe('permit updates', () => {
    const assigned = (roleId: string, principalId: string, principalType = 'GROUP') => ({
      principal: { principalType, principalId },
      roleId,
    })
    const wiki = (assignments: object[], { mode = 'ROLES', rows = [] as object[] } = {}) =>
      answering({
        '/api/v2/space-role-mode': { mode },
        '/api/v2/space-roles': {
          results: [
            { id: 'author', spacePermissions: ['read/space', 'create/page'] },
            { id: 'editor', spacePermissions: ['read/space', 'create/page', 'update/page'] },
            { id: 'admin', spacePermissions: ['administer/space'] },
          ],
        },
        '/api/v2/spaces/1/permissions': { results: rows },
        '/api/v2/spaces/1/role-assignments': { results: assignments },
      })
    const plain = [assigned('author', 'g1'), assigned('admin', 'g3')]
    const editors = async (transport: WikiTransport) => {
      const { users, groups, classes } = (await permissionsOf(transport)).edit
      return [...users, ...groups, ...classes].sort()
    }

    test('only by update/page if a role of the space has it', async () => {
      assert.deepEqual(await editors(wiki([...plain, assigned('editor', 'g2')])), ['g2', 'g3'])
    })
    test('by create/page if only other spaces use such a role', async () => {
      assert.deepEqual(await editors(wiki(plain)), ['g1', 'g3'])
      const rows = [row('group', 'g4', ['create', 'page'])]
      assert.deepEqual(await editors(wiki([], { mode: 'ROLES_TRANSITION', rows })), ['g4'])
    })
    test('only by update/page even if its only holder is granted nothing', async () => {
      for (const [type, id] of [
        ['ACCESS_CLASS', 'anonymous-users'],
        ['ACCESS_CLASS', 'every-passer-by'],
        ['TEAM', 't1'],
      ] as const) {
        assert.deepEqual(await editors(wiki([...plain, assigned('editor', id, type)])), ['g3'], id)
        const rows = [row('group', 'g1', ['create', 'page']), row(type, id, ['update', 'page'])]
        assert.deepEqual(await editors(wiki([], { mode: 'PRE_ROLES', rows })), [], id)
      }
    })
  })
})
