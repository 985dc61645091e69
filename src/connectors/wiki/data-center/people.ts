import { AppError } from '../../../errors.ts'
import type { PeopleClient } from '../client.ts'
import { toAccount } from '../restrictions.ts'
import { wholeLists } from '../transport/lists.ts'
import { isMissing, type Transport } from '../transport/transport.ts'
import * as wire from './answers.ts'

/** Accounts by their keys and groups by their names, as Data Center serves them. */
export function dataCenterPeople(transport: Transport): PeopleClient {
  const { site, ask } = transport
  const { byOffset } = wholeLists(transport)

  return {
    me: async (signal) => {
      const question = { doing: 'signing in', path: '/rest/api/user/current', answer: wire.accountAnswer }
      const [account] = toAccount(await ask(question, signal))
      if (account) return account
      // Before 7.9 a token is not refused but overlooked, and whoever sent it is a visitor.
      throw new AppError(
        'source_unauthorized',
        `signing in: ${site.name} took the credentials for nobody's`,
        {
          fix: 'Use username and password; personal access tokens need version 7.9 or later',
        },
      )
    },

    members: async (group, signal) => {
      const doing = `reading the members of group ${group}`
      const path = `/rest/api/group/${encodeURIComponent(group)}`
      try {
        const asked = { doing, path: `${path}/member` }
        return (await byOffset(asked, wire.accountAnswer, signal)).flatMap(toAccount)
      } catch (error) {
        // Some servers find no group whose name has such a character, so that "not there" says nothing of it.
        if (!isMissing(error) || /[/\\%;?#]/.test(group)) throw error
        if (await ask({ doing, path, answer: wire.groupAnswer }, signal).then(() => false, isMissing))
          return []
        throw error
      }
    },

    account: async (key, signal) => {
      const question = { doing: `looking up account ${key}`, path: '/rest/api/user', query: { key } }
      try {
        return toAccount(await ask({ ...question, answer: wire.accountAnswer }, signal))[0] ?? null
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },

    groupsOf: async (key, signal) => {
      const path = '/rest/api/user/memberof'
      const question = { doing: `reading the groups of ${key}`, path, query: { key } }
      return (await byOffset(question, wire.groupAnswer, signal)).flatMap(({ id }) => (id ? [id] : []))
    },
  }
}
