import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LICENSED, UNQUALIFIED_NAMING } from '../../../permissions/principals.ts'
import type { WikiClient } from '../client.ts'
import type { Account } from './accounts.ts'
import { createDirectory } from './directory.ts'

const { signal } = new AbortController()
const account = (id: string, more: Partial<Account> = {}): Account => ({
  ...{ id, name: id, type: 'atlassian', status: 'unknown', guest: false, licensed: null },
  ...more,
})

/** Knows the status of all people, and the profiles of those that `isInBulk`. */
function directoryOf(isInBulk: (id: string) => boolean) {
  const requested: string[] = []
  const profile = (id: string) => account(id, { licensed: !id.startsWith('x') })
  const client = {
    naming: UNQUALIFIED_NAMING,
    accounts: async (ids: string[]) => ids.map((id) => account(id, { status: 'active' })),
    profiles: async (ids: string[]) => {
      requested.push(ids.join(' '))
      return ids.filter(isInBulk).map(profile)
    },
    profile: async (id: string) => {
      requested.push(id)
      return profile(id)
    },
  } as Partial<WikiClient> as WikiClient
  return { requested, directory: createDirectory(client) }
}

test('the licences of many people are read in one request, and missing ones one by one', async () => {
  const { requested, directory } = directoryOf((id) => id !== 'c')
  await directory.load({ groups: [], users: ['a', 'x1', 'c'] }, signal)
  assert.deepEqual(requested, ['a x1 c', 'c'])
  const licensed = ['a', 'x1', 'c'].map((id) => directory.inClass(id, LICENSED))
  assert.deepEqual(licensed, [true, false, true])
  await directory.load({ groups: [], users: ['a', 'x1', 'c'] }, signal)
  assert.equal(requested.length, 2)
})
