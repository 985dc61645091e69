import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createNameBatch, MAX_NAMES, type NamesResponse } from './name-batch.ts'

type Request = Parameters<Parameters<typeof createNameBatch>[0]>[0]

describe('names in batches', () => {
  const named = ({ users, groups }: Request): NamesResponse => ({
    users: users.map((id) => ({ id, name: `Person ${id}` })),
    groups: groups.map((id) => ({ id, name: id === 'gone' ? null : `Group ${id}` })),
  })

  test('it sends the ids of one tick in one request, each once', async () => {
    const requests: Request[] = []
    const nameOf = createNameBatch(async (ids) => {
      requests.push(ids)
      return named(ids)
    })
    const names = await Promise.all([nameOf('users', 'a'), nameOf('groups', 'a'), nameOf('users', 'a')])
    assert.deepEqual(names, ['Person a', 'Group a', 'Person a'])
    assert.equal(await nameOf('groups', 'gone'), null)
    assert.deepEqual(requests, [
      { users: ['a'], groups: ['a'] },
      { users: [], groups: ['gone'] },
    ])
  })

  test('it splits more ids than the service takes', async () => {
    const sizes: number[] = []
    const nameOf = createNameBatch(async (ids) => {
      sizes.push(ids.users.length)
      return named(ids)
    })
    const ids = Array.from({ length: MAX_NAMES + 1 }, (_, index) => String(index))
    const names = await Promise.all(ids.map((id) => nameOf('users', id)))
    assert.equal(names.at(-1), `Person ${MAX_NAMES}`)
    assert.deepEqual(sizes, [MAX_NAMES, 1])
  })

  test('it fails all ids of a failed request', async () => {
    const nameOf = createNameBatch(() => Promise.reject(new Error('away')))
    const results = await Promise.allSettled([nameOf('users', 'a'), nameOf('users', 'b')])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
  })
})
