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

async function readers(transport: Transport) {
  const client = cloudRights(transport)
  const { read } = spaceRights(await client.grants(space, await client.roles(signal), signal))
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
})
