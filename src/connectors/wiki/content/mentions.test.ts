import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../errors.ts'
import { cloudMentions } from '../cloud/mentions.ts'
import { createDisplayNames } from '../data-center/display-names.ts'
import { dataCenterMentions } from '../data-center/mentions.ts'
import { dataCenterPeople } from '../data-center/people.ts'
import type { WikiRequest, WikiTransport } from '../transport/transport.ts'
import { createMentions, userKey } from './mentions.ts'
import type { UserRef } from './storage/links.ts'

const { signal } = new AbortController()
const mention = (id: string) => `<ac:link><ri:user ri:account-id="${id}"/></ac:link>`
const refused = (status: number) => new AppError('source_failed', 'refused', { cause: { status } })
const account = (id: string): UserRef => ({ by: 'account', id })

describe('names of mentioned people', () => {
  const mentionsWith = (names: Record<string, string> | AppError) => {
    const requested: UserRef[][] = []
    const mentions = createMentions({
      displayNames: async (users) => {
        requested.push(users)
        if (names instanceof AppError) throw names
        return new Map(users.map((user) => [userKey(user), names[user.id] ?? null]))
      },
    })
    return { requested, mentions }
  }

  test('are requested once for all bodies and cached, unknown ones too', async () => {
    const { requested, mentions } = mentionsWith({ a: 'Ann', 'b&c': 'Ben' })
    await mentions.load([mention('a') + mention('b&amp;c'), mention('a') + mention('gone')], signal)
    await mentions.load([mention('gone') + mention('a')], signal)
    assert.deepEqual(requested, [[account('a'), account('b&c'), account('gone')]])
    assert.deepEqual(
      ['a', 'b&c', 'gone'].map((id) => mentions.nameOf(account(id))),
      ['Ann', 'Ben', null],
    )
  })

  test('are not requested if a body mentions no one', async () => {
    const { requested, mentions } = mentionsWith({})
    await mentions.load(['<p>ri:account-id</p>'], signal)
    assert.deepEqual(requested, [])
  })

  test('are requested again after a failure, which fails no page', async () => {
    const { requested, mentions } = mentionsWith(new AppError('source_failed', 'no answer'))
    await mentions.load([mention('a')], signal)
    await mentions.load([mention('a')], signal)
    assert.equal(requested.length, 2)
    assert.equal(mentions.nameOf(account('a')), undefined)
  })

  test('are requested once by slices that are read at the same time', async () => {
    const { requested, mentions } = mentionsWith({ a: 'Ann', b: 'Ben' })
    await Promise.all([
      mentions.load([mention('a')], signal),
      mentions.load([mention('a') + mention('b')], signal),
    ])
    assert.deepEqual(requested, [[account('a')], [account('b')]])
    assert.deepEqual([mentions.nameOf(account('a')), mentions.nameOf(account('b'))], ['Ann', 'Ben'])
  })

  test('are cached if found, and requested again otherwise', async () => {
    const requested: string[][] = []
    const mentions = createMentions({
      displayNames: async (users) => {
        requested.push(users.map(({ id }) => id))
        return new Map(users.flatMap((user) => (user.id === 'bad' ? [] : [[userKey(user), 'Ann']])))
      },
    })
    await mentions.load([mention('a') + mention('bad')], signal)
    await mentions.load([mention('a') + mention('bad')], signal)
    assert.deepEqual(requested, [['a', 'bad'], ['bad']])
    assert.deepEqual([mentions.nameOf(account('a')), mentions.nameOf(account('bad'))], ['Ann', undefined])
  })

  test('are requested 1,000 at a time, up to 5,000 per batch', async () => {
    const all = Array.from({ length: 5001 }, (_, at) => `p${at}`)
    const names = Object.fromEntries(all.map((id) => [id, `Name ${id}`]))
    const { requested, mentions } = mentionsWith(names)
    await mentions.load([all.map(mention).join('')], signal)
    assert.deepEqual(
      requested.map(({ length }) => length),
      [1000, 1000, 1000, 1000, 1000],
    )
    assert.equal(mentions.nameOf(account('p4999')), 'Name p4999')
    assert.equal(mentions.nameOf(account('p5000')), undefined)
  })

  test('are not requested further if none came', async () => {
    const { requested, mentions } = mentionsWith(new AppError('source_failed', 'no answer'))
    await mentions.load([Array.from({ length: 3000 }, (_, at) => mention(`p${at}`)).join('')], signal)
    assert.equal(requested.length, 1)
  })

  test('are found in attributes with either quote, with ids of up to 255 characters', async () => {
    const { requested, mentions } = mentionsWith({})
    const long = 'x'.repeat(256)
    await mentions.load([`<ri:user ri:account-id='a"b'/>${mention(long)}`], signal)
    assert.deepEqual(requested, [[account('a"b')]])
    assert.equal(mentions.nameOf(account(long)), null)
  })

  test('end the job if every request would fail', async () => {
    const { mentions } = mentionsWith(new AppError('source_unauthorized', 'refused'))
    await assert.rejects(mentions.load([mention('a')], signal), { code: 'source_unauthorized' })
  })

  test('are mentionsWith up by key and user name on Data Center', async () => {
    const { requested, mentions } = mentionsWith({})
    await mentions.load(['<ri:user ri:userkey="k"/><ri:user ri:username="u"/>'], signal)
    assert.deepEqual(requested, [
      [
        { by: 'key', id: 'k' },
        { by: 'username', id: 'u' },
      ],
    ])
  })
})

