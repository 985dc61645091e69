import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../errors.ts'
import { cloudMentions } from '../cloud/mentions.ts'
import type { Question, Transport } from '../transport/transport.ts'
import { createMentions, userKey } from './mentions.ts'
import type { UserRef } from './storage-links.ts'

const { signal } = new AbortController()
const mention = (id: string) => `<ac:link><ri:user ri:account-id="${id}"/></ac:link>`
const account = (id: string): UserRef => ({ by: 'account', id })

describe('names of mentioned people', () => {
  const looked = (names: Record<string, string> | AppError) => {
    const asked: UserRef[][] = []
    const mentions = createMentions({
      displayNames: async (users) => {
        asked.push(users)
        if (names instanceof AppError) throw names
        return new Map(Object.entries(names).map(([id, name]) => [userKey(account(id)), name]))
      },
    })
    return { asked, mentions }
  }

  test('are asked for once for all bodies, and kept, the unknown ones too', async () => {
    const { asked, mentions } = looked({ a: 'Ann', 'b&c': 'Ben' })
    await mentions.load([mention('a') + mention('b&amp;c'), mention('a') + mention('gone')], signal)
    await mentions.load([mention('gone') + mention('a')], signal)
    assert.deepEqual(asked, [[account('a'), account('b&c'), account('gone')]])
    assert.deepEqual(
      ['a', 'b&c', 'gone'].map((id) => mentions.nameOf(account(id))),
      ['Ann', 'Ben', null],
    )
  })

  test('are not asked for where a body mentions no one', async () => {
    const { asked, mentions } = looked({})
    await mentions.load(['<p>ri:account-id</p>'], signal)
    assert.deepEqual(asked, [])
  })

  test('are asked for again after a failure, which fails no page', async () => {
    const { asked, mentions } = looked(new AppError('source_failed', 'no answer'))
    await mentions.load([mention('a')], signal)
    await mentions.load([mention('a')], signal)
    assert.equal(asked.length, 2)
    assert.equal(mentions.nameOf(account('a')), null)
  })

  test('end the job where every request would fail', async () => {
    const { mentions } = looked(new AppError('source_unauthorized', 'refused'))
    await assert.rejects(mentions.load([mention('a')], signal), { code: 'source_unauthorized' })
  })

  test('are keys and user names on Data Center', async () => {
    const { asked, mentions } = looked({})
    await mentions.load(['<ri:user ri:userkey="k"/><ri:user ri:username="u"/>'], signal)
    assert.deepEqual(asked, [
      [
        { by: 'key', id: 'k' },
        { by: 'username', id: 'u' },
      ],
    ])
  })
})

describe('names on Cloud', () => {
  const wiki = (answer: (question: Question<unknown>) => unknown) => {
    const asked: { path: string; ids: number }[] = []
    const ask = async <T>(question: Question<T>): Promise<T> => {
      const ids = (question.body as { accountIds: string[] } | undefined)?.accountIds.length ?? 1
      asked.push({ path: question.path, ids })
      return question.answer.parse(answer(question as Question<unknown>))
    }
    return { asked, ...cloudMentions({ ask } as Partial<Transport> as Transport) }
  }

  test('come for 250 people at a time', async () => {
    const { asked, displayNames } = wiki(({ body }) => ({
      results: (body as { accountIds: string[] }).accountIds.map((accountId) => ({
        ...{ accountId, displayName: `Name ${accountId}`, publicName: 'p', accountType: 'atlassian' },
      })),
    }))
    const users = Array.from({ length: 300 }, (_, at) => account(`a${at}`))
    const names = await displayNames(users, signal)
    assert.equal(names.size, 300)
    assert.equal(names.get(userKey(account('a299'))), 'Name a299')
    assert.deepEqual(asked, [
      { path: '/api/v2/users-bulk', ids: 250 },
      { path: '/api/v2/users-bulk', ids: 50 },
    ])
  })

  test('come one by one where the bulk request is refused, which is not tried again', async () => {
    const { asked, displayNames } = wiki(({ path, query }) => {
      if (path === '/api/v2/users-bulk') throw new AppError('source_not_found', 'no such path')
      if (query?.accountId === 'gone') throw new AppError('source_not_found', 'no such account')
      return { accountId: query?.accountId, publicName: 'Public' }
    })
    assert.deepEqual(
      [...(await displayNames([account('a'), account('gone')], signal))],
      [[userKey(account('a')), 'Public']],
    )
    await displayNames([account('b')], signal)
    assert.deepEqual(
      asked.map(({ path }) => path),
      ['/api/v2/users-bulk', '/rest/api/user', '/rest/api/user', '/rest/api/user'],
    )
  })
})
