import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../errors.ts'
import { spaceRights } from '../permissions.ts'
import { cloudSite } from '../transport/site.ts'
import type { Transport } from '../transport/transport.ts'
import { cloudRights } from './rights.ts'

const { signal } = new AbortController()
const space = { id: '1', key: 'ENG', alias: null, name: 'Engineering', archived: false, homepageId: null }

/** A wiki that gives these answers by path and knows nothing else. */
function answering(answers: Record<string, unknown>): Transport {
  const ask: Transport['ask'] = async ({ path, answer }) => {
    if (!(path in answers)) throw new AppError('source_not_found', path)
    return answer.parse(answers[path])
  }
  return {
    site: cloudSite('https://acme.atlassian.net'),
    ask,
    askAll: async function* (question, signal) {
      yield await ask(question, signal)
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

async function rights(transport: Transport, visitor: Pick<Transport, 'ask'> | null = null) {
  const client = cloudRights({ transport, visitor })
  return spaceRights(await client.grants(space, await client.roles(signal), signal))
}

async function readers(transport: Transport, visitor: Pick<Transport, 'ask'> | null = null) {
  const { read } = await rights(transport, visitor)
  return [...read.users, ...read.groups, ...read.classes].sort()
}

describe('the rights of a space', () => {
  test('are its permissions before roles, or where the wiki knows no roles', async () => {
    assert.deepEqual(await readers(wikiWith('PRE_ROLES')), ['before'])
    assert.deepEqual(await readers(wikiWith(null)), ['before'])
  })
  test('are both during the transition', async () => {
    assert.deepEqual(await readers(wikiWith('ROLES_TRANSITION')), ['all-licensed-users', 'before'])
  })
  test('are those of the roles alone afterwards, and words that are not known grant nothing', async () => {
    assert.deepEqual(await readers(wikiWith('ROLES')), ['all-licensed-users'])
  })
  test('are not known where the wiki does not say how it gives them', async () => {
    const known = wikiWith('ROLES')
    const refusing: Transport = {
      ...known,
      ask: (question, asked) =>
        question.path.endsWith('/space-role-mode')
          ? Promise.reject(new AppError('source_forbidden', question.path))
          : known.ask(question, asked),
    }
    await assert.rejects(readers(refusing), { code: 'source_forbidden' })
  })
  test('reach whoever has a role that the permissions name', async () => {
    const wiki = answering({
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

  test('hold for access classes in either spelling, and name those that are not known', async () => {
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
    const { read, unknownClasses } = await rights(wiki)
    assert.deepEqual([...read.classes].sort(), [
      'all-licensed-users',
      'all-product-admins',
      'authenticated-users',
      'jsm-project-admins',
    ])
    assert.deepEqual(unknownClasses, ['every-passer-by'])
  })

  test('hold for anonymous visitors only where an unauthenticated request succeeds', async () => {
    const wiki = answering({
      '/api/v2/spaces/1/permissions': {
        results: [
          row('ACCESS_CLASS', 'ANONYMOUS_USERS', ['read', 'space']),
          row('group', 'g1', ['read', 'space']),
        ],
      },
    })
    const refusing = (status: number, code: 'source_forbidden' | 'source_unreachable') => ({
      ask: () => Promise.reject(new AppError(code, 'x', { cause: { status } })),
    })
    const open = answering({ '/api/v2/spaces/1': { id: '1', key: 'ENG' } })
    assert.deepEqual(await readers(wiki, open), ['anonymous-users', 'g1'])
    assert.deepEqual(await readers(wiki, refusing(403, 'source_forbidden')), ['g1'])
    assert.deepEqual(await readers(wiki, null), ['g1'], 'through the gateway alone there is no visitor')
    await assert.rejects(readers(wiki, refusing(503, 'source_unreachable')), { code: 'source_unreachable' })
  })

  test('permit updates by update/page alone where the roles of the site separate it', async () => {
    const assigned = (roleId: string, principalId: string) => ({
      principal: { principalType: 'GROUP', principalId },
      roleId,
    })
    const wiki = (edits: string[], assignments: object[]) =>
      answering({
        '/api/v2/space-role-mode': { mode: 'ROLES' },
        '/api/v2/space-roles': {
          results: [
            { id: 'author', spacePermissions: ['read/space', 'create/page'] },
            { id: 'editor', spacePermissions: ['read/space', 'create/page', ...edits] },
            { id: 'admin', spacePermissions: ['administer/space'] },
          ],
        },
        '/api/v2/spaces/1/permissions': { results: [] },
        '/api/v2/spaces/1/role-assignments': { results: assignments },
      })
    const all = [assigned('author', 'g1'), assigned('editor', 'g2'), assigned('admin', 'g3')]
    const editors = async (transport: Transport) => [...(await rights(transport)).edit.groups].sort()
    assert.deepEqual(await editors(wiki(['update/page'], all)), ['g2', 'g3'])
    assert.deepEqual(await editors(wiki(['update/page'], all.slice(0, 1))), [])
    assert.deepEqual(await editors(wiki([], all)), ['g1', 'g2', 'g3'])
  })
})