const transport = (answer: (question: WikiRequest<unknown>) => unknown) => {
  const requested: { path: string; ids: number }[] = []
  const send = async <T>(question: WikiRequest<T>): Promise<T> => {
    const ids = (question.body as { accountIds: string[] } | undefined)?.accountIds.length ?? 1
    requested.push({ path: question.path, ids })
    return question.response.parse(answer(question as WikiRequest<unknown>))
  }
  return { requested, site: { send } as Partial<WikiTransport> as WikiTransport }
}

describe('names on Data Center', () => {
  test('come one by one: a failure affects one person, and unknown people are not requested again', async () => {
    const { site } = transport(({ query }) => {
      const { key = '' } = query as { key?: string }
      if (/^\d+$/.test(key)) throw refused(Number(key))
      return { displayName: `Name ${key}` }
    })
    const users = ['a', '404', '500', '429', 'b'].map((id): UserRef => ({ by: 'key', id }))
    assert.deepEqual(
      Object.fromEntries(
        await dataCenterMentions(site, createDisplayNames()).displayNames([...users, account('x')], signal),
      ),
      {
        ...{ 'key:a': 'Name a', 'key:404': null, 'key:b': 'Name b', 'account:x': null },
      },
    )
  })

  test('are not requested if the members of a group had them', async () => {
    const { site, requested } = transport(({ path }) =>
      path.endsWith('/member')
        ? { results: [{ userKey: 'a', displayName: 'Ann' }, { userKey: 'b' }] }
        : { displayName: 'Ben' },
    )
    const names = createDisplayNames()
    await dataCenterPeople(site, names, null).members('eng', signal)
    const users = ['a', 'b'].map((id): UserRef => ({ by: 'key', id }))
    assert.deepEqual(Object.fromEntries(await dataCenterMentions(site, names).displayNames(users, signal)), {
      'key:a': 'Ann',
      'key:b': 'Ben',
    })
    assert.deepEqual(
      requested.map(({ path }) => path),
      ['/rest/api/group/eng/member', '/rest/api/user'],
    )
  })
})

describe('names on Cloud', () => {
  const wiki = (answer: (question: WikiRequest<unknown>) => unknown) => {
    const { requested, site } = transport(answer)
    return { requested, ...cloudMentions(site) }
  }

  test('are missing only for the people of a failed request', async () => {
    const { displayNames } = wiki(({ body }) => {
      const { accountIds } = body as { accountIds: string[] }
      if (accountIds.includes('a0')) throw refused(500)
      return { results: accountIds.slice(1).map((accountId) => ({ accountId, displayName: 'Ann' })) }
    })
    const users = Array.from({ length: 300 }, (_, at) => account(`a${at}`))
    const names = await displayNames([...users, { by: 'key', id: 'k' }], signal)
    assert.equal(names.size, 51)
    assert.equal(names.get('account:a299'), 'Ann')
    assert.deepEqual(
      [names.get('account:a0'), names.get('account:a250'), names.get('key:k')],
      [undefined, null, null],
    )
  })

  test('are missing for one person if requests are single', async () => {
    const { displayNames } = wiki(({ path, query }) => {
      if (path === '/api/v2/users-bulk') throw refused(404)
      const { accountId = '' } = query as { accountId?: string }
      if (/^\d+$/.test(accountId)) throw refused(Number(accountId))
      return { accountId, displayName: 'Ann' }
    })
    const names = await displayNames(['a', '500', '429', '404'].map(account), signal)
    assert.deepEqual(Object.fromEntries(names), { 'account:a': 'Ann', 'account:404': null })
  })

  test('come for 250 people at a time', async () => {
    const { requested, displayNames } = wiki(({ body }) => ({
      results: (body as { accountIds: string[] }).accountIds.map((accountId) => ({
        ...{ accountId, displayName: `Name ${accountId}`, publicName: 'p', accountType: 'atlassian' },
      })),
    }))
    const users = Array.from({ length: 300 }, (_, at) => account(`a${at}`))
    const names = await displayNames(users, signal)
    assert.equal(names.size, 300)
    assert.equal(names.get(userKey(account('a299'))), 'Name a299')
    assert.deepEqual(requested, [
      { path: '/api/v2/users-bulk', ids: 250 },
      { path: '/api/v2/users-bulk', ids: 50 },
    ])
  })

  test('come one by one if the bulk request is refused, which is not repeated', async () => {
    const { requested, displayNames } = wiki(({ path, query }) => {
      if (path === '/api/v2/users-bulk') throw refused(404)
      if (query?.accountId === 'gone') throw refused(404)
      return { accountId: query?.accountId, publicName: 'Public' }
    })
    assert.deepEqual(
      [...(await displayNames([account('a'), account('gone')], signal))],
      [
        [userKey(account('a')), 'Public'],
        [userKey(account('gone')), null],
      ],
    )
    await displayNames([account('b')], signal)
    assert.deepEqual(
      requested.map(({ path }) => path),
      ['/api/v2/users-bulk', '/rest/api/user', '/rest/api/user', '/rest/api/user'],
    )
  })

  test('come one by one if one id is invalid, and in bulk the next time', async () => {
    const { requested, displayNames } = wiki(({ path, body, query }) => {
      if (path === '/rest/api/user') return { accountId: query?.accountId, displayName: 'Alone' }
      const { accountIds } = body as { accountIds: string[] }
      if (accountIds.includes('?')) throw refused(400)
      return { results: accountIds.map((accountId) => ({ accountId, displayName: 'Together' })) }
    })
    assert.deepEqual(
      [...(await displayNames([account('?'), account('a')], signal)).values()],
      ['Alone', 'Alone'],
    )
    assert.deepEqual([...(await displayNames([account('b')], signal)).values()], ['Together'])
    assert.equal(requested.length, 4)
  })
})
